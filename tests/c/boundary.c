/* The boundary from C: NULL in every argument, text that is not UTF-8, and ownership. Needs no service. */
#include <errno.h>
#include <paysvc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK 4711

static int failures;

#define CHECK(condition) \
    do { if (!(condition)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); failures++; } } while (0)

typedef paysvc_status (*function)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);

static const struct { const char *name; function call; } functions[] = {
#include "functions.inc"
    {"request", paysvc_request}
};

static const char free_request[] = "{\"method\":\"GET\",\"path\":\"/x\",\"key\":\"public\"}";
static const char config[] = "{\"base_url\":\"http://127.0.0.1:1\",\"public_key\":\"p\",\"secret_key\":\"s\"}";

/* What paysvc_reply_read() says is what the functions say. */
static void the_same(const paysvc_reply *reply)
{
    struct { paysvc_reply_view known; char more[8]; } view;
    const char *why_not;

    memset(&view, 'x', sizeof view);
    paysvc_reply_read(reply, &view.known, sizeof view);
    CHECK(view.known.status == paysvc_reply_status(reply));
    CHECK(view.known.outcome == paysvc_reply_outcome(reply));
    CHECK(view.known.state == paysvc_reply_state(reply));
    CHECK(view.known.http_status == paysvc_reply_http_status(reply));
    CHECK(view.known.attempts == paysvc_reply_attempts(reply));
    CHECK(view.known.retry_after_ms == paysvc_reply_retry_after_ms(reply));
    CHECK(view.known.replayed == paysvc_reply_replayed(reply));
    CHECK(view.known.is_active == paysvc_reply_is_active(reply));
    CHECK(view.known.body == paysvc_reply_body(reply));
    CHECK(view.known.body_len == paysvc_reply_body_len(reply));
    CHECK(view.known.code == paysvc_reply_code(reply));
    CHECK(view.known.message == paysvc_reply_message(reply));
    CHECK(view.known.call_id == paysvc_reply_call_id(reply));
    CHECK(view.known.request_id == paysvc_reply_request_id(reply));
    paysvc_reply_is_paid(reply, "*", "*", "*", &why_not);
    CHECK(view.known.why_not == why_not);
    CHECK(memcmp(view.more, "\0\0\0\0\0\0\0", sizeof view.more) == 0);

    /* A program of a version with fewer fields. */
    memset(&view, 'x', sizeof view);
    paysvc_reply_read(reply, &view.known, offsetof(paysvc_reply_view, state));
    CHECK(view.known.outcome == paysvc_reply_outcome(reply));
    CHECK(*(const char *)&view.known.state == 'x');
    paysvc_reply_read(reply, NULL, sizeof view.known);
}

/* A refusal: NOT_SENT, a parsable body, and a message that holds the part. */
static void refused(paysvc_status status, paysvc_status expected, paysvc_reply *reply, const char *part)
{
    CHECK(status == expected);
    CHECK(reply != NULL);
    CHECK(paysvc_reply_status(reply) == expected);
    CHECK(paysvc_reply_outcome(reply) == PAYSVC_OUTCOME_NOT_SENT);
    CHECK(paysvc_reply_state(reply) == PAYSVC_STATE_NONE);
    CHECK(paysvc_reply_http_status(reply) == 0);
    the_same(reply);
    CHECK(paysvc_reply_attempts(reply) == 0);
    CHECK(paysvc_reply_retry_after_ms(reply) == -1);
    CHECK(strcmp(paysvc_reply_code(reply), "") == 0);
    CHECK(strcmp(paysvc_reply_get(reply, "/status"), "false") == 0);
    CHECK(strcmp(paysvc_reply_get(reply, "/message"), paysvc_reply_message(reply)) == 0);
    CHECK(paysvc_reply_get(reply, "/errors") != NULL);
    CHECK(strlen(paysvc_reply_body(reply)) == paysvc_reply_body_len(reply));
    if (strstr(paysvc_reply_message(reply), part) == NULL) {
        fprintf(stderr, "expected %s in: %s\n", part, paysvc_reply_message(reply));
        failures++;
    }
    paysvc_reply_free(reply);
}

static void clients(void)
{
    static const char not_utf8[] = {'{', '"', (char)0xff, '"', '}', 0};
    paysvc_client *client = (paysvc_client *)&client;
    paysvc_reply *reply = NULL;
    paysvc_status status;

    status = paysvc_client_new("{", &client, &reply);
    CHECK(client == NULL);
    refused(status, PAYSVC_E_CONFIG, reply, "is not JSON");
    status = paysvc_client_new(not_utf8, &client, &reply);
    refused(status, PAYSVC_E_ARGUMENT, reply, "not UTF-8: the byte at 2");
    status = paysvc_client_new(config, NULL, &reply);
    refused(status, PAYSVC_E_ARGUMENT, reply, "client is NULL");
    CHECK(paysvc_client_new(config, NULL, NULL) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_client_new("[]", &client, NULL) == PAYSVC_E_CONFIG);
    CHECK(client == NULL);

    status = paysvc_client_new(config, &client, &reply);
    CHECK(status == PAYSVC_OK && client != NULL);
    CHECK(paysvc_reply_status(reply) == PAYSVC_OK);
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    CHECK(paysvc_client_new(NULL, &client, NULL) == PAYSVC_OK);
    paysvc_client_free(client);
    paysvc_client_free(NULL);
}

static void calls(void)
{
    static const char not_utf8[] = {'{', (char)0xc3, '(', '}', 0};
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_call *call = paysvc_call_new();
    paysvc_status status;
    size_t i;

    CHECK(call != NULL);
    CHECK(paysvc_client_new(config, &client, NULL) == PAYSVC_OK);
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        function f = functions[i].call;
        status = f(NULL, "{}", call, &reply);
        refused(status, PAYSVC_E_ARGUMENT, reply, "client is NULL");
        status = f(client, NULL, call, &reply);
        refused(status, PAYSVC_E_ARGUMENT, reply, "request_json is NULL");
        status = f(client, not_utf8, NULL, &reply);
        refused(status, PAYSVC_E_ARGUMENT, reply, "not UTF-8: the byte at 1");
        CHECK(f(NULL, NULL, NULL, NULL) == PAYSVC_E_ARGUMENT);
        CHECK(f(client, NULL, NULL, NULL) == PAYSVC_E_ARGUMENT);
        CHECK(f(client, "{\"no such field\":1}", NULL, NULL) != PAYSVC_OK);
    }
    status = paysvc_encrypt(NULL, "{}", &reply);
    refused(status, PAYSVC_E_ARGUMENT, reply, "client is NULL");
    status = paysvc_encrypt(client, NULL, &reply);
    refused(status, PAYSVC_E_ARGUMENT, reply, "plaintext_json is NULL");
    status = paysvc_encrypt(client, "{}", &reply);
    refused(status, PAYSVC_E_CONFIG, reply, "encryption_key is not configured");
    CHECK(paysvc_encrypt(NULL, NULL, NULL) == PAYSVC_E_ARGUMENT);

    CHECK(paysvc_client_set_log(NULL, 1, NULL, NULL) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_client_set_log(client, 99, NULL, NULL) == PAYSVC_OK);

    /* A cancelled token ends a call before anything is sent. */
    paysvc_call_cancel(call);
    status = paysvc_direct_debit_history(client, "{\"emailAddress\":\"a@b\"}", call, &reply);
    refused(status, PAYSVC_E_CANCELLED, reply, "cancelled");

    paysvc_call_set_timeout_ms(NULL, 1);
    paysvc_call_cancel(NULL);
    paysvc_call_free(NULL);
    paysvc_call_free(call);
    paysvc_client_free(client);
}

static void replies(void)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    const char *first, *second;

    CHECK(paysvc_reply_status(NULL) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_reply_outcome(NULL) == PAYSVC_OUTCOME_UNKNOWN);
    CHECK(paysvc_reply_state(NULL) == PAYSVC_STATE_NONE);
    CHECK(paysvc_reply_http_status(NULL) == 0);
    CHECK(strlen(paysvc_reply_body(NULL)) == paysvc_reply_body_len(NULL));
    CHECK(paysvc_reply_get(NULL, "/a") == NULL);
    CHECK(paysvc_reply_type(NULL, "") == PAYSVC_JSON_ABSENT);
    CHECK(paysvc_reply_count(NULL, "") == 0);
    CHECK(paysvc_reply_name(NULL, "", 0) == NULL);
    CHECK(strcmp(paysvc_reply_call_id(NULL), "") == 0);
    CHECK(strcmp(paysvc_reply_request_id(NULL), "") == 0);
    CHECK(paysvc_reply_replayed(NULL) == 0);
    CHECK(paysvc_reply_is_active(NULL) == 0);
    CHECK(paysvc_reply_get_cp1252(NULL, "") == NULL);
    CHECK(strcmp(paysvc_reply_code(NULL), "") == 0);
    CHECK(strlen(paysvc_reply_message(NULL)) > 0);
    CHECK(paysvc_reply_retry_after_ms(NULL) == -1);
    CHECK(paysvc_reply_attempts(NULL) == 0);
    the_same(NULL);
    paysvc_reply_free(NULL);

    CHECK(paysvc_client_new("{\"base_ulr\":\"x\"}", &client, &reply) == PAYSVC_E_CONFIG);
    CHECK(paysvc_reply_get(reply, NULL) == NULL);
    CHECK(paysvc_reply_type(reply, NULL) == PAYSVC_JSON_ABSENT);
    CHECK(paysvc_reply_count(reply, NULL) == 0);
    CHECK(paysvc_reply_name(reply, NULL, 0) == NULL);
    CHECK(paysvc_reply_type(reply, "no slash") == PAYSVC_JSON_ABSENT);
    CHECK(paysvc_reply_type(reply, "/absent") == PAYSVC_JSON_ABSENT);
    CHECK(paysvc_reply_type(reply, "") == PAYSVC_JSON_OBJECT);
    CHECK(paysvc_reply_type(reply, "/status") == PAYSVC_JSON_BOOL);
    CHECK(paysvc_reply_type(reply, "/message") == PAYSVC_JSON_STRING);
    CHECK(paysvc_reply_count(reply, "") == 3);
    CHECK(paysvc_reply_count(reply, "/message") == 0);
    CHECK(strcmp(paysvc_reply_name(reply, "", 2), "errors") == 0);
    CHECK(paysvc_reply_name(reply, "", 2) == paysvc_reply_name(reply, "", 2));
    CHECK(paysvc_reply_name(reply, "", 3) == NULL);
    CHECK(paysvc_reply_name(reply, "", (size_t)-1) == NULL);
    CHECK(paysvc_reply_name(reply, "/message", 0) == NULL);
    CHECK(paysvc_reply_count(reply, "/errors") == 1);
    CHECK(strcmp(paysvc_reply_name(reply, "/errors", 0), "base_ulr") == 0);
    CHECK(strlen(paysvc_reply_call_id(reply)) > 17 && strlen(paysvc_reply_call_id(reply)) <= 40);
    CHECK(paysvc_reply_call_id(reply) == paysvc_reply_call_id(reply));
    CHECK(paysvc_reply_get(reply, "no slash") == NULL);
    CHECK(paysvc_reply_get(reply, "/absent") == NULL);
    first = paysvc_reply_get(reply, "/errors/base_ulr");
    second = paysvc_reply_get(reply, "/errors/base_ulr");
    CHECK(first != NULL && first == second && strstr(first, "did you mean base_url?") != NULL);
    CHECK(strcmp(paysvc_reply_get(reply, ""), paysvc_reply_body(reply)) == 0);
    paysvc_reply_free(reply);
}

static int released, unused;

static int PAYSVC_CALLBACK append(void *userdata, const char *key, int seq, const char *row_json, int timeout_ms)
{
    (void)userdata, (void)key, (void)seq, (void)row_json, (void)timeout_ms;
    return PAYSVC_STORE_DONE;
}

static int PAYSVC_CALLBACK read_rows(void *userdata, const char *query_json, int timeout_ms, paysvc_sink *found)
{
    (void)userdata, (void)query_json, (void)timeout_ms, (void)found;
    return PAYSVC_STORE_DONE;
}

static void PAYSVC_CALLBACK release(void *userdata)
{
    ++*(int *)userdata;
}

/* A store belongs to the client from the moment that it is accepted, and not before. */
static void stores(void)
{
    paysvc_store store;
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_status status;

    memset(&store, 0, sizeof store);
    CHECK(paysvc_client_new(config, &client, NULL) == PAYSVC_OK);
    status = paysvc_client_set_store(client, &store, &unused, &reply);
    refused(status, PAYSVC_E_ARGUMENT, reply, "sizeof(paysvc_store)");
    store.size = sizeof store;
    store.append = append;
    store.release = release;
    status = paysvc_client_set_store(client, &store, &unused, &reply);
    refused(status, PAYSVC_E_ARGUMENT, reply, "no read callback");
    store.read = read_rows;
    CHECK(paysvc_client_set_store(client, &store, &released, NULL) == PAYSVC_OK);
    status = paysvc_client_set_store(client, &store, &unused, &reply);
    refused(status, PAYSVC_E_CONFIG, reply, "already has a store");
    CHECK(paysvc_sink_write(NULL, "{}", 2) == 0);
    memset(&store, 0, sizeof store);
    paysvc_client_free(client);
    CHECK(released == 1 && unused == 0);
}

static void keys(void)
{
    char longest[202];
    paysvc_call *call = paysvc_call_new();

    memset(longest, 'k', sizeof longest);
    longest[201] = '\0';
    CHECK(paysvc_call_set_key(call, NULL) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_call_set_key(call, "") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_call_set_key(call, "a\nb") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_call_set_key(call, longest) == PAYSVC_E_ARGUMENT);
    longest[200] = '\0';
    CHECK(paysvc_call_set_key(call, longest) == PAYSVC_OK);
    CHECK(paysvc_call_set_key(call, "another") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_call_set_key(NULL, "k") == PAYSVC_E_ARGUMENT);
    paysvc_call_free(call);
}

/* Every reply has its own, a local one too. */
static void call_ids(void)
{
    char known[8][41];
    paysvc_reply *reply = NULL;
    size_t i, j;
    for (i = 0; i < 8; i++) {
        CHECK(paysvc_encrypt(NULL, NULL, &reply) == PAYSVC_E_ARGUMENT);
        CHECK(strlen(paysvc_reply_call_id(reply)) <= 40);
        strncpy(known[i], paysvc_reply_call_id(reply), 40);
        known[i][40] = '\0';
        for (j = 0; j < i; j++) {
            CHECK(strcmp(known[i], known[j]) != 0);
        }
        paysvc_reply_free(reply);
    }
}

static void names(void)
{
    int major, minor, patch;
    CHECK(paysvc_abi() == PAYSVC_ABI);
    CHECK(sscanf(paysvc_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
    CHECK(paysvc_version_number() == major * 10000 + minor * 100 + patch);
    CHECK(paysvc_version_number() == PAYSVC_VERSION_NUMBER);
    CHECK(strcmp(paysvc_status_name(PAYSVC_OK), "OK") == 0);
    CHECK(strcmp(paysvc_status_name(PAYSVC_E_TIMEOUT), "E_TIMEOUT") == 0);
    CHECK(strcmp(paysvc_status_name(12345), "?") == 0);
    CHECK(strcmp(paysvc_state_name(PAYSVC_STATE_SUCCESSFUL), "SUCCESSFUL") == 0);
    CHECK(strcmp(paysvc_state_name(PAYSVC_STATE_NONE), "NONE") == 0);
    CHECK(strcmp(paysvc_state_name(12), "?") == 0); /* a state that the service has added since */
    CHECK(strcmp(paysvc_outcome_name(PAYSVC_OUTCOME_NOT_SENT), "NOT_SENT") == 0);
    CHECK(strcmp(paysvc_outcome_name(PAYSVC_OUTCOME_UNKNOWN), "UNKNOWN") == 0);
    CHECK(strcmp(paysvc_outcome_name(-1), "?") == 0);
}

/* System calls beneath these functions fail, and errno stays the program's. */
static void keeps_errno(void)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_call *call;
    size_t i;

    errno = MARK;
    CHECK(paysvc_client_new("{\"ca_file\":\"/no/such/file\",\"base_url\":\"https://localhost\"}", &client, &reply) != PAYSVC_OK);
    CHECK(errno == MARK);
    paysvc_reply_free(reply);
    CHECK(paysvc_client_new(config, &client, &reply) == PAYSVC_OK);
    paysvc_reply_free(reply);
    call = paysvc_call_new();
    paysvc_call_set_timeout_ms(call, 1000);
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        /* Nobody listens there. */
        CHECK(functions[i].call(client, i + 1 == sizeof functions / sizeof functions[0] ? free_request : "{}", call, &reply) != PAYSVC_OK);
        CHECK(errno == MARK);
        CHECK(paysvc_reply_get(reply, "/none") == NULL);
        CHECK(paysvc_reply_type(reply, "/status") == PAYSVC_JSON_BOOL);
        CHECK(paysvc_reply_count(reply, "") == 3);
        CHECK(paysvc_reply_name(reply, "", 0) != NULL);
        CHECK(strlen(paysvc_reply_call_id(reply)) > 0);
        paysvc_reply_free(reply);
        CHECK(errno == MARK);
    }
    paysvc_call_cancel(call);
    paysvc_call_free(call);
    paysvc_client_free(client);
    CHECK(errno == MARK);
}

/* The first function that is called makes what the process needs, by system calls of which one fails on purpose. */
static void first_call_keeps_errno(void)
{
    paysvc_call *call;

    errno = MARK;
    call = paysvc_call_new();
    CHECK(errno == MARK);
    paysvc_call_free(call);
}

int main(void)
{
    first_call_keeps_errno();
    clients();
    keeps_errno();
    calls();
    replies();
    stores();
    keys();
    call_ids();
    names();
    if (failures == 0) {
        puts("boundary: ok");
    }
    return failures == 0 ? 0 : 1;
}
