/* Cancels from a signal handler on the very thread that calls, and from another thread at the same time, with fresh
 * tokens: argv[1] is the configuration, argv[2] how many calls, argv[3] the seed. Every call ends with its response or as
 * cancelled, errno stays, and no descriptor of anybody else's is shut down. A deadlock is ended by the alarm. */
#define _GNU_SOURCE
#include <errno.h>
#include <paysvc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MARK = 4711 };

#define GET(variable) __atomic_load_n(&(variable), __ATOMIC_SEQ_CST)
#define SET(variable, value) __atomic_store_n(&(variable), value, __ATOMIC_SEQ_CST)

/* The token in use by the thread that calls. The mutex keeps the other thread from one that has been freed; the handler
 * runs on the thread that frees. */
static paysvc_call *token;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_t caller;
static int stop, pairs, foreign;
static volatile sig_atomic_t errno_changed, struck;

static void strike(int number)
{
    int before = errno;
    paysvc_call *call = GET(token);
    (void)number;
    if (call != NULL) {
        errno = MARK;
        paysvc_call_cancel(call);
        errno_changed += errno != MARK;
        struck++;
    }
    errno = before;
}

static unsigned next(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

static void wait_us(unsigned us)
{
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = (long)us * 1000;
    nanosleep(&time, NULL);
}

static void *storm(void *seed)
{
    unsigned state = *(unsigned *)seed;
    while (!GET(stop)) {
        wait_us(next(&state) % 6000);
        if (next(&state) % 4 != 0) {
            pthread_kill(caller, SIGUSR1);
            continue;
        }
        pthread_mutex_lock(&guard);
        if (GET(token) != NULL) {
            paysvc_call_cancel(GET(token));
        }
        pthread_mutex_unlock(&guard);
    }
    return NULL;
}

/* Takes the numbers of descriptors that the library has just closed, and looks whether they stay open. */
static void *others(void *unused)
{
    (void)unused;
    while (!GET(stop)) {
        int pair[2];
        char byte = 'x';
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
            continue;
        }
        wait_us(50);
        foreign += send(pair[0], &byte, 1, MSG_NOSIGNAL) != 1 || recv(pair[1], &byte, 1, 0) != 1;
        foreign += send(pair[1], &byte, 1, MSG_NOSIGNAL) != 1 || recv(pair[0], &byte, 1, 0) != 1;
        close(pair[0]);
        close(pair[1]);
        pairs++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *const requests[] = {
        "{\"reference\":\"answered\"}", "{\"reference\":\"stalled\"}", "{\"reference\":\"busy\"}"
    };
    struct sigaction action;
    pthread_t threads[3];
    paysvc_client *client = NULL;
    int i, calls, answered = 0, cancelled = 0, wrong = 0;
    unsigned seeds[2], state;

    if (argc != 4 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    calls = atoi(argv[2]);
    state = seeds[0] = (unsigned)atoi(argv[3]);
    seeds[1] = seeds[0] + 1;
    caller = pthread_self();
    memset(&action, 0, sizeof action);
    action.sa_handler = strike;
    sigaction(SIGUSR1, &action, NULL);
    alarm(120);
    pthread_create(&threads[0], NULL, storm, &seeds[0]);
    pthread_create(&threads[1], NULL, storm, &seeds[1]);
    pthread_create(&threads[2], NULL, others, NULL);
    for (i = 0; i < calls; i++) {
        paysvc_call *call = paysvc_call_new();
        paysvc_reply *reply = NULL;
        paysvc_status status;
        /* Most are answered, because attaching and detaching is where a handler strikes worst. */
        unsigned choice = next(&state) % 8;
        /* Some are left alone, and must be answered however slow the machine is. */
        int left_alone = i % 16 == 0;
        const char *request = requests[choice < 6 || left_alone ? 0 : choice - 5];
        SET(token, left_alone ? NULL : call);
        status = paysvc_order_refund(client, request, call, &reply);
        pthread_mutex_lock(&guard);
        SET(token, NULL);
        pthread_mutex_unlock(&guard);
        answered += status == PAYSVC_OK;
        cancelled += status == PAYSVC_E_CANCELLED;
        if (status != PAYSVC_OK && (left_alone || status != PAYSVC_E_CANCELLED)) {
            fprintf(stderr, "call %d, %s: %s\n", i, request, paysvc_reply_message(reply));
            wrong++;
        }
        paysvc_reply_free(reply);
        paysvc_call_free(call);
    }
    SET(stop, 1);
    for (i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    paysvc_client_free(client);
    printf("%d answered, %d cancelled, %d wrong; %d cancels in the handler, errno changed by %d; "
           "%d pairs of sockets, %d shut down\n",
           answered, cancelled, wrong, (int)struck, (int)errno_changed, pairs, foreign);
    return wrong || errno_changed || foreign || !answered || !cancelled || !struck || !pairs;
}
