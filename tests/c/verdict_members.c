/* The members of made-up answers. A theme makes most of an answer agree with itself; the rest is chance. */
#include "verdict_maker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long draw(struct maker *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (unsigned long)(m->random >> 16);
}

int percent(struct maker *m, int chance) { return (int)(draw(m) % 1000) < chance * 10; }

void make_bytes(struct maker *m, const char *text, size_t length)
{
    if (m->length + length + 1 > m->room) {
        m->room = (m->length + length + 1) * 2;
        m->text = (char *)realloc(m->text, m->room);
        if (m->text == NULL) {
            abort();
        }
    }
    memcpy(m->text + m->length, text, length);
    m->length += length;
    m->text[m->length] = '\0';
}

void make_text(struct maker *m, const char *text) { make_bytes(m, text, strlen(text)); }

/* A member's name, sometimes in another case or with an escape. */
void make_name(struct maker *m, const char *name)
{
    int other_case = !m->calm && percent(m, strcmp(name, "status") == 0 ? 12 : 5), escaped = !m->calm && percent(m, 2);
    char last = m->length == 0 ? '{' : m->text[m->length - 1], unit[12];
    size_t i, where = draw(m) % strlen(name);
    if (last != '{' && last != '[') {
        make_text(m, percent(m, 90) ? "," : " ,\n ");
    }
    make_text(m, "\"");
    for (i = 0; name[i] != '\0'; i++) {
        int letter = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z');
        char c = other_case && letter && (i == where || where % 3 == 0) ? (char)(name[i] ^ 32) : name[i];
        if (escaped && i == where) {
            sprintf(unit, "\\u%04x", (unsigned)c & 0x7F);
            make_text(m, unit);
        } else {
            make_bytes(m, &c, 1);
        }
    }
    make_text(m, percent(m, 95) ? "\":" : "\" : ");
}

void make_member(struct maker *m, const char *name, const char *value)
{
    make_name(m, name);
    make_text(m, value);
}

static const char *const nothing_or_odd[] = {"null", "\"\"", "{}",           "[]",  "true",  "false",
                                             "0",    "7.5",  "{\"a\":null}", "[1]", "\"x\"", "[{}]"};

static const char *const success_words[] = {"true",           "\"success\"",         "\"Success\"", "\" SUCCESSFUL \"",
                                            "\"successful\"", "\"\\u0073uccess\\n\""};
static const char *const progress_words[] = {
    "\"pending\"", "\"Initiated\"", "\"PROCESSING\"", "\"awaiting\"", "\"Awaiting confirmation\"", "\"\\tpending\""};
static const char *const failure_words[] = {"false",     "\"false\"",     "\"No\"",       "\"failed\"", "\"Failure\"",
                                            "\"error\"", "\" declined\"", "\"REJECTED\"", "false"};
static const char *const odd_words[] = {
    "0",     "1",  "200", "\"true\"", "\"unsuccessful\"",   "\"reversed\"", "null",
    "\"\"",  "{}", "[]",  "\"ok\"",   "\"not successful\"", "\"await\"",    "\"in progress\"",
    "\"5\"", "5",  "4",   "\"yes\"",  "\"Failed.\""};

void make_status(struct maker *m)
{
    enum theme theme = percent(m, 8) ? THEME_ANY : m->vote;
    const char *value = theme == THEME_SUCCESS    ? PICK(m, success_words)
                        : theme == THEME_PROGRESS ? PICK(m, progress_words)
                        : theme == THEME_FAILURE  ? PICK(m, failure_words)
                                                  : PICK(m, odd_words);
    if (theme == THEME_ANY && percent(m, 60)) {
        value = percent(m, 33)   ? PICK(m, success_words)
                : percent(m, 50) ? PICK(m, progress_words)
                                 : PICK(m, failure_words);
    }
    make_member(m, "status", value);
}

static int state_of(struct maker *m) { return m->state == 8 || percent(m, 4) ? (int)(draw(m) % 9) : m->state; }

void make_status_id(struct maker *m)
{
    static const char *const odd[] = {
        "0",          "8",           "99",        "5.0", "\"5.0\"", "-3",      "\"x\"", "\"successful\"",
        "\"failed\"", "true",        "{\"a\":1}", "[5]", "null",    "\"\"",    "{}",    "[]",
        "50e-1",      "99999999999", "\"98\"",    "98",  "\"05\"",  "\" 2 \"", "4.0"};
    static const char *const forms[] = {"%d", "%d", "%d", "%d", "%d", "%d", "\"%d\"", "\"0%d\"", "\" %d\""};
    char text[16];
    int state = state_of(m);
    if (state < 1 || state > 7 || percent(m, 3)) {
        make_member(m, "statusId", PICK(m, odd));
        return;
    }
    sprintf(text, PICK(m, forms), state);
    make_member(m, "statusId", text);
}

static void word(struct maker *m, const char *name, int in_data)
{
    static const char *const words[] = {"",       "initiated",  "pending",  "awaiting",
                                        "failed", "successful", "reversed", "processing"};
    static const char *const other[] = {"",         "Initiated ", " PENDING", "Awaiting customer",
                                        "Declined", "Successful", "REVERSED", "Processing"};
    char text[64];
    int state = state_of(m);
    if (in_data && (state == 5 || percent(m, 4)) && percent(m, 30)) {
        make_member(m, name, percent(m, 80) ? "\"success\"" : "\" Success\"");
    } else if (state < 1 || state > 7 || percent(m, 4)) {
        make_member(m, name, percent(m, 60) ? PICK(m, odd_words) : PICK(m, nothing_or_odd));
    } else {
        sprintf(text, "\"%s\"", percent(m, 70) ? words[state] : other[state]);
        make_member(m, name, text);
    }
}

static void code(struct maker *m, const char *name)
{
    static const char *const good[] = {"\"00\"", "\"0\"", "0", "200", "\"200\"", "\"000\"", "\"0200\""};
    static const char *const progress[] = {"\"01\"", "1",      "\"02\"", "2",  "\"06\"", "\"9\"",   "\"09\"",
                                           "68",     "\"91\"", "\"96\"", "97", "\"99\"", "\" 01 \""};
    static const char *const bad[] = {"\"04\"", "4",   "\"12\"", "12", "\"0012\"", "\"13\"", "\"51\"",
                                      "\"XX\"", "0.0", "\"-1\"", "5",  "\"1000\"", "\"0x0\""};
    enum theme theme = percent(m, 12) ? THEME_ANY : m->vote;
    const char *value = theme == THEME_SUCCESS    ? PICK(m, good)
                        : theme == THEME_PROGRESS ? PICK(m, progress)
                                                  : PICK(m, bad);
    if (theme == THEME_NONE || theme == THEME_ANY) {
        value = percent(m, 25)   ? PICK(m, good)
                : percent(m, 33) ? PICK(m, progress)
                : percent(m, 50) ? PICK(m, bad)
                                 : PICK(m, nothing_or_odd);
    }
    if (m->state == 4 && m->vote == THEME_SUCCESS && percent(m, 60)) {
        value = PICK(m, bad);
    }
    make_member(m, name, value);
}

void make_code(struct maker *m)
{
    static const char *const names[] = {
        "statusCode",         "statusCode", "code", "code", "status_code", "responseCode", "orderPaymentResponseCode",
        "paymentResponseCode"};
    code(m, PICK(m, names));
}

static void reference(struct maker *m, const char *name)
{
    static const char *const odd[] = {"null",      "\"\"",        "true",    "{}", "[]",
                                      "{\"a\":1}", "\"another\"", "\"R-0\"", "7",  "\" \""};
    char text[96];
    size_t i;
    if (percent(m, 10)) {
        make_member(m, name, PICK(m, odd));
        return;
    }
    if (m->reference[0] >= '0' && m->reference[0] <= '9' && percent(m, 40)) {
        make_member(m, name, m->reference);
        return;
    }
    sprintf(text, percent(m, 90) ? "\"%s\"" : "\"  %s\\t\"", m->reference);
    for (i = 1; percent(m, 10) && text[i] != '\0'; i++) {
        text[i] = text[i] >= 'a' && text[i] <= 'z' && text[i] != 't' ? (char)(text[i] - 32) : text[i];
    }
    make_member(m, name, text);
}

void make_message(struct maker *m)
{
    static const char *const guessed[] = {"\"Order ALREADY paid\"",
                                          "\"Duplicate reference\"",
                                          "\"transaction in progress\"",
                                          "\"request timed out\"",
                                          "\"Timeout at the bank\"",
                                          "\"please requery\"",
                                          "\"already\""};
    static const char *const plain[] = {"\"done\"",
                                        "\"Insufficient funds\"",
                                        "\"success\"",
                                        "\"failed\"",
                                        "\"The X field is required.\"",
                                        "null",
                                        "\"\"",
                                        "7",
                                        "{\"already\":1}",
                                        "\"caf\xC3\xA9 \\ud83d\\ude00 \\u0000 \\\"\""};
    make_member(m, "message", percent(m, 12) ? PICK(m, guessed) : PICK(m, plain));
}

static void part(struct maker *m, const char *name, int place, int with_reference)
{
    int named = m->state != 0 && (m->place == 0 || m->place == place);
    if (!percent(m, m->place == place ? 95 : 24)) {
        return;
    }
    make_name(m, name);
    if (percent(m, m->place == 0 ? 6 : 0)) {
        make_text(m, PICK(m, nothing_or_odd));
        return;
    }
    make_text(m, "{");
    if (named && percent(m, m->place == 0 ? 60 : 90)) {
        make_status_id(m);
    }
    if (named && percent(m, 35)) {
        word(m, "status", 0);
    }
    if (named && percent(m, 6)) {
        word(m, "paymentStatus", 0);
    }
    if (percent(m, 20)) {
        make_code(m);
    }
    if (with_reference && percent(m, 50)) {
        reference(m, "reference");
    }
    make_text(m, "}");
}

static void items(struct maker *m)
{
    int count = (int)(draw(m) % 4), i, before = m->state;
    make_text(m, "[");
    for (i = 0; i < count; i++) {
        if (m->text[m->length - 1] != '[') {
            make_text(m, ",");
        }
        if (percent(m, 3)) {
            make_text(m, PICK(m, nothing_or_odd));
            continue;
        }
        m->state = before == 5 && percent(m, 35) ? 4 : before;
        make_text(m, "{");
        if (percent(m, 60)) {
            make_status_id(m);
        }
        if (percent(m, 30)) {
            word(m, "status", 0);
        }
        if (percent(m, 20)) {
            word(m, "paymentStatus", 0);
        }
        if (percent(m, 8)) {
            make_code(m);
        }
        make_text(m, "}");
    }
    m->state = before;
    make_text(m, "]");
}

void make_data(struct maker *m)
{
    static const char *const votes[] = {"isSuccess", "success"};
    int named = m->state != 0 && m->place <= 1;
    make_name(m, "data");
    if (m->place == 0 && percent(m, 6)) {
        make_text(m, PICK(m, nothing_or_odd));
        return;
    }
    if (m->place == 0 && percent(m, 6)) {
        items(m);
        return;
    }
    make_text(m, "{");
    if (named && percent(m, m->row->subject != NULL ? 80 : 35)) {
        make_status_id(m);
    }
    if (named ? percent(m, 40) : percent(m, m->place == 0 ? 3 : 0)) {
        word(m, "status", 1);
    }
    if (named && percent(m, 4)) {
        word(m, "paymentStatus", 0);
    }
    if (percent(m, 3)) {
        make_member(m, PICK(m, votes), percent(m, 60) ? PICK(m, failure_words) : PICK(m, odd_words));
    }
    part(m, "orderPayment", 2, 0);
    part(m, "orderSummary", 3, 1);
    part(m, "order", 4, 1);
    if (percent(m, m->place == 0 ? 15 : 3)) {
        make_name(m, "orderPayments");
        if (percent(m, 95)) {
            items(m);
        } else {
            make_text(m, PICK(m, nothing_or_odd));
        }
    }
    if (percent(m, m->row->kind == ORACLE_READS ? 30 : 10)) {
        reference(m, "sessionId");
    }
    if (percent(m, m->row->kind == ORACLE_READS ? 30 : 10)) {
        reference(m, "mandateCode");
    }
    if (percent(m, 6)) {
        make_code(m);
    }
    if (percent(m, 3)) {
        make_message(m);
    }
    if (percent(m, 2)) {
        make_member(m, "payoutReference", percent(m, 60) ? "\"P1\"" : PICK(m, nothing_or_odd));
    }
    make_text(m, "}");
}

void make_errors(struct maker *m)
{
    static const char *const values[] = {"\"no\"",
                                         "true",
                                         "[\"no\"]",
                                         "{\"code\":\"E1\"}",
                                         "{\"amount\":\"is required\"}",
                                         "{\"message\":\"no\"}",
                                         "null",
                                         "\"\"",
                                         "{}",
                                         "[]",
                                         "false",
                                         "0"};
    static const char *const success[] = {"false", "\"False\"", "\"no\"", "true", "\"true\"", "null", "0"};
    int likely = m->vote == THEME_FAILURE || m->vote == THEME_NONE ? 15 : 3;
    if (percent(m, likely)) {
        make_member(m, "error", PICK(m, values));
    }
    if (percent(m, likely)) {
        make_member(m, "errors", PICK(m, values));
    }
    if (percent(m, likely)) {
        make_member(m, "success", PICK(m, success));
    }
}
