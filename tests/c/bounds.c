/* Measures one call against a peer that never ends: argv[1] is the configuration; then three arguments a call: the
 * reference, which selects the peer's behavior; a limit in ms; and after how many ms the call is cancelled, or 0.
 * Prints for each: reference, status, outcome, how far memory grew at its peak (kB), how long it took (ms), message. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <time.h>

static long status_line(const char *name)
{
    char line[200];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kb = atol(line + strlen(name));
        }
    }
    fclose(file);
    return kb;
}

/* From here on VmHWM starts again. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL || fputs("5", file) < 0 || fclose(file) != 0) {
        perror("clear_refs");
        exit(3);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1000 + (double)time.tv_nsec / 1e6;
}

struct cancel { paysvc_call *call; long after_ms; };

static void *cancel_later(void *argument)
{
    struct cancel *cancel = (struct cancel *)argument;
    struct timespec time;
    time.tv_sec = cancel->after_ms / 1000;
    time.tv_nsec = cancel->after_ms % 1000 * 1000000;
    nanosleep(&time, NULL);
    paysvc_call_cancel(cancel->call);
    return NULL;
}

int main(int argc, char **argv)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    int i;
    EXPECT(paysvc_client_new(argv[1], &client, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    for (i = 2; i + 2 < argc; i += 3) {
        char json[100];
        struct cancel cancel;
        pthread_t thread;
        long before;
        double begun;
        snprintf(json, sizeof json, "{\"reference\":\"%s\"}", argv[i]);
        cancel.call = paysvc_call_new();
        cancel.after_ms = atol(argv[i + 2]);
        paysvc_call_set_timeout_ms(cancel.call, atoi(argv[i + 1]));
        if (cancel.after_ms > 0) {
            pthread_create(&thread, NULL, cancel_later, &cancel);
        }
        forget_peak();
        before = status_line("VmRSS:");
        begun = now();
        paysvc_order_refund(client, json, cancel.call, &reply);
        printf("%s\t%s\t%s\t%ld\t%.0f\t%s\n", argv[i], paysvc_status_name(paysvc_reply_status(reply)),
               paysvc_outcome_name(paysvc_reply_outcome(reply)), status_line("VmHWM:") - before, now() - begun,
               paysvc_reply_message(reply));
        fflush(stdout);
        if (cancel.after_ms > 0) {
            pthread_join(thread, NULL);
        }
        paysvc_reply_free(reply);
        paysvc_call_free(cancel.call);
    }
    paysvc_client_free(client);
    return failures != 0;
}
