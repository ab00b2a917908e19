/* Threads of this process make the same refunds through one client with a journal, each with its key; other processes may do
 * so at the same time, and be killed. argv[1] is the configuration, argv[2] the number of threads, argv[3] that of the refunds.
 * Prints how many calls were CONFIRMED, REJECTED, NOT_SENT and UNKNOWN. */
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

static paysvc_client *client;
static int refunds;
/* By outcome. */
static int ended[4];

static void *work(void *first)
{
    int i;
    for (i = 0; i < refunds; i++) {
        char request[64], key[32];
        int number = (*(int *)first + i) % refunds;
        paysvc_call *call = paysvc_call_new();
        paysvc_reply *reply = NULL;
        sprintf(request, "{\"reference\":\"R-%d\"}", number);
        sprintf(key, "refund-%d", number);
        paysvc_call_set_key(call, key);
        paysvc_order_refund(client, request, call, &reply);
        switch (paysvc_reply_outcome(reply)) {
        case PAYSVC_OUTCOME_CONFIRMED: __atomic_add_fetch(&ended[0], 1, __ATOMIC_SEQ_CST); break;
        case PAYSVC_OUTCOME_REJECTED: __atomic_add_fetch(&ended[1], 1, __ATOMIC_SEQ_CST); break;
        case PAYSVC_OUTCOME_NOT_SENT: __atomic_add_fetch(&ended[2], 1, __ATOMIC_SEQ_CST); break;
        default: __atomic_add_fetch(&ended[3], 1, __ATOMIC_SEQ_CST); break;
        }
        paysvc_reply_free(reply);
        paysvc_call_free(call);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    int first[MOST], i, count;

    if (argc != 4 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    count = atoi(argv[2]);
    refunds = atoi(argv[3]);
    for (i = 0; i < count; i++) {
        first[i] = i * 7 % refunds;
        pthread_create(&threads[i], NULL, work, &first[i]);
    }
    for (i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    paysvc_client_free(client);
    printf("%d %d %d %d\n", ended[0], ended[1], ended[2], ended[3]);
    return 0;
}
