/* Log callbacks that call back into the library: each does one thing with every line it gets, a few levels deep.
 * argv[1] is the configuration. A deadlock is ended by the alarm. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>

enum { DEEPEST = 3 };

static const char refund[] = "{\"reference\":\"R\"}";
static const char *config;
static paysvc_client *client;
static paysvc_call *call;
static int depth, lines;

typedef void (*deed)(void);
static void PAYSVC_CALLBACK on_log(void *userdata, int level, const char *message);
static deed current;

static void cancels(void);

/* Without the line before an attempt, where a cancel would be in time. */
static void start_log(void)
{
    CHECK(paysvc_client_set_log(client, current == cancels ? 3 : 4, on_log, (void *)&current) == PAYSVC_OK);
}

static void calls(void)
{
    paysvc_reply *reply = NULL;
    EXPECT(paysvc_order_refund(client, refund, NULL, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    paysvc_reply_free(reply);
}

static void calls_in_vain(void)
{
    paysvc_reply *reply = NULL;
    EXPECT(paysvc_order_refund(client, "{}", NULL, &reply), reply, PAYSVC_E_ARGUMENT, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
}

static void unsets(void)
{
    CHECK(paysvc_client_set_log(client, 4, NULL, NULL) == PAYSVC_OK);
}

static void sets_again(void)
{
    start_log();
    calls();
}

static void cancels(void)
{
    paysvc_call_cancel(call);
}

static void sets_the_deadline(void)
{
    paysvc_call_set_timeout_ms(call, 1);
}

static void frees_the_token(void)
{
    paysvc_call_free(call);
    call = NULL;
}

static void frees_the_client(void)
{
    paysvc_client_free(client);
    client = NULL;
}

static void frees_both(void)
{
    frees_the_client();
    frees_the_token();
}

static void makes_another_client(void)
{
    paysvc_client *other = NULL;
    paysvc_reply *reply = NULL;
    EXPECT(paysvc_client_new(config, &other, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    EXPECT(paysvc_order_refund(other, refund, call, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    paysvc_reply_free(reply);
    paysvc_client_free(other);
}

static void PAYSVC_CALLBACK on_log(void *userdata, int level, const char *message)
{
    CHECK(userdata == (void *)&current && level >= 1 && level <= 4 && message[0] != '\0');
    lines++;
    /* A deed that frees a handle can do so only once. */
    if (depth < DEEPEST && client != NULL && call != NULL) {
        depth++;
        current();
        depth--;
    }
}

/* The outer call ends as it would without the callback, whatever the callback did. */
static void with(deed what, const char *json, paysvc_status status, paysvc_outcome outcome)
{
    paysvc_reply *reply = NULL;
    int before = failures;
    client = NULL;
    CHECK(paysvc_client_new(config, &client, NULL) == PAYSVC_OK);
    call = paysvc_call_new();
    current = what;
    lines = 0;
    start_log();
    EXPECT(paysvc_order_refund(client, json, call, &reply), reply, status, outcome);
    CHECK(lines > 0);
    if (failures > before) {
        fprintf(stderr, "  after %d lines for %s\n", lines, json);
    }
    paysvc_reply_free(reply);
    paysvc_call_free(call);
    paysvc_client_free(client);
}

int main(int argc, char **argv)
{
    static const deed deeds[] = {calls, calls_in_vain, unsets, sets_again, cancels, sets_the_deadline, frees_the_token,
                                 frees_the_client, frees_both, makes_another_client};
    size_t i;
    if (argc != 2) {
        return 2;
    }
    config = argv[1];
    alarm(120);
    for (i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        with(deeds[i], refund, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
        with(deeds[i], "{}", PAYSVC_E_ARGUMENT, PAYSVC_OUTCOME_NOT_SENT);
        with(deeds[i], "{\"reference\":\"refused\"}", PAYSVC_E_REJECTED, PAYSVC_OUTCOME_REJECTED);
        with(deeds[i], "{\"reference\":\"lost\"}", PAYSVC_E_TRANSPORT, PAYSVC_OUTCOME_UNKNOWN);
    }
    /* Between two tries of one call, a cancel ends it: here the second would be made after the back-off. */
    with(cancels, "{\"reference\":\"busy\"}", PAYSVC_E_CANCELLED, PAYSVC_OUTCOME_REJECTED);
    return finished("callbacks");
}
