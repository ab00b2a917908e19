/* Calls under a resolver that hangs (resolver.c). argv[1] is the port of a service that answers. */
#define _GNU_SOURCE
#include "check.h"
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The library's own bound. */
#define MOST 8
#define CALLS 24

static const char *port;
static int *answers, *asked;

struct one {
    const char *name;
    int number, limit_ms;
    paysvc_call *call;
    paysvc_status status;
    paysvc_outcome outcome;
    double ms;
    char message[200];
    pthread_t thread;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1000 + (double)time.tv_nsec / 1e6;
}

static void pause_ms(long ms)
{
    struct timespec time;
    time.tv_sec = ms / 1000;
    time.tv_nsec = ms % 1000 * 1000000;
    nanosleep(&time, NULL);
}

/* Threads of the library that look a name up. */
static int look_ups(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;
    while ((entry = readdir(tasks)) != NULL) {
        char path[300], name[32] = "";
        FILE *file;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "r");
        if (file != NULL) {
            count += fgets(name, sizeof name, file) != NULL && strcmp(name, "paysvc-lookup\n") == 0;
            fclose(file);
        }
    }
    closedir(tasks);
    return count;
}

static void *run(void *argument)
{
    struct one *one = (struct one *)argument;
    paysvc_client *client;
    paysvc_reply *reply;
    char config[300];
    double begun;
    snprintf(config, sizeof config,
             "{\"base_url\":\"http://%s-%d.test:%s\",\"allow_http\":true,\"secret_key\":\"s\",\"max_attempts\":1}",
             one->name, one->number, port);
    if (paysvc_client_new(config, &client, &reply) != PAYSVC_OK) {
        fprintf(stderr, "%s\n", paysvc_reply_message(reply));
        exit(3);
    }
    paysvc_reply_free(reply);
    paysvc_call_set_timeout_ms(one->call, one->limit_ms);
    begun = now();
    paysvc_order_refund(client, "{\"reference\":\"R\"}", one->call, &reply);
    one->ms = now() - begun;
    one->status = paysvc_reply_status(reply);
    one->outcome = paysvc_reply_outcome(reply);
    snprintf(one->message, sizeof one->message, "%s", paysvc_reply_message(reply));
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    return NULL;
}

static void start(struct one *one, const char *name, int number, int limit_ms)
{
    memset(one, 0, sizeof *one);
    one->name = name;
    one->number = number;
    one->limit_ms = limit_ms;
    one->call = paysvc_call_new();
    if (pthread_create(&one->thread, NULL, run, one) != 0) {
        exit(3);
    }
}

static void end(struct one *one, paysvc_status status, paysvc_outcome outcome)
{
    pthread_join(one->thread, NULL);
    paysvc_call_free(one->call);
    if (one->status != status || one->outcome != outcome) {
        fprintf(stderr, "%s-%d: %s %s: %s\n", one->name, one->number, paysvc_status_name(one->status),
                paysvc_outcome_name(one->outcome), one->message);
        failures++;
    }
}

int main(int argc, char **argv)
{
    static struct one all[CALLS], more;
    int i, waited = 0, status = 0;
    paysvc_client *client;
    paysvc_call *cancelled = paysvc_call_new();
    pid_t child;
    (void)argc;
    port = argv[1];
    answers = (int *)dlsym(RTLD_DEFAULT, "resolver_answers");
    asked = (int *)dlsym(RTLD_DEFAULT, "resolver_asked");

    /* A call that was cancelled before it began looks nothing up, but a check has still looked at the configuration. */
    paysvc_call_cancel(cancelled);
    CHECK(paysvc_client_new("{\"base_url\":\"http://hang.test\",\"allow_http\":true}", &client, NULL) == PAYSVC_OK);
    CHECK(paysvc_client_check(client, cancelled, NULL) == PAYSVC_E_CONFIG);
    paysvc_call_free(cancelled);
    paysvc_client_free(client);
    pause_ms(100);
    CHECK(*asked == 0);

    /* Names by the dozen: threads for some, the others wait for one of them. All end in time, with nothing sent. */
    for (i = 0; i < CALLS; i++) {
        start(&all[i], "hang", i, 700);
    }
    for (i = 0; i < 1000 && look_ups() < MOST; i++) {
        pause_ms(10);
    }
    CHECK(look_ups() == MOST);
    for (i = 0; i < CALLS; i++) {
        end(&all[i], PAYSVC_E_TIMEOUT, PAYSVC_OUTCOME_NOT_SENT);
        CHECK(all[i].ms < 5000);
        waited += strstr(all[i].message, "other lookups have not ended") != NULL;
    }
    CHECK(waited == CALLS - MOST);
    CHECK(look_ups() == MOST && *asked == MOST);

    /* A call that waits for a thread notices its cancel. */
    start(&more, "hang", 100, 30000);
    pause_ms(100);
    paysvc_call_cancel(more.call);
    end(&more, PAYSVC_E_CANCELLED, PAYSVC_OUTCOME_NOT_SENT);
    CHECK(more.ms < 5000);

    /* A child has threads of its own for lookups: it does not wait for its parent's. */
    child = fork();
    if (child == 0) {
        failures = 0;
        start(&more, "quick", 0, 30000);
        end(&more, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
        start(&more, "hang", 0, 200);
        end(&more, PAYSVC_E_TIMEOUT, PAYSVC_OUTCOME_NOT_SENT);
        CHECK(look_ups() == 1);
        _exit(failures != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);

    /* The resolver works again: so do the calls, those that wait for a thread included. */
    start(&more, "quick", 1, 30000);
    pause_ms(100);
    __atomic_store_n(answers, 1, __ATOMIC_SEQ_CST);
    end(&more, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    for (i = 0; i < 500 && look_ups() > 0; i++) {
        pause_ms(10);
    }
    CHECK(look_ups() == 0);

    /* One name: one lookup. */
    __atomic_store_n(answers, 0, __ATOMIC_SEQ_CST);
    *asked = 0;
    for (i = 0; i < CALLS; i++) {
        start(&all[i], "hang", 1, 30000);
    }
    pause_ms(500);
    /* A call that came very late, on a very slow machine, asks again. */
    CHECK(*asked >= 1 && *asked <= 3);
    __atomic_store_n(answers, 1, __ATOMIC_SEQ_CST);
    for (i = 0; i < CALLS; i++) {
        end(&all[i], PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    }
    CHECK(*asked <= 3);
    return finished("look_up");
}
