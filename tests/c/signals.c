/* Signals rain down, a handler without SA_RESTART: argv[1] is the configuration, argv[2] how many calls must succeed;
 * then one call that is never answered must end with its deadline. */
#define _DEFAULT_SOURCE
#include <paysvc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t signals;

static void count(int number)
{
    (void)number;
    signals++;
}

int main(int argc, char **argv)
{
    struct sigaction action;
    struct itimerval every;
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_call *call = paysvc_call_new();
    int i, calls;

    if (argc != 3 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    calls = atoi(argv[2]);
    memset(&action, 0, sizeof action);
    action.sa_handler = count;
    sigaction(SIGALRM, &action, NULL);
    every.it_interval.tv_sec = every.it_value.tv_sec = 0;
    every.it_interval.tv_usec = every.it_value.tv_usec = 500;
    setitimer(ITIMER_REAL, &every, NULL);
    for (i = 0; i < calls; i++) {
        if (paysvc_order_refund(client, "{\"reference\":\"R\"}", NULL, &reply) != PAYSVC_OK) {
            fprintf(stderr, "call %d: %s\n", i, paysvc_reply_message(reply));
            return 1;
        }
        paysvc_reply_free(reply);
    }
    paysvc_call_set_timeout_ms(call, 300);
    if (paysvc_order_refund(client, "{\"reference\":\"silent\"}", call, &reply) != PAYSVC_E_TIMEOUT) {
        fprintf(stderr, "the silent call: %s\n", paysvc_reply_message(reply));
        return 1;
    }
    paysvc_reply_free(reply);
    paysvc_call_free(call);
    paysvc_client_free(client);
    printf("%d calls, signals: %s\n", calls, signals > 0 ? "yes" : "no");
    return signals > 0 ? 0 : 1;
}
