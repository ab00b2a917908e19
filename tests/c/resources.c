/* A resource that a process lacks: argv[1] names it, argv[2] is the configuration. Prints the replies, one line each, for
 * a test to read: status, outcome, message; each line starts with what was tried. */
#define _GNU_SOURCE
#include "check.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const char refund[] = "{\"reference\":\"R\"}";
static paysvc_client *client;
/* Where the program writes: standard output may be closed. */
static FILE *out;

static void tell(const char *what, const paysvc_reply *reply)
{
    fprintf(out, "%s: %s %s: %s\n", what, paysvc_status_name(paysvc_reply_status(reply)),
            paysvc_outcome_name(paysvc_reply_outcome(reply)), paysvc_reply_message(reply));
}

static void make(const char *what, const char *config)
{
    paysvc_reply *reply = NULL;
    paysvc_client_new(config, &client, &reply);
    tell(what, reply);
    paysvc_reply_free(reply);
}

static void call(const char *what, const char *json)
{
    paysvc_reply *reply = NULL;
    paysvc_order_refund(client, json, NULL, &reply);
    tell(what, reply);
    paysvc_reply_free(reply);
}

static void limit(int resource, rlim_t most)
{
    struct rlimit now;
    getrlimit(resource, &now);
    now.rlim_cur = most < now.rlim_max ? most : now.rlim_max;
    if (setrlimit(resource, &now) != 0) {
        perror("setrlimit");
        exit(3);
    }
}

static int threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;
    while ((entry = readdir(tasks)) != NULL) {
        count += entry->d_name[0] != '.';
    }
    closedir(tasks);
    return count;
}

static void PAYSVC_CALLBACK on_log(void *most, int level, const char *message)
{
    int count = threads();
    (void)level;
    (void)message;
    *(int *)most = count > *(int *)most ? count : *(int *)most;
}

/* Every descriptor but those in use is refused, and then given back. */
static void descriptors(const char *config)
{
    struct rlimit before;
    int next;
    make("new", config);
    getrlimit(RLIMIT_NOFILE, &before);
    next = dup(0);
    close(next);
    limit(RLIMIT_NOFILE, (rlim_t)next);
    call("without", refund);
    call("without, again", refund);
    limit(RLIMIT_NOFILE, before.rlim_cur);
    call("with", refund);
    limit(RLIMIT_NOFILE, (rlim_t)next);
    call("on the kept connection", refund);
    paysvc_client_free(client);
    make("new without", config);
    paysvc_client_free(client);
    limit(RLIMIT_NOFILE, before.rlim_cur);
    make("new with", config);
    call("at last", refund);
    paysvc_client_free(client);
}

/* Address space for what is in use and this many MB more. */
static void leave(long mb)
{
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL || fscanf(statm, "%ld", &pages) != 1) {
        exit(3);
    }
    fclose(statm);
    limit(RLIMIT_AS, (rlim_t)(pages * sysconf(_SC_PAGESIZE) + mb * 1024 * 1024));
}

static void memory(const char *config)
{
    static const char *kinds[] = {"sized", "chunked", "members", "items", "escaped", "named", "nested", "refused"};
    static const long left[] = {2, 48, 256};
    char json[100], what[100];
    char *large = (char *)malloc(9 * 1024 * 1024 + 100);
    size_t i, j;
    make("new", config);
    call("small", refund);
    strcpy(large, "{\"reference\":\"");
    memset(large + 14, 'R', 9 * 1024 * 1024);
    strcpy(large + 14 + 9 * 1024 * 1024, "\"}");
    for (i = 0; i < sizeof left / sizeof left[0]; i++) {
        leave(left[i]);
        for (j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
            paysvc_reply *reply = NULL;
            sprintf(json, "{\"reference\":\"%s\"}", kinds[j]);
            sprintf(what, "%s %ld", kinds[j], left[i]);
            paysvc_order_refund(client, json, NULL, &reply);
            tell(what, reply);
            /* These too must not end the process. */
            paysvc_reply_get(reply, "/data");
            paysvc_reply_get(reply, "");
            paysvc_reply_free(reply);
        }
        sprintf(what, "request %ld", left[i]);
        call(what, large);
        sprintf(what, "small %ld", left[i]);
        call(what, refund);
        limit(RLIMIT_AS, RLIM_INFINITY);
    }
    free(large);
    paysvc_client_free(client);
}

/* Requests under construction, which also must not end the process. */
static void built(const char *config)
{
    static const char *kinds[] = {"[\"twelve\"", "[{}", "[[{\"a\":{}}]", "{\"0000000\":[0]"};
    static const long left[] = {2, 48, 600};
    enum { LARGE = 9 * 1024 * 1024, SMALL = 1000, VALUES = 150000 };
    char *large = (char *)malloc(LARGE + 1), small[SMALL + 1];
    size_t i, j, k;
    (void)config;
    memset(small, 'x', SMALL);
    small[SMALL] = '\0';
    for (i = 0; i < sizeof left / sizeof left[0]; i++) {
        for (j = 0; j <= sizeof kinds / sizeof kinds[0] + 1; j++) {
            paysvc_json *request;
            paysvc_status status = PAYSVC_OK;
            char *end = large;
            if (j < sizeof kinds / sizeof kinds[0]) {
                /* The first element or member many times. */
                *end++ = kinds[j][0];
                for (k = 0; k < VALUES; k++) {
                    end += sprintf(end, "%s%s", k > 0 ? "," : "", kinds[j] + 1);
                    if (kinds[j][0] == '{') {
                        /* {"a":[0] becomes "a":[0], with another name each time. */
                        sprintf(small, "%07lu", (unsigned long)k);
                        memcpy(end - strlen("0000000\":[0]"), small, 7);
                    }
                }
                *end++ = kinds[j][0] == '{' ? '}' : ']';
                memset(small, 'x', SMALL);
            } else {
                memset(large, 'x', LARGE);
                end += LARGE;
            }
            *end = '\0';
            request = paysvc_json_new();
            leave(left[i]);
            if (j < sizeof kinds / sizeof kinds[0]) {
                status = paysvc_json_set_json(request, "/a", large);
            } else if (j == sizeof kinds / sizeof kinds[0]) {
                status = paysvc_json_set_string(request, "/a", large);
            } else {
                for (k = 0; k < 9000 && status == PAYSVC_OK; k++) {
                    status = paysvc_json_set_string(request, "/a/-", small);
                }
            }
            fprintf(out, "%lu %ld: %s %s %s\n", (unsigned long)j, left[i], paysvc_status_name(status),
                    paysvc_json_text(request) != NULL ? "text" : "NULL", paysvc_json_error(request));
            paysvc_json_free(request);
            request = paysvc_json_new();
            paysvc_json_set_string(request, "/reference", "R");
            CHECK(paysvc_json_text(request) != NULL);
            paysvc_json_free(request);
            limit(RLIMIT_AS, RLIM_INFINITY);
        }
    }
    free(large);
}

/* The standard descriptors are closed, and the program prints all the same. */
static void closed(const char *config)
{
    int i;
    for (i = 0; i < 3; i++) {
        close(i);
    }
    make("new", config);
    for (i = 0; i < 3; i++) {
        call("call", refund);
        printf("printed by the program\n");
        fflush(stdout);
        fprintf(stderr, "printed by the program\n");
    }
    for (i = 0; i < 3; i++) {
        fprintf(out, "descriptor %d is %s\n", i, fcntl(i, F_GETFD) < 0 && errno == EBADF ? "closed" : "OPEN");
    }
    paysvc_client_free(client);
}

static void become_nobody(void)
{
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) {
        perror("setuid");
        exit(3);
    }
}

/* No thread may be made. */
static void no_threads(const char *config)
{
    struct rlimit before;
    int most = 0;
    make("new", config);
    CHECK(paysvc_client_set_log(client, 4, on_log, &most) == PAYSVC_OK);
    become_nobody();
    getrlimit(RLIMIT_NPROC, &before);
    limit(RLIMIT_NPROC, 0);
    call("without", refund);
    limit(RLIMIT_NPROC, before.rlim_cur);
    call("with", refund);
    limit(RLIMIT_NPROC, 0);
    call("on the kept connection", refund);
    fprintf(out, "threads: %d\n", most);
    paysvc_client_free(client);
}

/* As a user who may read only files that everybody may read. */
static void nobody(const char *config)
{
    become_nobody();
    make("new", config);
    paysvc_client_free(client);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(const char *); } all[] = {
        {"descriptors", descriptors}, {"memory", memory}, {"built", built}, {"closed", closed}, {"threads", no_threads}, {"nobody", nobody}
    };
    size_t i;
    signal(SIGPIPE, SIG_DFL);
    out = fdopen(dup2(1, 20), "w");
    for (i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (argc == 3 && strcmp(argv[1], all[i].name) == 0) {
            all[i].run(argv[2]);
            fclose(out);
            return failures != 0;
        }
    }
    return 2;
}
