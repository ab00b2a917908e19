/* Children forked while other threads are in the middle of everything that takes a lock or randomness: encryption, the
 * log, the limits of webhooks, the journal, and threads that come and go. argv[1] is the configuration, argv[2] the
 * number of children, which argv[3] threads fork at once: they verify, encrypt, log, read the journal if there is one, and
 * end, half of them with exit(), which runs what libraries do at their end. One that hangs is ended by its alarm. */
#define _GNU_SOURCE
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, MOST_FORKING = 16 };

static paysvc_client *client;
static int stop, children, made, hung, failed;
/* The status that journal_next returns. */
static paysvc_status expected;

static void PAYSVC_CALLBACK log_line(void *userdata, int level, const char *message)
{
    (void)userdata;
    (void)level;
    (void)message;
}

/* Its look-up is refused, unless too many are under way. */
static int is_verified(void)
{
    paysvc_status status = paysvc_webhook_verify(client, "{\"body\":{\"sessionId\":\"..\"}}", NULL, NULL);
    return status == PAYSVC_E_ARGUMENT || status == PAYSVC_E_RATE_LIMITED;
}

/* The second call is refused, and logged. */
static int good(void)
{
    char key[64] = "";
    return is_verified() && paysvc_encrypt(client, "{\"reference\":\"R\"}", NULL) == PAYSVC_OK &&
           paysvc_order_refund(client, "[]", NULL, NULL) == PAYSVC_E_ARGUMENT &&
           paysvc_journal_next(client, key, sizeof key, NULL, NULL) == expected;
}

static void *busy(void *bad)
{
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
        *(int *)bad |= !good() || paysvc_client_set_log(client, 4, log_line, NULL) != PAYSVC_OK;
    }
    return NULL;
}

static void *brief(void *bad)
{
    *(int *)bad |= !good();
    return NULL;
}

static void *come_and_go(void *bad)
{
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, brief, bad) != 0 || pthread_join(thread, NULL) != 0) {
            *(int *)bad = 1;
        }
    }
    return NULL;
}

/* One that hangs takes its whole alarm, so a few are enough. */
static void *fork_children(void *unused)
{
    int number;
    while ((number = __atomic_fetch_add(&made, 1, __ATOMIC_SEQ_CST)) < children &&
           __atomic_load_n(&failed, __ATOMIC_SEQ_CST) <= 2) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0) {
            int ok;
            alarm(10);
            ok = good();
            if (number % 2 == 0) {
                exit(!ok);
            }
            _exit(!ok);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            __atomic_fetch_add(&hung, pid > 0 && WIFSIGNALED(status), __ATOMIC_SEQ_CST);
            __atomic_fetch_add(&failed, 1, __ATOMIC_SEQ_CST);
        }
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS], forking[MOST_FORKING];
    int bad[THREADS] = {0};
    int i, count;

    if (argc != 4 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    paysvc_client_set_log(client, 4, log_line, NULL);
    expected = strstr(argv[1], "\"journal\"") == NULL ? PAYSVC_E_CONFIG : PAYSVC_OK;
    children = atoi(argv[2]);
    count = atoi(argv[3]);
    for (i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, i < 2 ? come_and_go : busy, &bad[i]);
    }
    for (i = 0; i < count; i++) {
        pthread_create(&forking[i], NULL, fork_children, NULL);
    }
    for (i = 0; i < count; i++) {
        pthread_join(forking[i], NULL);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        failed += bad[i];
    }
    paysvc_client_free(client);
    printf("%d children, %d hung, %d failures\n", made, hung, failed);
    return failed != 0;
}
