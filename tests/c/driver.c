/* A foreign program that runs commands, so that tests can drive the library from outside.
 *
 * Standard input: the configuration in one line, then one command a line: function, tab, JSON; or get, tab, pointer,
 * which asks the last reply; or close, tab, which frees the client; or client, tab, JSON, which makes another one with that
 * configuration; or timeout, tab, number: the limit in ms of all calls that follow, 0 for the client's own, which prints
 * nothing; or key, tab, text: the idempotency key of the next call, which prints nothing.
 * Standard output: one line a call: status, outcome, state, HTTP status, attempts, retry-after, code, message, body,
 * separated by tabs; or = and what get found, or - for NULL; or closed.
 * It is a careful caller: it wipes its input once used.
 */
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static paysvc_reply *last;
static int timeout_ms;
static char key[300];

/* Gathered standard output; wiped when it has been written. */
static char gathered[1 << 16];

static void print(paysvc_status status, paysvc_reply *reply)
{
    paysvc_reply_free(last);
    last = reply;
    if (status != paysvc_reply_status(reply) || strlen(paysvc_reply_body(reply)) != paysvc_reply_body_len(reply)) {
        fprintf(stderr, "driver: status or length of the reply disagree\n");
        exit(3);
    }
    printf("%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", paysvc_status_name(status), paysvc_outcome_name(paysvc_reply_outcome(reply)),
           paysvc_reply_state(reply), paysvc_reply_http_status(reply), paysvc_reply_attempts(reply),
           paysvc_reply_retry_after_ms(reply), paysvc_reply_code(reply), paysvc_reply_message(reply),
           paysvc_reply_body(reply));
}

static void PAYSVC_CALLBACK log_line(void *userdata, int level, const char *message)
{
    fprintf((FILE *)userdata, "log %d %s\n", level, message);
}

static void wipe(volatile char *text, size_t size)
{
    while (size-- > 0) {
        *text++ = 0;
    }
}

/* One line without its end; NULL at the end of the input. Give it to done(). */
static char *line(void)
{
    size_t size = 1 << 16, length = 0;
    char *text = (char *)malloc(size), *larger;
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (length + 1 == size) {
            larger = (char *)malloc(size * 2);
            memcpy(larger, text, size);
            wipe(text, size);
            free(text);
            text = larger;
            size *= 2;
        }
        text[length++] = (char)c;
    }
    if (c == EOF && length == 0) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

/* The command's name before the JSON may have been cut off with a NUL: the size is the line's. */
static void done(char *text, size_t length)
{
    wipe(text, length);
    free(text);
}

static void run(const paysvc_client *client, char *text)
{
    paysvc_reply *reply = NULL;
    paysvc_call *call;
    paysvc_status status;
    char *json = strchr(text, '\t');
    if (json == NULL) {
        fprintf(stderr, "driver: no tab in %s\n", text);
        exit(2);
    }
    *json++ = '\0';
    if (strcmp(text, "get") == 0) {
        const char *found = paysvc_reply_get(last, json);
        printf("%s%s\n", found == NULL ? "-" : "=", found == NULL ? "" : found);
        return;
    }
    call = timeout_ms > 0 || key[0] != '\0' ? paysvc_call_new() : NULL;
    if (timeout_ms > 0) {
        paysvc_call_set_timeout_ms(call, timeout_ms);
    }
    if (key[0] != '\0') {
        paysvc_call_set_key(call, key);
        key[0] = '\0';
    }
    status = paysvc_invoke(client, text, json, call, &reply);
    paysvc_call_free(call);
    print(status, reply);
}

static paysvc_status create(const char *config, paysvc_client **client)
{
    paysvc_reply *reply = NULL;
    paysvc_status status = paysvc_client_new(config, client, &reply);
    print(status, reply);
    if (status == PAYSVC_OK) {
        paysvc_client_set_log(*client, 4, log_line, stderr);
    }
    return status;
}

static void flushed(void)
{
    fflush(stdout);
    wipe(gathered, sizeof gathered);
}

int main(void)
{
    paysvc_client *client = NULL;
    char *text;
    size_t length;
    paysvc_status status;
#ifdef _WIN32
    /* A line ends with its newline alone, as everywhere else. */
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    setvbuf(stdin, NULL, _IONBF, 0); /* A buffer would keep what it has read. */
    setvbuf(stdout, gathered, _IOFBF, sizeof gathered);
    text = line();
    status = create(text, &client);
    done(text, strlen(text));
    flushed();
    if (status != PAYSVC_OK) {
        paysvc_reply_free(last);
        return client == NULL ? 0 : 3;
    }
    while ((text = line()) != NULL) {
        length = strlen(text);
        if (strcmp(text, "close\t") == 0) {
            paysvc_reply_free(last);
            paysvc_client_free(client);
            last = NULL;
            client = NULL;
            printf("closed\n");
        } else if (strncmp(text, "client\t", 7) == 0) {
            paysvc_client_free(client);
            client = NULL;
            create(text + 7, &client);
        } else if (strncmp(text, "timeout\t", 8) == 0) {
            timeout_ms = atoi(text + 8);
        } else if (strncmp(text, "key\t", 4) == 0) {
            sprintf(key, "%.299s", text + 4);
        } else {
            run(client, text);
        }
        flushed();
        done(text, length);
    }
    paysvc_reply_free(last);
    paysvc_client_free(client);
    return 0;
}
