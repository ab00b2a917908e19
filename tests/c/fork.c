/* A child inherits a client: it must open its own connections and leave its parent's alone, also when it is forked while
 * other threads are in calls. argv[1] is the configuration; with "keys" as argv[2], it has a journal, and each call has an
 * idempotency key of its own. */
#define _DEFAULT_SOURCE
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, CHILDREN = 30 };

static paysvc_client *client;
static int has_keys;
static int stop;
/* The beginning of the call's number, which is the process's. */
static char prefix[64];

static int refund(void)
{
    paysvc_reply *reply = NULL;
    paysvc_call *call = NULL;
    paysvc_status status;
    char key[64];
    if (has_keys) {
        call = paysvc_call_new();
        paysvc_reference_new("K-", key, sizeof key);
        paysvc_call_set_key(call, key);
    }
    status = paysvc_order_refund(client, "{\"reference\":\"R\"}", call, &reply);
    paysvc_call_free(call);
    if (status != PAYSVC_OK) {
        fprintf(stderr, "%d: %s\n", (int)getpid(), paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
    return status == PAYSVC_OK;
}

static void *work(void *failures)
{
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
        if (!refund()) {
            ++*(int *)failures;
        }
    }
    return NULL;
}

/* Returns whether all call IDs of this process have one prefix, which is not its parent's. */
static int own_numbers(void)
{
    char of_parent[64], before[64] = "";
    int i;
    strcpy(of_parent, prefix);
    for (i = 0; i < 3; i++) {
        paysvc_reply *reply = NULL;
        paysvc_encrypt(NULL, NULL, &reply);
        strncpy(prefix, paysvc_reply_call_id(reply), sizeof prefix - 1);
        paysvc_reply_free(reply);
        prefix[strcspn(prefix, "-")] = '\0';
        if (strlen(prefix) != 16 || strcmp(prefix, of_parent) == 0 || (i > 0 && strcmp(prefix, before) != 0)) {
            return 0;
        }
        strcpy(before, prefix);
    }
    return 1;
}

/* The child's exit status: 0 when its calls succeeded. A child that hangs is ended by its alarm. */
static int child(int grandchildren)
{
    int status = 0;
    alarm(30);
    if (!refund() || !refund()) {
        return 1;
    }
    if (!own_numbers()) {
        return 3;
    }
    if (grandchildren) {
        pid_t pid = fork();
        if (pid == 0) {
            _exit(child(0));
        }
        if (waitpid(pid, &status, 0) != pid || status != 0) {
            return 1;
        }
    }
    paysvc_client_free(client);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int failures[THREADS] = {0};
    int i, bad = 0;

    has_keys = argc == 3 && strcmp(argv[2], "keys") == 0;
    if (argc < 2 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK || !refund() || !own_numbers()) {
        return 2;
    }
    for (i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, &failures[i]);
    }
    for (i = 0; i < CHILDREN; i++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0) {
            _exit(child(i % 3 == 0));
        }
        if (waitpid(pid, &status, 0) != pid || status != 0) {
            fprintf(stderr, "child %d ended with %d\n", i, status);
            bad = 1;
        }
    }
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        bad |= failures[i] != 0;
    }
    bad |= !refund();
    paysvc_client_free(client);
    return bad;
}
