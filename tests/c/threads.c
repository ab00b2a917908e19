/* Many threads on one client, with cancels, replies read by several threads, and the client freed while calls run.
 * argv[1] is the configuration, argv[2] the number of calls a thread. */
#define _DEFAULT_SOURCE
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64 };

static paysvc_client *client;
static paysvc_reply *shared;
static int calls;

static void PAYSVC_CALLBACK log_line(void *userdata, int level, const char *message)
{
    (void)userdata;
    (void)level;
    if (message[0] == '\0') {
        abort();
    }
}

static void *work(void *number)
{
    long self = (long)number, bad = 0;
    int i;
    for (i = 0; i < calls; i++) {
        paysvc_call *call = paysvc_call_new();
        paysvc_reply *reply = NULL;
        int cancelled = self % 8 == 0 && i % 4 == 0;
        if (cancelled) {
            paysvc_call_cancel(call);
        }
        paysvc_order_refund(client, "{\"reference\":\"R\"}", call, &reply);
        bad += paysvc_reply_status(reply) != (cancelled ? PAYSVC_E_CANCELLED : PAYSVC_OK);
        /* Too late to matter: the call has ended. */
        paysvc_call_cancel(call);
        paysvc_call_free(call);
        paysvc_reply_free(reply);
        if (i == calls / 2) {
            bad += paysvc_client_set_log(client, 1 + (int)(self % 4), self % 2 ? log_line : NULL, NULL) != PAYSVC_OK;
        }
        bad += strcmp(paysvc_reply_get(shared, "/message"), "done") != 0;
    }
    return (void *)bad;
}

/* A call that is under way when its client is freed ends normally. */
static void *last(void *unused)
{
    paysvc_reply *reply = NULL;
    paysvc_status status;
    (void)unused;
    status = paysvc_order_refund(client, "{\"reference\":\"slow\"}", NULL, &reply);
    paysvc_reply_free(reply);
    return status == PAYSVC_OK ? NULL : (void *)1;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long i, bad = 0;
    void *result;

    if (argc != 3 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    calls = atoi(argv[2]);
    if (paysvc_order_refund(client, "{\"reference\":\"R\"}", NULL, &shared) != PAYSVC_OK) {
        fprintf(stderr, "%s\n", paysvc_reply_message(shared));
        return 2;
    }
    for (i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &result);
        bad += (long)result;
    }
    pthread_create(&threads[0], NULL, last, NULL);
    /* The test's server reports on standard input when it has the request. */
    getchar();
    paysvc_client_free(client);
    pthread_join(threads[0], &result);
    bad += (long)result;
    paysvc_reply_free(shared);
    if (bad != 0) {
        fprintf(stderr, "%ld went wrong\n", bad);
    }
    return bad != 0;
}
