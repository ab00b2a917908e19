/* Makes one call in a process of its own for each n: its n-th large allocation fails (failing_malloc.c).
 *
 *   out_of_memory CONFIG FUNCTION REQUEST FIRST STEP full|once
 *
 * In REQUEST, %d is n. Prints a line for each: n, how many allocations there were, status, outcome, and the outcome of
 * each recipient of a report as a letter; or "n aborted". Ends after the first n that is more than all allocations.
 */
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

typedef paysvc_status (*network_fn)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);

static void (*fails)(long, int);
static long (*counted)(void);

/* The request of this n. */
static char *request_of(const char *text, long n)
{
    char number[32], *out = malloc(strlen(text) * 3 + 32), *to = out;
    int digits = sprintf(number, "%ld", n);
    while (*text != '\0') {
        if (strncmp(text, "%d", 2) == 0) {
            memcpy(to, number, (size_t)digits);
            to += digits;
            text += 2;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    return out;
}

static void letters(const char *body)
{
    const char *at = strstr(body, "\"payouts\":[");
    while (at != NULL && (at = strstr(at, "\"outcome\":\"")) != NULL) {
        at += 11;
        putchar(*at);
    }
}

/* Everything that reads a reply. */
static void read_reply(const paysvc_reply *reply)
{
    char pointer[64];
    size_t i;
    for (i = 0; i < 400; i++) {
        sprintf(pointer, "/payouts/%lu/clientReference", (unsigned long)i);
        paysvc_reply_get(reply, pointer);
    }
    paysvc_reply_type(reply, "/payouts");
    paysvc_reply_count(reply, "/payouts");
    paysvc_reply_name(reply, "", 1);
    paysvc_reply_call_id(reply);
    paysvc_reply_code(reply);
}

/* Either the whole text or none. */
static int build(void)
{
    paysvc_json *json = paysvc_json_new();
    char pointer[64];
    int i, made;
    for (i = 0; i < 400; i++) {
        sprintf(pointer, "/payoutDetails/%d/description", i);
        paysvc_json_set_string(json, pointer, "a text of more than a few bytes");
    }
    made = paysvc_json_text(json) != NULL && strstr(paysvc_json_text(json), "a text") != NULL;
    if (!made && strlen(paysvc_json_error(json)) == 0) {
        exit(4);
    }
    paysvc_json_free(json);
    return made;
}

static void trial(const char *config, const char *function, const char *request, long n, int full)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_status status = PAYSVC_OK;
    char name[64], *json = request_of(request, n);
    network_fn call;
    sprintf(name, "paysvc_%s", strcmp(function, "read_reply") == 0 ? "payout_bulk" : function);
    call = (network_fn)dlsym(RTLD_DEFAULT, name);
    if (strcmp(function, "client_new") == 0) {
        fails(n, full);
        status = paysvc_client_new(config, &client, &reply);
    } else if (strcmp(function, "json") == 0) {
        fails(n, full);
        status = build() ? PAYSVC_OK : PAYSVC_E_ARGUMENT;
    } else {
        if (paysvc_client_new(config, &client, NULL) != PAYSVC_OK || (call == NULL && strcmp(function, "encrypt") != 0)) {
            exit(5);
        }
        if (strcmp(function, "read_reply") == 0) {
            status = call(client, json, NULL, &reply);
            fails(n, full);
            read_reply(reply);
        } else {
            fails(n, full);
            status = strcmp(function, "encrypt") == 0 ? paysvc_encrypt(client, json, &reply) : call(client, json, NULL, &reply);
        }
    }
    printf("%ld %ld %s %s ", n, counted(), paysvc_status_name(status),
           reply == NULL ? "-" : paysvc_outcome_name(paysvc_reply_outcome(reply)));
    letters(paysvc_reply_body(reply));
    printf(" %.100s\n", paysvc_reply_message(reply));
    fflush(stdout);
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    _exit(0);
}

int main(int argc, char **argv)
{
    long n, step;
    fails = (void (*)(long, int))dlsym(RTLD_DEFAULT, "malloc_fails");
    counted = (long (*)(void))dlsym(RTLD_DEFAULT, "malloc_counted");
    if (argc != 7 || fails == NULL || counted == NULL) {
        return 3;
    }
    step = atol(argv[5]);
    for (n = atol(argv[4]);; n += step) {
        int status, pipes[2];
        char line[65536];
        size_t size = 0;
        ssize_t count;
        pid_t child;
        long was = 0;
        if (pipe(pipes) != 0) {
            return 3;
        }
        child = fork();
        if (child == 0) {
            dup2(pipes[1], 1);
            trial(argv[1], argv[2], argv[3], n, strcmp(argv[6], "full") == 0);
        }
        close(pipes[1]);
        while ((count = read(pipes[0], line + size, sizeof line - 1 - size)) > 0) {
            size += (size_t)count;
        }
        close(pipes[0]);
        line[size] = '\0';
        if (waitpid(child, &status, 0) != child) {
            return 3;
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            printf("%ld aborted %d\n", n, status);
        } else {
            fputs(line, stdout);
            if (sscanf(line, "%*d %ld", &was) != 1) {
                return 3;
            }
            if (was < n) {
                break;
            }
        }
        fflush(stdout);
    }
    return 0;
}
