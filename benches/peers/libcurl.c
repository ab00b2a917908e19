/* The same with libcurl, as its users write it: one easy handle for all requests. */
#define _POSIX_C_SOURCE 199309L
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static char answer[65536];
static size_t length;

static size_t collect(char *bytes, size_t size, size_t count, void *unused)
{
    size_t room = sizeof answer - 1 - length, take = size * count < room ? size * count : room;
    (void)unused;
    memcpy(answer + length, bytes, take);
    length += take;
    return size * count;
}

static void refund(CURL *curl, const char *reference, const char *amount)
{
    char request[512];
    long status = 0;
    CURLcode code;
    sprintf(request, "{\"reference\":\"%s\",\"amount\":\"%s\"}", reference, amount);
    length = 0;
    curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, request);
    code = curl_easy_perform(curl);
    answer[length] = '\0';
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK) {
        printf("HTTP %ld: %s\n", status, answer);
    } else {
        printf("error: %s\n", curl_easy_strerror(code));
    }
}

int main(int argc, char **argv)
{
    struct timespec pause = {0, 300000000}; /* between two customers */
    char url[1024], key[256];
    struct curl_slist *headers = NULL;
    CURL *curl;
    if (argc != 6) {
        return 2;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    curl = curl_easy_init();
    sprintf(url, "%s/payment/order/refund", argv[1]);
    sprintf(key, "api-key: %s", argv[2]);
    headers = curl_slist_append(headers, key);
    headers = curl_slist_append(headers, "content-type: application/json");
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    refund(curl, argv[3], argv[4]);
    nanosleep(&pause, NULL);
    refund(curl, argv[3], argv[5]);
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    curl_global_cleanup();
    return 0;
}
