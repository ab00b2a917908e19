/* Lengths up to the limits and past them. argv[1] is the configuration; the service answers with as many bytes as the
 * reference "answer N" asks for, and else success. argv[2]: how many bytes a long text has;
 * with a megabyte or more the limit of 10 MB is tried too. */
#include "check.h"
#include <limits.h>

enum { MB = 1024 * 1024, MOST = 10 * MB };

static size_t big, most;
static paysvc_client *client;
static paysvc_reply *reply;

static void PAYSVC_CALLBACK on_log(void *userdata, int level, const char *message)
{
    (void)userdata;
    CHECK(level >= 1 && level <= 4);
    /* It contains nothing that the caller gave, so it is short however long that was. */
    CHECK(strlen(message) < 300 && strstr(message, "xxxxxxxx") == NULL);
}

/* before, then this many times x, then after. The caller frees it. */
static char *filled(const char *before, size_t count, const char *after)
{
    char *text = (char *)malloc(strlen(before) + count + strlen(after) + 1);
    strcpy(text, before);
    memset(text + strlen(before), 'x', count);
    strcpy(text + strlen(before) + count, after);
    return text;
}

/* Sends a request with this many x in it; the end of the message must hold the part. */
static void of_length(paysvc_status (*f)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **),
                      const char *before, size_t count, const char *after, paysvc_status status, const char *part)
{
    char *request = filled(before, count, after);
    paysvc_status got = f(client, request, NULL, &reply);
    free(request);
    EXPECT(got, reply, status, status == PAYSVC_OK ? PAYSVC_OUTCOME_CONFIRMED : PAYSVC_OUTCOME_NOT_SENT);
    if (strstr(paysvc_reply_message(reply), part) == NULL) {
        fprintf(stderr, "%lu x: no %s in %.300s\n", (unsigned long)count, part, paysvc_reply_message(reply));
        failures++;
    }
    CHECK(strlen(paysvc_reply_message(reply)) < 2100);
    paysvc_reply_free(reply);
}

static void requests(void)
{
    static const char raw[] = "{\"method\":\"GET\",\"key\":\"public\",\"path\":\"/";
    static const char get[] = "{\"method\":\"GET\",\"key\":\"public\",\"path\":\"/p\",";
    char *request;
    of_length(paysvc_order_refund, "{\"reference\":\"R\",\"reason\":\"", big, "\"}", PAYSVC_OK, "done");
    of_length(paysvc_order_refund, "{\"reference\":\"R\",\"reason\":\"", most - 29, "\"}", PAYSVC_OK, "done");
    of_length(paysvc_order_refund, "{\"reference\":\"R\",\"reason\":\"", MOST, "\"}", PAYSVC_E_ARGUMENT, "at most 10485760");
    of_length(paysvc_order_refund, "{\"reference\":\"R\",\"reason\":\"\\u0041", big, "\"}", PAYSVC_OK, "done");
    of_length(paysvc_order_refund, "{\"reference\":\"R\",\"", big, "\":1}", PAYSVC_E_ARGUMENT, "is not a known field");
    of_length(paysvc_order_refund, "", big, "", PAYSVC_E_ARGUMENT, "is not JSON");
    of_length(paysvc_order_refund, "\"", big, "\"", PAYSVC_E_ARGUMENT, "not a string");
    of_length(paysvc_transaction_details, "{\"sessionId\":\"", 7900, "\"}", PAYSVC_OK, "done");
    of_length(paysvc_transaction_details, "{\"sessionId\":\"", 7999, "\"}", PAYSVC_E_ARGUMENT, "too long");
    of_length(paysvc_transaction_details, "{\"sessionId\":\"", big, "\"}", PAYSVC_E_ARGUMENT, "too long for a URL");
    of_length(paysvc_direct_debit_status, "{\"mandateCode\":\"", 7900, "\"}", PAYSVC_OK, "done");
    of_length(paysvc_direct_debit_status, "{\"mandateCode\":\"", big, "\"}", PAYSVC_E_ARGUMENT, "too long for a URL");
    of_length(paysvc_request, raw, 7900, "\"}", PAYSVC_OK, "done");
    of_length(paysvc_request, raw, big, "\"}", PAYSVC_E_ARGUMENT, "too long for a URL");
    of_length(paysvc_request, get, 0, "\"query\":{\"a\":1}}", PAYSVC_OK, "done");
    request = filled(get, 0, "\"query\":{\"");
    of_length(paysvc_request, request, 7900, "\":1}}", PAYSVC_OK, "done");
    of_length(paysvc_request, request, big, "\":1}}", PAYSVC_E_ARGUMENT, "too long for a URL");
    free(request);
    request = filled(get, 0, "\"headers\":{\"x-long\":\"");
    of_length(paysvc_request, request, 4000, "\"}}", PAYSVC_OK, "done");
    of_length(paysvc_request, request, big, "\"}}", PAYSVC_E_ARGUMENT, "headers");
    free(request);
}

/* This many headers of 20 bytes each. */
static void headers(int count, paysvc_status status)
{
    char *request = (char *)malloc((size_t)count * 32 + 100), *end = request;
    int i;
    end += sprintf(end, "{\"method\":\"GET\",\"key\":\"public\",\"path\":\"/p\",\"headers\":{");
    for (i = 0; i < count; i++) {
        end += sprintf(end, "%s\"x-%d\":\"0123456789\"", i > 0 ? "," : "", i);
    }
    strcpy(end, "}}");
    EXPECT(paysvc_request(client, request, NULL, &reply), reply, status,
           status == PAYSVC_OK ? PAYSVC_OUTCOME_CONFIRMED : PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    free(request);
}

static void answers(void)
{
    char request[64];
    size_t i;
    static const long lengths[] = {100, 65535, MB, MOST - 1, MOST};
    for (i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *pointer;
        const char *text;
        if ((size_t)lengths[i] > most) {
            break;
        }
        sprintf(request, "{\"reference\":\"answer %ld\"}", lengths[i]);
        EXPECT(paysvc_order_refund(client, request, NULL, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
        CHECK(paysvc_reply_body_len(reply) == (size_t)lengths[i]);
        CHECK(strlen(paysvc_reply_body(reply)) == (size_t)lengths[i]);
        text = paysvc_reply_get(reply, "/data");
        CHECK(text != NULL && strlen(text) > (size_t)lengths[i] - 50 && text[strlen(text) - 1] == 'x');
        pointer = filled("/data/", big, "");
        CHECK(paysvc_reply_get(reply, pointer) == NULL);
        CHECK(paysvc_reply_type(reply, pointer) == PAYSVC_JSON_ABSENT && paysvc_reply_count(reply, pointer) == 0);
        CHECK(paysvc_reply_name(reply, pointer, 0) == NULL);
        free(pointer);
        paysvc_reply_free(reply);
    }
    if (most < MOST) {
        return;
    }
    sprintf(request, "{\"reference\":\"answer %d\"}", MOST + 1);
    EXPECT(paysvc_order_refund(client, request, NULL, &reply), reply, PAYSVC_E_RESPONSE, PAYSVC_OUTCOME_UNKNOWN);
    CHECK(strstr(paysvc_reply_message(reply), "is larger than 10485760 bytes") != NULL);
    paysvc_reply_free(reply);
}

static void numbers(void)
{
    static const int ends[] = {INT_MIN, -1, 0, INT_MAX};
    paysvc_call *call = paysvc_call_new();
    size_t i;
    for (i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        paysvc_call_set_timeout_ms(call, ends[i]);
        EXPECT(paysvc_order_refund(client, "{\"reference\":\"R\"}", call, &reply), reply, PAYSVC_OK,
               PAYSVC_OUTCOME_CONFIRMED);
        paysvc_reply_free(reply);
        CHECK(paysvc_client_set_log(client, ends[i], on_log, NULL) == PAYSVC_E_ARGUMENT);
        CHECK(paysvc_client_set_log(client, ends[i], NULL, NULL) == PAYSVC_OK);
    }
    paysvc_call_free(call);
}

int main(int argc, char **argv)
{
    if (argc != 3 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    big = (size_t)atol(argv[2]);
    most = big < MB ? big : (size_t)MOST;
    CHECK(paysvc_client_set_log(client, 4, on_log, NULL) == PAYSVC_OK);
    requests();
    headers(100, PAYSVC_OK);
    headers((int)big / 10, PAYSVC_E_ARGUMENT);
    answers();
    numbers();
    paysvc_client_free(client);
    return finished("limits");
}
