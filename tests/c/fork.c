/* A child inherits a client: it must open its own connections and leave its parent's alone, also when it is forked while
 * other threads are in calls. argv[1] is the configuration. */
#define _DEFAULT_SOURCE
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, CHILDREN = 30 };

static paysvc_client *client;
static int stop;

static int refund(void)
{
    paysvc_reply *reply = NULL;
    paysvc_status status = paysvc_order_refund(client, "{\"reference\":\"R\"}", NULL, &reply);
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

/* The child's exit status: 0 when its calls succeeded. A child that hangs is ended by its alarm. */
static int child(int grandchildren)
{
    int status = 0;
    alarm(30);
    if (!refund() || !refund()) {
        return 1;
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

    if (argc != 2 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK || !refund()) {
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
