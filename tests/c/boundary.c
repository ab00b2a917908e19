/* The boundary from C: what the functions leave to their caller, how handles and texts are owned, and errno. Needs no
 * service. nulls.c has NULL and text that is not UTF-8 in every argument. */
#include "check.h"
#include <errno.h>
#include <stddef.h>

enum { MARK = 4711 };

typedef paysvc_status (*function)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);

static const struct { const char *name; function call; } functions[] = {
#include "functions.inc"
    {"request", paysvc_request}
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static const char free_request[] = "{\"method\":\"GET\",\"path\":\"/x\",\"key\":\"public\"}";
static const char config[] = "{\"base_url\":\"http://127.0.0.1:1\",\"public_key\":\"p\",\"secret_key\":\"s\"}";

/* paysvc_reply_read() and the functions agree. */
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
    /* A wrong size. */
    memset(&view, 'x', sizeof view);
    paysvc_reply_read(reply, &view.known, (size_t)-1);
    CHECK(view.known.outcome == paysvc_reply_outcome(reply));
    CHECK(*(const char *)&view.known.status == 'x');
    paysvc_reply_read(reply, NULL, sizeof view.known);
}

/* A refusal: NOT_SENT, a parsable body, and a message that holds the part. */
static void refused(paysvc_status status, paysvc_status expected, paysvc_reply *reply, const char *part)
{
    EXPECT(status, reply, expected, PAYSVC_OUTCOME_NOT_SENT);
    CHECK(paysvc_reply_state(reply) == PAYSVC_STATE_NONE && paysvc_reply_http_status(reply) == 0);
    CHECK(paysvc_reply_attempts(reply) == 0 && paysvc_reply_retry_after_ms(reply) == -1);
    the_same(reply);
    CHECK(strcmp(paysvc_reply_code(reply), "") == 0 && strcmp(paysvc_reply_get(reply, "/status"), "false") == 0);
    CHECK(strcmp(paysvc_reply_get(reply, "/message"), paysvc_reply_message(reply)) == 0);
    CHECK(paysvc_reply_get(reply, "/errors") != NULL);
    CHECK(strlen(paysvc_reply_body(reply)) == paysvc_reply_body_len(reply));
    CHECK(strstr(paysvc_reply_message(reply), part) != NULL);
    paysvc_reply_free(reply);
}

static void clients(void)
{
    paysvc_client *client = (paysvc_client *)&client;
    paysvc_reply *reply = NULL;
    paysvc_status status = paysvc_client_new("{", &client, &reply);
    CHECK(client == NULL);
    refused(status, PAYSVC_E_CONFIG, reply, "is not JSON");
    CHECK(paysvc_client_new("[]", &client, NULL) == PAYSVC_E_CONFIG && client == NULL);
    EXPECT(paysvc_client_new(config, &client, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    CHECK(paysvc_client_new(NULL, &client, NULL) == PAYSVC_OK);
    paysvc_client_free(client);
}

static void replies(void)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    const char *first;

    CHECK(paysvc_reply_status(NULL) == PAYSVC_E_ARGUMENT && paysvc_reply_outcome(NULL) == PAYSVC_OUTCOME_UNKNOWN);
    CHECK(paysvc_reply_state(NULL) == PAYSVC_STATE_NONE && paysvc_reply_http_status(NULL) == 0);
    CHECK(strlen(paysvc_reply_body(NULL)) == paysvc_reply_body_len(NULL));
    CHECK(paysvc_reply_get(NULL, "/a") == NULL && paysvc_reply_get_cp1252(NULL, "") == NULL);
    CHECK(paysvc_reply_type(NULL, "") == PAYSVC_JSON_ABSENT && paysvc_reply_count(NULL, "") == 0);
    CHECK(paysvc_reply_name(NULL, "", 0) == NULL && strlen(paysvc_reply_message(NULL)) > 0);
    CHECK(strcmp(paysvc_reply_call_id(NULL), "") == 0 && strcmp(paysvc_reply_request_id(NULL), "") == 0);
    CHECK(paysvc_reply_replayed(NULL) == 0 && paysvc_reply_is_active(NULL) == 0);
    CHECK(strcmp(paysvc_reply_code(NULL), "") == 0 && paysvc_reply_retry_after_ms(NULL) == -1);
    CHECK(paysvc_reply_attempts(NULL) == 0);
    the_same(NULL);

    CHECK(paysvc_client_new("{\"base_ulr\":\"x\"}", &client, &reply) == PAYSVC_E_CONFIG);
    CHECK(paysvc_reply_get(reply, NULL) == NULL && paysvc_reply_type(reply, NULL) == PAYSVC_JSON_ABSENT);
    CHECK(paysvc_reply_count(reply, NULL) == 0 && paysvc_reply_name(reply, NULL, 0) == NULL);
    CHECK(paysvc_reply_type(reply, "no slash") == PAYSVC_JSON_ABSENT && paysvc_reply_get(reply, "no slash") == NULL);
    CHECK(paysvc_reply_count(reply, "") == 3 && paysvc_reply_name(reply, "", (size_t)-1) == NULL);
    CHECK(strcmp(paysvc_reply_name(reply, "/errors", 0), "base_ulr") == 0);
    /* The same text each time, as long as the reply lives. */
    CHECK(paysvc_reply_name(reply, "", 2) == paysvc_reply_name(reply, "", 2));
    CHECK(paysvc_reply_call_id(reply) == paysvc_reply_call_id(reply));
    first = paysvc_reply_get(reply, "/errors/base_ulr");
    CHECK(first == paysvc_reply_get(reply, "/errors/base_ulr") && strstr(first, "did you mean base_url?") != NULL);
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
    paysvc_store store = {0, append, NULL, release};
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_status status;

    CHECK(paysvc_client_new(config, &client, NULL) == PAYSVC_OK);
    status = paysvc_client_set_store(client, &store, &unused, &reply);
    refused(status, PAYSVC_E_ARGUMENT, reply, "sizeof(paysvc_store)");
    store.size = sizeof store;
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

/* A request that is built value by value; src/json/builder/tests.rs has every rule. */
static void built(void)
{
    paysvc_json *request = paysvc_json_new();
    const char *error, *text;

    CHECK(request != NULL && strcmp(paysvc_json_error(request), "") == 0);
    CHECK(strcmp(paysvc_json_text(request), "{}") == 0);
    CHECK(paysvc_json_set_string(request, "/s", "a \"b\" \\ \n \303\251 \360\237\230\200") == PAYSVC_OK);
    CHECK(paysvc_json_set_cp1252(request, "/card/name", "Andr\xe9 O\x92Neill") == PAYSVC_OK);
    CHECK(paysvc_json_set_number(request, "/list/-", "100.10") == PAYSVC_OK);
    CHECK(paysvc_json_set_bool(request, "/list/1/0/t", -7) == PAYSVC_OK);
    CHECK(paysvc_json_set_bool(request, "/f", 0) == PAYSVC_OK);
    CHECK(paysvc_json_set_json(request, "/j", " [ 1.50 , { \"a\" : [ ] } , \"\\u00e9\" ] ") == PAYSVC_OK);
    text = "{\"s\":\"a \\\"b\\\" \\\\ \\n \303\251 \360\237\230\200\","
           "\"card\":{\"name\":\"Andr\303\251 O\342\200\231Neill\"},"
           "\"list\":[100.10,[{\"t\":true}]],\"f\":false,\"j\":[1.50,{\"a\":[]},\"\303\251\"]}";
    CHECK(strcmp(paysvc_json_text(request), text) == 0);
    /* The same text until something changes; and it may become a part of its own request. */
    CHECK(paysvc_json_text(request) == paysvc_json_text(request));
    CHECK(paysvc_json_set_json(request, "", "{\"a\":1}") == PAYSVC_OK);
    CHECK(paysvc_json_set_json(request, "/b", paysvc_json_text(request)) == PAYSVC_OK);
    CHECK(paysvc_json_set_string(request, "/c", paysvc_json_text(request)) == PAYSVC_OK);
    text = "{\"a\":1,\"b\":{\"a\":1},\"c\":\"{\\\"a\\\":1,\\\"b\\\":{\\\"a\\\":1}}\"}";
    CHECK(strcmp(paysvc_json_text(request), text) == 0);
    /* A failure is final: nothing repairs it, and the first one stays the one that is reported. */
    CHECK(paysvc_json_set_cp1252(request, "/card/cardnumber", "4111111111111111\x8d") == PAYSVC_E_ARGUMENT);
    error = paysvc_json_error(request);
    CHECK(strcmp(error, "/card/cardnumber: the value is not Windows-1252: the byte at 16 is undefined") == 0);
    CHECK(paysvc_json_set_json(request, "", "{}") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_set_string(request, NULL, NULL) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_error(request) == error && paysvc_json_text(request) == NULL);
    paysvc_json_free(request);
    CHECK(paysvc_json_text(NULL) == NULL && strcmp(paysvc_json_error(NULL), "request is NULL") == 0);
}

/* The purpose of the failures: no function sends a request that lacks a value that could not be set. */
static void sends_nothing(void)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_json *request = paysvc_json_new();
    size_t i;

    CHECK(paysvc_client_new(config, &client, NULL) == PAYSVC_OK);
    CHECK(paysvc_json_set_string(request, "/reference", "ORDER-1") == PAYSVC_OK);
    CHECK(paysvc_json_set_string(request, "/reason", "M\xfcller") == PAYSVC_E_ARGUMENT);
    paysvc_json_free(request);
    request = paysvc_json_new();
    CHECK(paysvc_json_set_string(request, "/reference", "ORDER-1") == PAYSVC_OK);
    /* A comma, and nobody looks at the status. Without its amount it would be a full refund. */
    paysvc_json_set_number(request, "/amount", "25,50");
    for (i = 0; i < FUNCTIONS; i++) {
        paysvc_status status = functions[i].call(client, paysvc_json_text(request), NULL, &reply);
        CHECK(strstr(paysvc_reply_message(reply), "request_json is NULL: ") == paysvc_reply_message(reply));
        refused(status, PAYSVC_E_ARGUMENT, reply, "paysvc_json_error() says: /amount: ");
    }
    EXPECT(paysvc_encrypt(client, paysvc_json_text(request), &reply), reply,
           PAYSVC_E_ARGUMENT, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    paysvc_json_free(request);
    paysvc_client_free(client);
}

static void names(void)
{
    int major, minor, patch;
    CHECK(paysvc_abi() == PAYSVC_ABI && sscanf(paysvc_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
    CHECK(paysvc_version_number() == major * 10000 + minor * 100 + patch);
    CHECK(paysvc_version_number() == PAYSVC_VERSION_NUMBER);
    CHECK(strcmp(paysvc_status_name(PAYSVC_E_TIMEOUT), "E_TIMEOUT") == 0);
    CHECK(strcmp(paysvc_status_name(12345), "?") == 0);
    CHECK(strcmp(paysvc_state_name(PAYSVC_STATE_SUCCESSFUL), "SUCCESSFUL") == 0);
    CHECK(strcmp(paysvc_state_name(12), "?") == 0); /* a state that the service has added since */
    CHECK(strcmp(paysvc_outcome_name(PAYSVC_OUTCOME_UNKNOWN), "UNKNOWN") == 0);
    CHECK(strcmp(paysvc_outcome_name(-1), "?") == 0);
}

/* System calls beneath these functions fail, and errno stays the program's. */
static void keeps_errno(void)
{
    static const char no_file[] = "{\"ca_file\":\"/no/such/file\",\"base_url\":\"https://localhost\"}";
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_call *call;
    paysvc_json *request;
    size_t i;

    CHECK(paysvc_client_new(no_file, &client, NULL) != PAYSVC_OK);
    CHECK(errno == MARK);
    CHECK(paysvc_client_new(config, &client, &reply) == PAYSVC_OK && errno == MARK);
    paysvc_reply_free(reply);
    call = paysvc_call_new();
    paysvc_call_set_timeout_ms(call, 1000);
    for (i = 0; i < FUNCTIONS; i++) {
        /* Nobody listens there. */
        CHECK(functions[i].call(client, i + 1 == FUNCTIONS ? free_request : "{}", call, &reply) != PAYSVC_OK);
        CHECK(errno == MARK);
        CHECK(paysvc_reply_get(reply, "/none") == NULL && paysvc_reply_type(reply, "/status") == PAYSVC_JSON_BOOL);
        CHECK(paysvc_reply_count(reply, "") == 3 && paysvc_reply_name(reply, "", 0) != NULL);
        CHECK(strlen(paysvc_reply_call_id(reply)) > 0);
        paysvc_reply_free(reply);
        CHECK(errno == MARK);
    }
    paysvc_call_cancel(call);
    paysvc_call_free(call);
    paysvc_client_free(client);
    CHECK(errno == MARK);
    request = paysvc_json_new();
    CHECK(paysvc_json_set_json(request, "/b", "[1,2,3]") == PAYSVC_OK && paysvc_json_text(request) != NULL);
    CHECK(errno == MARK && paysvc_json_set_number(request, "/c", "x") == PAYSVC_E_ARGUMENT && errno == MARK);
    paysvc_json_free(request);
    CHECK(errno == MARK);
}

int main(void)
{
    paysvc_call *call;

    /* The first function that is called makes what the process needs, by system calls of which one fails on purpose. */
    errno = MARK;
    call = paysvc_call_new();
    CHECK(errno == MARK);
    paysvc_call_free(call);
    keeps_errno();
    clients();
    replies();
    stores();
    built();
    sends_nothing();
    names();
    return finished("boundary");
}
