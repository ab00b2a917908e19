/* Races planted for ThreadSanitizer, which must report them: argv[1] is "c", in this file, or "reply", where the code
 * that reads is the library's Rust. The threads are apart by time alone, so nothing but the sanitizer notices. "none"
 * has no race. */
#define _DEFAULT_SOURCE
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int count;
static paysvc_reply *reply;

static void *add(void *unused)
{
    count++;
    return unused;
}

static void *read_reply(void *unused)
{
    (void)unused;
    return paysvc_reply_status(reply) == PAYSVC_OK ? NULL : (void *)1;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    paysvc_client *client = NULL;

    if (argc != 2 || paysvc_client_new("{}", &client, &reply) != PAYSVC_OK) {
        return 2;
    }
    pthread_create(&thread, NULL, strcmp(argv[1], "c") == 0 ? add : read_reply, NULL);
    if (strcmp(argv[1], "none") == 0) {
        pthread_join(thread, NULL);
    } else {
        usleep(200000);
    }
    count++;
    paysvc_reply_free(reply);
    if (strcmp(argv[1], "none") != 0) {
        pthread_join(thread, NULL);
    }
    paysvc_client_free(client);
    printf("%d\n", count);
    return 0;
}
