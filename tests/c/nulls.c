/* Every function of the header with NULL in every pointer argument, alone and together, with the ends of int in every
 * number, and with text that is not UTF-8 in every text. header.inc is written by the tests from paysvc.h, so that no
 * function can be forgotten. Needs no service. */
#include "check.h"
#include <limits.h>

static const char config[] = "{\"base_url\":\"http://127.0.0.1:1\",\"public_key\":\"p\",\"secret_key\":\"s\",\"timeout_ms\":5000}";

/* A valid argument of each type. */
static paysvc_client *client, *made;
static paysvc_call *call;
static paysvc_reply *reply, *old_reply;
static paysvc_reply_view view;
static paysvc_json *request;
static int here;
static const char *why;
static char text[64];

static paysvc_json *new_request(void)
{
    paysvc_json_free(request);
    request = paysvc_json_new();
    CHECK(request != NULL);
    return request;
}

static void PAYSVC_CALLBACK on_log(void *userdata, int level, const char *message)
{
    CHECK(userdata == &here || userdata == NULL);
    CHECK(level >= 1 && level <= 4 && message != NULL);
}

static int PAYSVC_CALLBACK on_progress(void *userdata, size_t done, size_t total, const char *step_json)
{
    CHECK((userdata == &here || userdata == NULL) && (done <= total || total == 0) && step_json != NULL);
    return PAYSVC_CONTINUE;
}

static int PAYSVC_CALLBACK on_append(void *userdata, const char *key, int seq, const char *row_json, int timeout_ms)
{
    CHECK((userdata == &here || userdata == NULL) && key != NULL && seq > 0 && row_json != NULL && timeout_ms > 0);
    return PAYSVC_STORE_DONE;
}

static int PAYSVC_CALLBACK on_read(void *userdata, const char *query_json, int timeout_ms, paysvc_sink *found)
{
    CHECK((userdata == &here || userdata == NULL) && query_json != NULL && timeout_ms > 0 && found != NULL);
    return PAYSVC_STORE_DONE;
}

static const paysvc_store store = {sizeof(paysvc_store), on_append, on_read, NULL};

/* Checks and frees the handles after a call. `missing` names a NULL argument that must be refused, or "";
 * `unsent` is the outcome where nothing was sent. */
static void after(const char *what, paysvc_status status, int has_reply, const char *missing, paysvc_outcome unsent)
{
    int before = failures;
    CHECK((reply != NULL) == has_reply);
    if (missing[0] != '\0') {
        CHECK(status == PAYSVC_E_ARGUMENT);
        CHECK(made == NULL);
    }
    if (has_reply) {
        CHECK(paysvc_reply_status(reply) == status);
        CHECK(strlen(paysvc_reply_body(reply)) == paysvc_reply_body_len(reply));
        if (missing[0] != '\0') {
            CHECK(paysvc_reply_outcome(reply) == unsent && paysvc_reply_attempts(reply) == 0);
            /* The message about an earlier request begins with the meaning of UNKNOWN. */
            CHECK(strstr(paysvc_reply_message(reply), missing) != NULL);
        }
    }
    if (failures > before) {
        fprintf(stderr, "  in %s: %s\n", what, has_reply ? paysvc_reply_message(reply) : "");
    }
    paysvc_reply_free(reply);
    paysvc_client_free(made);
    reply = NULL;
    made = NULL;
}

/* Each is wrong at the byte after the prefix. */
static const struct { const char *text, *what; } not_utf8[] = {
    {"{\"a\":\"\xc0\xaf\"}", "overlong, two bytes"},
    {"{\"a\":\"\xe0\x80\xaf\"}", "overlong, three bytes"},
    {"{\"a\":\"\xf0\x80\x80\xaf\"}", "overlong, four bytes"},
    {"{\"a\":\"\xed\xa0\x80\"}", "a high surrogate"},
    {"{\"a\":\"\xed\xbf\xbf\"}", "a low surrogate"},
    {"{\"a\":\"\xed\xa0\xbd\xed\xb8\x80\"}", "a pair of surrogates"},
    {"{\"a\":\"\xf4\x90\x80\x80\"}", "above U+10FFFF"},
    {"{\"a\":\"\xe2\x82\"}", "cut off"},
    {"{\"a\":\"\xe2\x82", "cut off by the end"},
    {"{\"a\":\"\x80\"}", "a continuation alone"},
    {"{\"a\":\"\xfe\"}", "0xfe"},
    {"{\"a\":\"\xff\"}", "0xff"}
};

static void after_text(const char *what, size_t index, paysvc_status status, paysvc_outcome unsent)
{
    int before = failures;
    CHECK(status == PAYSVC_E_ARGUMENT && reply != NULL && made == NULL);
    CHECK(paysvc_reply_outcome(reply) == unsent);
    CHECK(strstr(paysvc_reply_message(reply), "is not UTF-8: the byte at 6 is wrong") != NULL);
    if (failures > before) {
        fprintf(stderr, "  in %s, %s: %s\n", what, not_utf8[index].what, paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
    reply = NULL;
}

/* Checks a call that changes a request. A NULL is a failure, and final. */
static void after_set(const char *what, paysvc_status status, int no_request, int any)
{
    int before = failures;
    CHECK(status == (any ? PAYSVC_E_ARGUMENT : PAYSVC_OK));
    if (!no_request) {
        CHECK((paysvc_json_text(request) == NULL) == any);
        CHECK((strstr(paysvc_json_error(request), " is NULL") != NULL) == any);
        CHECK(paysvc_json_set_bool(request, "/b", 1) == status);
    }
    if (failures > before) {
        fprintf(stderr, "  in %s: %s\n", what, paysvc_json_error(request));
    }
}

static void after_set_text(const char *what, size_t index, paysvc_status status)
{
    int before = failures;
    CHECK(status == PAYSVC_E_ARGUMENT && paysvc_json_text(request) == NULL);
    CHECK(strstr(paysvc_json_error(request), "is not UTF-8: the byte at 6 is wrong") != NULL);
    if (failures > before) {
        fprintf(stderr, "  in %s, %s: %s\n", what, not_utf8[index].what, paysvc_json_error(request));
    }
}

static const int ends[] = {INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX - 1, INT_MAX};

int main(void)
{
    size_t i;
    call = paysvc_call_new();
    CHECK(paysvc_client_new(config, &client, &old_reply) == PAYSVC_OK && call != NULL);
#include "header.inc"
    paysvc_json_free(request);
    paysvc_reply_free(old_reply);
    paysvc_call_free(call);
    paysvc_client_free(client);
    return finished("nulls");
}
