/* See verdict_cells.h. Members of a cell: line, row, http, body, status, outcome, state, again, why; and where they are
 * not the usual ones: headers {}, framing "length" (see wire_of, or "refused": nobody listens), after_429 0, request. */
#include "verdict_cells.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *path, size_t index, const char *what)
{
    fprintf(stderr, "%s: cell %lu: %s\n", path, (unsigned long)index, what);
    exit(2);
}

static const struct json_value *find(const struct json *json, long object, const char *name)
{
    long i = json_member(json, object, name);
    return i < 0 ? NULL : &json->values[i];
}

static void text(const struct json *json, long object, const char *name, char *to, size_t room, const char *otherwise)
{
    const struct json_value *value = find(json, object, name);
    const char *from = otherwise;
    size_t length = otherwise == NULL ? 0 : strlen(otherwise);
    if (value != NULL && value->kind == JSON_TEXT) {
        from = value->text;
        length = value->length;
    }
    if (from == NULL || length >= room) {
        fail(name, (size_t)object, "is missing, no text or too long");
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

static int number(const struct json *json, long object, const char *name, int otherwise)
{
    const struct json_value *value = find(json, object, name);
    return value != NULL && value->kind == JSON_NUMBER ? atoi(value->text) : otherwise;
}

static char *copy(const char *from, size_t length)
{
    char *to = (char *)malloc(length + 1);
    if (to == NULL) {
        abort();
    }
    memcpy(to, from, length);
    to[length] = '\0';
    return to;
}

/* The request of a row when the cell has none of its own; its reference is R-1, its code M-1, its session S-1. */
static const char *usual_request(const char *row)
{
    static const char *const requests[][2] = {
        {"order_refund", "{\"reference\":\"R-1\"}"},
        {"order_pay", "{\"paymentOption\":\"NDD\",\"reference\":\"R-1\",\"directDebitPaymentRequest\":{\"otp\":"
                      "\"123456\",\"mandateCode\":\"M-1\"}}"},
        {"order_create", "{\"order\":{\"reference\":\"R-1\",\"amount\":1}}"},
        {"direct_debit_create", "{\"orderReference\":\"R-1\"}"},
        {"direct_debit_otp", "{\"mandateCode\":\"M-1\"}"},
        {"virtual_account_generate", "{\"Alias\":\"A-1\"}"},
        {"transaction_details", "{\"sessionId\":\"S-1\"}"},
        {"direct_debit_history", "{\"emailAddress\":\"a@example.com\"}"},
        {"direct_debit_status", "{\"mandateCode\":\"M-1\"}"},
        {"order_status", "{\"reference\":\"R-1\"}"},
        {"payout_initiate", "{\"payoutDetails\":[{\"accountNumber\":\"0690000031\",\"bankCode\":\"000014\",\"amount\":1,"
                            "\"description\":\"d\",\"accountName\":\"Ada\",\"creditCurrency\":\"NGN\","
                            "\"debitCurrency\":\"NGN\"}]}"},
        {"payout_status", "{\"batchReference\":\"B-1\"}"},
        {"payout_name_enquiry", "{\"bankCode\":\"000014\",\"accountNumber\":\"0690000031\"}"},
        {"payout_balance", "{\"currency\":\"NGN\"}"},
        {"request POST",
         "{\"method\":\"POST\",\"path\":\"/made/up\",\"key\":\"secret\",\"body\":{\"reference\":\"R-1\"}}"},
        {"request GET",
         "{\"method\":\"GET\",\"path\":\"/made/up\",\"key\":\"public\",\"query\":{\"sessionId\":\"S-1\"}}"}};
    size_t i;
    for (i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i][0], row) == 0) {
            return requests[i][1];
        }
    }
    return NULL;
}

/* Headers of the cell, and one that lets nobody wait. */
static void headers(const struct json *json, long object, struct cell *cell, struct oracle_answer *answer)
{
    long all = json_member(json, object, "headers"), i;
    size_t used = (size_t)sprintf(cell->headers, "Retry-After: 0\r\n");
    for (i = all < 0 ? -1 : json->values[all].first; i >= 0; i = json->values[i].next) {
        const struct json_value *value = &json->values[i];
        used += (size_t)snprintf(cell->headers + used, sizeof cell->headers - used, "%.*s: %.*s\r\n",
                                 (int)value->name_length, value->name, (int)value->length, value->text);
        if (used >= sizeof cell->headers) {
            fail("headers", (size_t)object, "too long");
        }
        answer->encoded |=
            json_named(value, "content-encoding", 1) && strncmp(value->text, "identity", value->length) != 0;
    }
}

static void read_cell(const struct json *json, long object, struct cell *cell, const char *path, size_t index)
{
    const struct json_value *body = find(json, object, "body"), *request = find(json, object, "request"),
                            *again = find(json, object, "again");
    struct sample *sample = &cell->sample;
    struct oracle_answer *answer;
    char row[32];
    const char *usual;
    int i;
    memset(cell, 0, sizeof *cell);
    text(json, object, "line", cell->line, sizeof cell->line, NULL);
    text(json, object, "row", row, sizeof row, NULL);
    text(json, object, "why", cell->why, sizeof cell->why, NULL);
    text(json, object, "status", cell->status, sizeof cell->status, NULL);
    text(json, object, "outcome", cell->outcome, sizeof cell->outcome, NULL);
    text(json, object, "framing", cell->framing, sizeof cell->framing, "length");
    cell->state = number(json, object, "state", -100);
    cell->after_429 = number(json, object, "after_429", 0);
    cell->again = again != NULL && again->kind == JSON_TRUE;
    sample->row = oracle_row(row);
    usual = usual_request(row);
    if (sample->row == NULL || usual == NULL || cell->state == -100 || again == NULL || cell->after_429 >= SEQUENCE ||
        (body != NULL && body->kind != JSON_TEXT) || (request != NULL && request->kind != JSON_TEXT)) {
        fail(path, index, "row, state, again, after_429, body or request is wrong");
    }
    sample->request = request == NULL ? copy(usual, strlen(usual)) : copy(request->text, request->length);
    sample->tries = 3;
    sample->count = cell->after_429 + 1;
    for (i = 0; i < cell->after_429; i++) {
        /* Where nobody is to be reached afterwards, the connection must not be kept either. */
        int refused = strcmp(cell->framing, "refused") == 0;
        sample->answers[i].http = 429;
        sample->answers[i].body = copy("", 0);
        sample->wires[i] = wire_of(&sample->answers[i], "length",
                                   refused ? "Retry-After: 0\r\nConnection: close\r\n" : "Retry-After: 0\r\n", 0);
        sample->wires[i].end = refused ? WIRE_CLOSE : WIRE_KEEP;
    }
    answer = &sample->answers[cell->after_429];
    answer->http = number(json, object, "http", 0);
    answer->body = body == NULL ? copy("", 0) : copy(body->text, body->length);
    answer->length = body == NULL ? 0 : body->length;
    arrive(answer, cell->framing);
    headers(json, object, cell, answer);
    if (strcmp(cell->framing, "refused") == 0) {
        answer->arrival = ORACLE_NOT_SENT;
    }
    sample->wires[cell->after_429] = wire_of(answer, cell->framing, cell->headers, 1);
}

struct cell *cells_read(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    static char bytes[1 << 20];
    size_t length = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file), i = 0;
    struct json json;
    struct cell *cells;
    long at;
    if (file == NULL || length == sizeof bytes || !json_read(&json, bytes, length) ||
        json.values[0].kind != JSON_ARRAY) {
        fail(path, 0, "cannot be read, or is no JSON array");
    }
    fclose(file);
    for (*count = 0, at = json.values[0].first; at >= 0; at = json.values[at].next) {
        ++*count;
    }
    cells = (struct cell *)calloc(*count + 1, sizeof *cells);
    for (at = json.values[0].first; cells != NULL && at >= 0; at = json.values[at].next, i++) {
        read_cell(&json, at, &cells[i], path, i);
    }
    json_free(&json);
    return cells;
}

void cells_free(struct cell *cells, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        sample_free(&cells[i].sample);
    }
    free(cells);
}
