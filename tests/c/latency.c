/* Times the end of a call after its cancel: argv[1] is the configuration, argv[2] how many calls. Each call is cancelled 200 ms
 * after it has begun, while it waits for something that the service does not do. Prints the milliseconds from each
 * cancel to the end of its call, and the last verdict. No call may go on for 20 s. */
#define _GNU_SOURCE
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HANG_MS = 20000 };

static paysvc_client *client;
static paysvc_call *token;
static double ended;
static char verdict[200];

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void *call(void *unused)
{
    paysvc_reply *reply = NULL;
    paysvc_order_refund(client, "{\"reference\":\"R\",\"amount\":\"1.00\"}", token, &reply);
    ended = now_ms();
    sprintf(verdict, "%.90s %.90s", paysvc_status_name(paysvc_reply_status(reply)),
            paysvc_outcome_name(paysvc_reply_outcome(reply)));
    paysvc_reply_free(reply);
    return unused;
}

int main(int argc, char **argv)
{
    int i, calls, before_ms;
    if (argc != 4 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    calls = atoi(argv[2]);
    before_ms = atoi(argv[3]);
    for (i = 0; i < calls; i++) {
        struct timespec before;
        pthread_t thread;
        double cancelled;
        before.tv_sec = before_ms / 1000;
        before.tv_nsec = before_ms % 1000 * 1000000L;
        token = paysvc_call_new();
        pthread_create(&thread, NULL, call, NULL);
        nanosleep(&before, NULL);
        cancelled = now_ms();
        paysvc_call_cancel(token);
        pthread_join(thread, NULL);
        paysvc_call_free(token);
        printf("%.3f ", ended - cancelled);
        if (ended < cancelled || ended - cancelled > HANG_MS) {
            printf("%s: ended %.3f ms after the cancel\n", verdict, ended - cancelled);
            return 1;
        }
    }
    printf("%s\n", verdict);
    paysvc_client_free(client);
    return 0;
}
