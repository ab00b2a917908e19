/* Whole bodies, answers and calls: see verdict_answers.h. */
#include "verdict_answers.h"
#include "verdict_maker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The members of the root, in a body that nothing has damaged yet. */
static void members(struct maker *m)
{
    static const char *const nothing_or_list[] = {"null", "[]",      "\"\"", "{}", "[{\"bankName\":\"B\"}]",
                                                  "true", "\"Ada\"", "0"};
    size_t k;
    int i, depth;
    make_text(m, "{");
    for (k = 0; m->row->members[k] != NULL; k++) {
        if (percent(m, 40)) {
            make_member(m, m->row->members[k], PICK(m, nothing_or_list));
        }
    }
    if (m->vote != THEME_NONE ? percent(m, 92) : percent(m, 12)) {
        make_status(m);
    }
    if (percent(m, 10)) {
        make_member(m, "isSuccess",
                    m->vote == THEME_SUCCESS ? "true"
                    : percent(m, 70)         ? "false"
                    : percent(m, 50)         ? "\"no\""
                                             : "\"true\"");
    }
    if (percent(m, 35)) {
        make_code(m);
    }
    if (percent(m, 50)) {
        make_message(m);
    }
    make_errors(m);
    if (m->place != 0 || percent(m, 70)) {
        make_data(m);
    }
    if (percent(m, 2)) {
        make_member(m, percent(m, 50) ? "batchReference" : "batchId",
                    percent(m, 60)   ? "\"B1\""
                    : percent(m, 50) ? "\"\""
                                     : "17");
    }
    if (percent(m, 2)) {
        make_status_id(m);
    }
    if (percent(m, 1)) {
        make_name(m, "extra");
        depth = 1 + (int)(draw(m) % 400);
        for (i = 0; i < depth; i++) {
            make_text(m, "[");
        }
        for (i = 0; i < depth; i++) {
            make_text(m, "]");
        }
    }
    if (percent(m, 2)) {
        /* A name twice, at the top or deeper, sometimes told apart by an escape or by case alone. */
        static const char *const twice[] = {"\"message\":1,\"message\":1",
                                            "\"a\":{\"b\":1,\"\\u0062\":2}",
                                            "\"a\":[{\"b\":1,\"B\":2}]",
                                            "\"a\":[{\"\":1,\"\":2}]",
                                            "\"\\u0073tatus\":true",
                                            "\"Status\":false",
                                            "\"data\":{}"};
        make_text(m, m->text[m->length - 1] == '{' ? "" : ",");
        make_text(m, PICK(m, twice));
    }
    make_text(m, "}");
}

static void page(struct maker *m)
{
    static const char *const pages[] = {"",
                                        "",
                                        "<html><body>502</body></html>",
                                        "Too many requests",
                                        "\"success\"",
                                        "null",
                                        "true",
                                        " \r\n",
                                        "<!doctype html>{",
                                        "[]",
                                        "[{\"status\":true}]",
                                        "[{\"statusId\":2}]",
                                        "[\"declined\"]",
                                        "{}",
                                        "\xEF\xBB\xBF",
                                        "status=success",
                                        "{]"};
    make_text(m, PICK(m, pages));
}

static void prefix(struct maker *m, const char *before)
{
    size_t length = strlen(before);
    make_text(m, before); /* makes room */
    memmove(m->text + length, m->text, m->length - length);
    memcpy(m->text, before, length);
}

static void damage(struct maker *m)
{
    static const char *const before[] = {"\xEF\xBB\xBF",
                                         "\xEF\xBB\xBF",
                                         "\xEF\xBB\xBF",
                                         "\xEF\xBB\xBF ",
                                         " \r\n\t",
                                         " \xEF\xBB\xBF",
                                         "\xEF\xBB\xBF\xEF\xBB\xBF",
                                         "\xEF\xBB",
                                         "\f"};
    static const char *const after[] = {" ", "\r\n", "}", "{}", ",", "\xEF\xBB\xBF", "null", "<", "\v"};
    int kind = (int)(draw(m) % 100);
    if (kind < 4) {
        prefix(m, PICK(m, before));
    } else if (kind < 6) {
        make_text(m, PICK(m, after));
    } else if (kind < 9 && m->length > 3) {
        m->length -= 1 + draw(m) % 3;
    } else if (kind < 10 && m->length > 3) {
        m->length = draw(m) % m->length;
    } else if (kind < 11 && m->length > 0) {
        m->text[draw(m) % m->length] = (char)draw(m);
    }
}

static void theme(struct maker *m)
{
    static const enum theme votes[] = {THEME_NONE,     THEME_SUCCESS, THEME_SUCCESS, THEME_SUCCESS,
                                       THEME_PROGRESS, THEME_FAILURE, THEME_FAILURE};
    static const int states[] = {0, 0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 6, 7, 8};
    m->vote = PICK(m, votes);
    m->state = PICK(m, states);
    m->place = percent(m, 25) ? 1 + (int)(draw(m) % 4) : 0;
    if (m->vote == THEME_FAILURE && percent(m, 60)) {
        m->state = percent(m, 50) ? 4 : 0;
    }
}

/* An answer that the table lets be sent again, with which a 429 comes first. */
static void too_many(struct maker *m)
{
    static const char *const bodies[] = {"",
                                         "<html>slow down</html>",
                                         "{\"status\":false,\"message\":\"Too many requests\"}",
                                         "{}",
                                         "{\"message\":\"Too many requests\"}",
                                         "{\"error\":{\"code\":\"429\"}}",
                                         "{\"success\":false}"};
    make_text(m, PICK(m, bodies));
}

static int http_status(struct maker *m)
{
    static const int refusals[] = {400, 401, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414,
                                   415, 416, 417, 421, 422, 423, 424, 426, 428, 431, 451, 460, 499};
    static const int others[] = {300, 301, 302, 303, 304, 307, 308, 399, 500,
                                 501, 502, 503, 504, 520, 599, 600, 777, 999};
    int kind = (int)(draw(m) % 100);
    return kind < 50   ? 200
           : kind < 54 ? 201
           : kind < 56 ? 202
           : kind < 57 ? 204
           : kind < 58 ? 299
           : kind < 81 ? PICK(m, refusals)
           : kind < 82 ? 400 + (int)(draw(m) % 100)
           : kind < 89 ? 429
           : kind < 91 ? 408
                       : PICK(m, others);
}

static void answer(struct maker *m, struct oracle_answer *answer, struct wire *wire, int first_429)
{
    static const char *const encodings[] = {"gzip", "br", "GZIP", "deflate", "aes128gcm"};
    static const char *const silences[] = {"none", "reset", "interim"};
    static const char *const cuts[] = {"cut", "cut chunks"};
    const char *framing = "length";
    char headers[128] = "";
    int kind = (int)(draw(m) % 1000);
    m->text = NULL;
    m->length = m->room = 0;
    make_text(m, "");
    answer->encoded = 0;
    answer->http = first_429 ? 429 : http_status(m);
    if (first_429) {
        too_many(m);
    } else if (percent(m, 9)) {
        page(m);
    } else {
        theme(m);
        m->calm = percent(m, 50);
        members(m);
        damage(m);
    }
    if (answer->http == 204 || answer->http == 304) {
        m->length = 0;
    }
    if (kind < 80) {
        framing = "chunked";
    } else if (!first_429 && answer->http != 204 && answer->http != 304) {
        framing = kind < 120 ? "close" : kind < 145 ? PICK(m, cuts) : kind < 160 ? PICK(m, silences) : "length";
        if (kind > 980) {
            answer->encoded = percent(m, 70);
            sprintf(headers, "Content-Encoding: %s\r\n",
                    answer->encoded  ? PICK(m, encodings)
                    : percent(m, 50) ? "identity"
                                     : "Identity");
        }
    }
    /* Nothing waits: the service says when to come again. */
    strcat(headers, "Retry-After: 0\r\n");
    answer->body = m->text;
    answer->length = m->length;
    arrive(answer, framing);
    *wire = wire_of(answer, framing, headers, draw(m));
}

static void request(struct maker *m, struct sample *sample)
{
    const char *name = sample->row->name, *format = "{\"reference\":\"%s\"}";
    if (strcmp(name, "order_pay") == 0) {
        format = "{\"paymentOption\":\"NDD\",\"reference\":\"%s\",\"directDebitPaymentRequest\":{\"otp\":\"123456\","
                 "\"mandateCode\":\"%s\"}}";
    } else if (strcmp(name, "order_create") == 0) {
        format = percent(m, 50) ? "{\"order\":{\"reference\":\"%s\",\"amount\":\"1\"}}" : "{\"reference\":\" %s\"}";
    } else if (strcmp(name, "direct_debit_create") == 0) {
        format = "{\"orderReference\":\"%s\"}";
    } else if (strcmp(name, "direct_debit_otp") == 0 || strcmp(name, "direct_debit_status") == 0) {
        format = "{\"mandateCode\":\"%s\"}";
    } else if (strcmp(name, "virtual_account_generate") == 0) {
        format = percent(m, 50) ? "{\"Alias\":\"%s\",\"Reference\":\"%s\"}" : "{\"Alias\":\"%s\"}";
    } else if (strcmp(name, "transaction_details") == 0) {
        format = "{\"sessionId\":\"%s\"}";
    } else if (strcmp(name, "direct_debit_history") == 0) {
        format = "{\"emailAddress\":\"%s@example.com\"}";
    } else if (strcmp(name, "payout_initiate") == 0) {
        format = "{\"payoutDetails\":[{\"clientReference\":\"%s\",\"accountNumber\":\"0690000031\",\"bankCode\":"
                 "\"000014\",\"amount\":1,\"description\":\"d\",\"accountName\":\"Ada\",\"creditCurrency\":"
                 "\"NGN\",\"debitCurrency\":\"NGN\"}]}";
    } else if (strcmp(name, "payout_status") == 0) {
        format = "{\"batchReference\":\"%s\"}";
    } else if (strcmp(name, "payout_name_enquiry") == 0) {
        format = "{\"bankCode\":\"000014\",\"accountNumber\":\"%s\"}";
    } else if (strcmp(name, "payout_balance") == 0) {
        format = "{\"currency\":\"%s\"}";
    } else if (strcmp(name, "request POST") == 0) {
        static const char *const bodies[] = {"{\"reference\":\"%s\"}",
                                             "{\"order\":{\"reference\":\"%s\"}}",
                                             "{\"Reference\":\"%s\",\"sessionId\":\"%s\"}",
                                             "{\"mandateCode\":\"%s\"}",
                                             "[\"%s\"]",
                                             "{\"x\":\"%s\"}"};
        char whole[256];
        sprintf(whole, "{\"method\":\"POST\",\"path\":\"/verdicts/made-up\",\"key\":\"secret\",\"body\":%s}",
                PICK(m, bodies));
        sprintf(sample->request, whole, m->reference, m->reference);
        return;
    } else if (strcmp(name, "request GET") == 0) {
        format = percent(m, 50) ? "{\"method\":\"GET\",\"path\":\"/verdicts/"
                                  "made-up\",\"key\":\"public\",\"query\":{\"reference\":\"%s\",\"sessionId\":\"%s\"}}"
                                : "{\"method\":\"GET\",\"path\":\"/verdicts/made-up\",\"key\":\"public\"}";
    }
    sprintf(sample->request, format, m->reference, m->reference);
}

void sample_make(struct sample *sample, unsigned long seed, unsigned long index)
{
    static const char *const names[] = {
        "order_refund",         "order_refund",        "order_refund",        "order_refund",
        "order_refund",         "order_refund",        "request POST",        "request POST",
        "request POST",         "order_pay",           "order_pay",           "direct_debit_otp",
        "order_create",         "order_create",        "direct_debit_create", "virtual_account_generate",
        "transaction_details",  "transaction_details", "transaction_details", "direct_debit_history",
        "direct_debit_history", "direct_debit_status", "request GET",
        "payout_initiate",      "payout_initiate",     "payout_initiate",     "payout_status",
        "payout_name_enquiry",  "payout_balance"};
    struct maker maker, *m = &maker;
    char text[32];
    int before, i;
    memset(m, 0, sizeof *m);
    memset(sample, 0, sizeof *sample);
    m->random = (seed + 1) * 0x9E3779B97F4A7C15ULL ^ (index + 1) * 0xBF58476D1CE4E5B9ULL;
    for (i = 0; i < 8; i++) {
        draw(m);
    }
    sample->row = m->row = oracle_row(PICK(m, names));
    sprintf(text, percent(m, 50) ? "%lu" : "R-a%lu", 1000 + draw(m) % 9000);
    m->reference = text;
    sample->request = (char *)malloc(1024);
    if (sample->request == NULL) {
        abort();
    }
    request(m, sample);
    before = sample->row->kind == ORACLE_READS || percent(m, 60) ? 0 : percent(m, 60) ? 1 : 2;
    sample->count = before + 1;
    sample->tries = percent(m, 80) ? 3 : percent(m, 50) ? 2 : 1;
    for (i = 0; i <= before; i++) {
        answer(m, &sample->answers[i], &sample->wires[i], i < before);
    }
    /* Only after a broken connection does the client wait by its own measure; some of these are let wait. */
    if (sample->row->kind == ORACLE_READS && sample->wires[before].end != WIRE_KEEP && !percent(m, 4)) {
        sample->tries = 1;
    }
}

void sample_free(struct sample *sample)
{
    int i;
    for (i = 0; i < sample->count; i++) {
        free((char *)sample->answers[i].body);
        free(sample->wires[i].bytes);
    }
    free(sample->request);
}
