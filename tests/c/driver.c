/* A foreign program that does what it is told, so that tests can drive the library from outside.
 *
 * Standard input: the configuration in one line, then one command a line: function, tab, JSON; or get, tab, pointer,
 * which asks the last reply; or answer, tab, endpoint, for the typed fields of the last reply's response; or close, tab,
 * which frees the client; or client, tab, JSON, which makes another one with that configuration; or timeout, tab, number: the
 * limit in ms of all calls that follow, 0 for the client's own, which prints nothing; or key, tab, text: the idempotency key of
 * the next call, which prints nothing.
 * Standard output: one line a call: status, outcome, state, HTTP status, attempts, retry-after, code, message, body,
 * separated by tabs; or = and what get found, or - for NULL; or closed. answer prints a JSON object from the pointer of each
 * typed field, of at most five elements of a list, to a text, null (absent) or false (unreadable) in other languages. C has no
 * typed answers, so this program prints what stands there: the type, and the text or the number of elements.
 * typed_members.inc is written by the tests from the tables. It is a careful caller: what it was told is wiped when it has been
 * used.
 */
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

/* A field of a response; the fields within it are the lines that follow. */
struct member { const char *name; int is_list; size_t within; };
struct answer { const char *name; const struct member *members; size_t count; };

#include "typed_members.inc"

static paysvc_reply *last;
static int timeout_ms;
static char key[300];

/* What standard output has gathered; wiped when it has been written. */
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

static void print_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            printf("\\%c", *text);
        } else if ((unsigned char)*text < ' ') {
            printf("\\u%04x", (unsigned)*text);
        } else {
            putchar(*text);
        }
    }
    putchar('"');
}

/* Prints what stands at the pointer; returns the number of elements of an array. */
static size_t print_entry(const char *pointer)
{
    static const char *const names[] = {"ABSENT", "NULL", "BOOL", "NUMBER", "STRING", "ARRAY", "OBJECT"};
    int type = paysvc_reply_type(last, pointer);
    const char *text = paysvc_reply_get(last, pointer);
    size_t count = paysvc_reply_count(last, pointer);
    print_text(pointer);
    printf(":[\"%s\"", names[type]);
    if (type == PAYSVC_JSON_BOOL || type == PAYSVC_JSON_NUMBER || type == PAYSVC_JSON_STRING) {
        putchar(',');
        print_text(text);
    } else if (type == PAYSVC_JSON_ARRAY) {
        printf(",%lu", (unsigned long)count);
    }
    putchar(']');
    if ((text == NULL) != (type == PAYSVC_JSON_ABSENT || type == PAYSVC_JSON_NULL) ||
        (count != 0 && type != PAYSVC_JSON_ARRAY && type != PAYSVC_JSON_OBJECT)) {
        fprintf(stderr, "driver: type, text and count at %s disagree\n", pointer);
        exit(3);
    }
    return type == PAYSVC_JSON_ARRAY ? count : 0;
}

static void print_members(const char *within, const struct member *member, size_t lines)
{
    const struct member *end = member + lines;
    char pointer[1024];
    for (; member != end; member += 1 + member->within) {
        size_t elements, i;
        putchar(',');
        sprintf(pointer, "%.500s/%.100s", within, member->name);
        elements = print_entry(pointer);
        if (!member->is_list) {
            print_members(pointer, member + 1, member->within);
            continue;
        }
        for (i = 0; i < elements && i < 5; i++) {
            putchar(',');
            sprintf(pointer, "%.500s/%.100s/%lu", within, member->name, (unsigned long)i);
            print_entry(pointer);
            print_members(pointer, member + 1, member->within);
        }
    }
}

static void print_answer(const char *endpoint)
{
    const struct answer *answer = answers;
    while (answer->name != NULL && strcmp(answer->name, endpoint) != 0) {
        answer++;
    }
    if (answer->name == NULL) {
        fprintf(stderr, "driver: no response of %s\n", endpoint);
        exit(2);
    }
    putchar('{');
    print_entry("");
    print_members("", answer->members, answer->count);
    printf("}\n");
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
    if (strcmp(text, "answer") == 0) {
        print_answer(json);
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
