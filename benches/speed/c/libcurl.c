/* libcurl, as its users write it well: one easy handle a thread, used again, its headers made once, with a deadline;
 * encryption by OpenSSL, the response read with cJSON and looked at as libpaysvc looks at it. */
#include "rsa.h"
#include "worker.h"
#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
    CURL *curl;
    struct curl_slist *headers;
    size_t length;
    char answer[128 * 1024];
};

static struct task task;
static char *payload, *key_text;
static EVP_PKEY_CTX *key;
static int encrypted;
static cJSON *large;

static size_t collect(char *bytes, size_t size, size_t count, void *state)
{
    struct session *session = state;
    size_t length = size * count;
    if (length >= sizeof session->answer - session->length) {
        return 0;
    }
    memcpy(session->answer + session->length, bytes, length);
    session->length += length;
    return length;
}

/* HTTP 200, a success envelope, and a payment that is successful. */
static int is_paid(struct session *session)
{
    long http = 0;
    cJSON *json = cJSON_ParseWithLength(session->answer, session->length), *data, *payment, *state;
    const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "status"));
    int paid;
    data = cJSON_GetObjectItemCaseSensitive(json, "data");
    payment = cJSON_GetObjectItemCaseSensitive(data, "orderPayment");
    state = cJSON_GetObjectItemCaseSensitive(payment, "statusId");
    curl_easy_getinfo(session->curl, CURLINFO_RESPONSE_CODE, &http);
    paid = http == 200 && status != NULL && strcmp(status, "success") == 0 && cJSON_IsNumber(state) && state->valueint == 5;
    cJSON_Delete(json);
    return paid;
}

static void call(void *state)
{
    struct session *session = state;
    char body[2048], *sent = payload;
    size_t length;
    CURLcode code;
    if (encrypted) {
        sent = body;
        length = encrypt_to(key, payload, strlen(payload), body, sizeof body);
    } else {
        length = strlen(payload);
    }
    session->length = 0;
    curl_easy_setopt(session->curl, CURLOPT_POSTFIELDS, sent);
    curl_easy_setopt(session->curl, CURLOPT_POSTFIELDSIZE, (long)length);
    code = curl_easy_perform(session->curl);
    if (code != CURLE_OK || !is_paid(session)) {
        fail("call", curl_easy_strerror(code));
    }
}

static void *session_new(void)
{
    char text[4096];
    struct session *session = malloc(sizeof *session);
    CURL *curl = curl_easy_init();
    session->curl = curl;
    session->headers = curl_slist_append(NULL, encrypted ? "api-key: PUBLICKEY-BENCH" : "api-key: SECRETKEY-BENCH");
    session->headers = curl_slist_append(session->headers, "content-type: application/json");
    session->headers = curl_slist_append(session->headers, "accept: application/json");
    snprintf(text, sizeof text, "%s/payment/order/%s", task.base_url, encrypted ? "create" : "refund");
    curl_easy_setopt(curl, CURLOPT_URL, text);
    snprintf(text, sizeof text, "%s/bundle.pem", task.folder);
    curl_easy_setopt(curl, CURLOPT_CAINFO, text);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, session->headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, session);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 30000L);
    if (strcmp(task.mode, "fresh") == 0) { /* each call has a connection of its own */
        curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    }
    return session;
}

/* The large response, parsed once. */
static void open_large(struct session *session)
{
    char text[4096];
    snprintf(text, sizeof text, "%s/payment/order/direct-debit/history", task.base_url);
    curl_easy_setopt(session->curl, CURLOPT_URL, text);
    if (curl_easy_perform(session->curl) != CURLE_OK) {
        fail("call", text);
    }
    large = cJSON_GetObjectItemCaseSensitive(cJSON_ParseWithLength(session->answer, session->length), "directDebitMandates");
    if (cJSON_GetArraySize(large) != LARGE_COUNT) {
        fail("call", "not the large response");
    }
}

/* Every value once, then again, in the same order as ours. */
static void look(void *unused)
{
    static size_t next;
    const cJSON *mandate = cJSON_GetArrayItem(large, (int)(next * 7 % LARGE_COUNT)), *found;
    (void)unused;
    found = cJSON_GetObjectItemCaseSensitive(mandate, large_members[next / LARGE_COUNT]);
    if (found == NULL || (cJSON_IsString(found) && found->valuestring[0] == '\0')) {
        fail("look", large_members[next / LARGE_COUNT]);
    }
    next = (next + 1) % (LARGE_COUNT * LARGE_MEMBERS);
}

static void encrypt(void *unused)
{
    char body[2048];
    (void)unused;
    encrypt_to(key, payload, strlen(payload), body, sizeof body);
}

static void load_key(void *unused)
{
    (void)unused;
    EVP_PKEY_CTX_free(key_of(key_text));
}

int main(int argc, char **argv)
{
    struct session *session;
    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        puts(curl_version());
        return 0;
    }
    task = task_of(argc, argv);
    encrypted = strcmp(task.mode, "encrypted") == 0 || strcmp(task.mode, "encrypt") == 0;
    payload = text_of(task.folder, encrypted ? "card.json" : "plain.json");
    key_text = text_of(task.folder, "key.txt");
    if (strcmp(task.mode, "key") == 0) {
        return work(load_key, NULL);
    }
    if (encrypted) {
        key = key_of(key_text);
    }
    if (strcmp(task.mode, "encrypt") == 0) {
        return work(encrypt, NULL);
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    if (strcmp(task.mode, "threads") == 0) {
        return work_in_threads(64, session_new, call);
    }
    session = session_new();
    if (strcmp(task.mode, "look") == 0) {
        open_large(session);
        return work(look, NULL);
    }
    call(session);
    if (strcmp(task.mode, "first") != 0) {
        return work(call, session);
    }
    curl_easy_cleanup(session->curl);
    curl_slist_free_all(session->headers);
    free(session);
    curl_global_cleanup();
    return 0;
}
