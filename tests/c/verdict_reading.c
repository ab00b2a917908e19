/* What an answer says: votes and D. Its codes are in verdict_codes.c; the state of B, and row 16's comparisons, in
 * verdict_state.c.
 *
 * Comments quote the document where it can be read in two ways; the reading taken is the safer one for the merchant. */
#include "verdict_reading.h"
#include <string.h>

static const char *const failures[] = {"failed", "failure", "error", "declined", "rejected", NULL};
static const char *const orders[] = {"orderPayment", "orderSummary", "order", NULL};

int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

const struct json_value *at(const struct json *json, long index) { return &json->values[index]; }

/* The next member of that name, from `from` on; start with an object's first. */
long named_from(const struct json *json, long from, const char *name, int any_case)
{
    while (from >= 0 && !json_named(at(json, from), name, any_case)) {
        from = at(json, from)->next;
    }
    return from;
}

long first_named(const struct json *json, long object, const char *name, int any_case)
{
    return at(json, object)->kind == JSON_OBJECT ? named_from(json, at(json, object)->first, name, any_case) : -1;
}

struct word word_of(const struct json_value *value)
{
    struct word word;
    memset(&word, 0, sizeof word);
    if (value->kind == JSON_TEXT || value->kind == JSON_NUMBER) {
        word.text = value->text;
        word.length = value->length;
        while (word.length > 0 && is_blank(word.text[0])) {
            word.text++;
            word.length--;
        }
        while (word.length > 0 && is_blank(word.text[word.length - 1])) {
            word.length--;
        }
    }
    return word;
}

int word_is(struct word word, const char *other, size_t length)
{
    size_t i;
    if (word.length != length) {
        return 0;
    }
    for (i = 0; i < length; i++) {
        if (lower(word.text[i]) != lower(other[i])) {
            return 0;
        }
    }
    return 1;
}

static int is(struct word word, const char *other) { return word_is(word, other, strlen(other)); }

int all_digits(struct word word)
{
    size_t i;
    for (i = 0; i < word.length; i++) {
        if (word.text[i] < '0' || word.text[i] > '9') {
            return 0;
        }
    }
    return word.length > 0;
}

/* "Words are trimmed" and "" names nothing: so does a text of blanks. */
int names_nothing(const struct json_value *value)
{
    return value->kind == JSON_NULL || (value->kind == JSON_TEXT && word_of(value).length == 0) ||
           ((value->kind == JSON_ARRAY || value->kind == JSON_OBJECT) && value->first < 0);
}

int is_failure_word(struct word word)
{
    size_t i;
    for (i = 0; failures[i] != NULL; i++) {
        if (is(word, failures[i])) {
            return 1;
        }
    }
    return 0;
}

int progress_of(struct word word)
{
    struct word start = word;
    start.length = word.length < 8 ? word.length : 8;
    return is(word, "initiated")    ? 1
           : is(word, "pending")    ? 2
           : is(start, "awaiting")  ? 3
           : is(word, "processing") ? 7
                                    : 0;
}

int is_false(const struct json_value *value)
{
    return value->kind == JSON_FALSE ||
           (value->kind == JSON_TEXT && (is(word_of(value), "false") || is(word_of(value), "no")));
}

static void vote(const struct json *json, long root, int any_case, int *success, int *failure, int *weak)
{
    static const char *const inner[] = {"isSuccess", "success", "status", NULL};
    static const char *const errors[] = {"error", "errors", NULL};
    long i, j;
    size_t k;
    for (i = first_named(json, root, "status", any_case); i >= 0;
         i = named_from(json, at(json, i)->next, "status", any_case)) {
        const struct json_value *value = at(json, i);
        struct word word = word_of(value);
        if (value->kind == JSON_TRUE ||
            (value->kind == JSON_TEXT && (is(word, "success") || is(word, "successful") || progress_of(word) != 0))) {
            *success = 1;
        } else if (is_false(value) || (value->kind == JSON_TEXT && is_failure_word(word))) {
            *failure = 1;
        }
    }
    for (i = first_named(json, root, "isSuccess", any_case); i >= 0;
         i = named_from(json, at(json, i)->next, "isSuccess", any_case)) {
        *success |= at(json, i)->kind == JSON_TRUE;
        *failure |= is_false(at(json, i));
    }
    for (k = 0; errors[k] != NULL; k++) {
        for (i = first_named(json, root, errors[k], any_case); i >= 0;
             i = named_from(json, at(json, i)->next, errors[k], any_case)) {
            const struct json_value *value = at(json, i);
            /* "`error` a text": a text of blanks is one, as weak F only weakens. */
            *weak |= value->kind == JSON_TRUE || (value->kind == JSON_TEXT && value->length > 0) ||
                     (value->kind == JSON_ARRAY && value->first >= 0);
            *failure |= value->kind == JSON_OBJECT && value->first >= 0;
        }
    }
    for (i = first_named(json, root, "success", any_case); i >= 0;
         i = named_from(json, at(json, i)->next, "success", any_case)) {
        /* "false or "false"": not "no", which only the members of F have. */
        *weak |=
            at(json, i)->kind == JSON_FALSE || (at(json, i)->kind == JSON_TEXT && is(word_of(at(json, i)), "false"));
    }
    for (i = first_named(json, root, "data", any_case); i >= 0;
         i = named_from(json, at(json, i)->next, "data", any_case)) {
        for (k = 0; inner[k] != NULL; k++) {
            for (j = first_named(json, i, inner[k], any_case); j >= 0;
                 j = named_from(json, at(json, j)->next, inner[k], any_case)) {
                *failure |= is_false(at(json, j));
            }
        }
    }
}

static int contains(const struct json_value *text, const char *part)
{
    size_t i, j, length = strlen(part);
    for (i = 0; text->length >= length && i <= text->length - length; i++) {
        for (j = 0; j < length && lower(text->text[i + j]) == part[j]; j++) {}
        if (j == length) {
            return 1;
        }
    }
    return 0;
}

static int guessed_progress(const struct json_value *message)
{
    static const char *const parts[] = {"already", "duplicate", "in progress", "timed out", "timeout", "requery", NULL};
    size_t i;
    for (i = 0; message->kind == JSON_TEXT && parts[i] != NULL; i++) {
        if (contains(message, parts[i])) {
            return 1;
        }
    }
    return 0;
}

/* A `status` or `paymentStatus` in a place where it is the payment's: 0 names nothing, 1 FAILED, 2 anything else. A value
 * that is no word is anything else too, the safer way; but for `data.status` false, which is F itself. */
static int word_in(const struct json *json, long object, const char *name, int false_is_failure)
{
    int found = 0;
    long i;
    for (i = first_named(json, object, name, 1); i >= 0; i = named_from(json, at(json, i)->next, name, 1)) {
        const struct json_value *value = at(json, i);
        if (names_nothing(value) || (false_is_failure && value->kind == JSON_FALSE)) {
            continue;
        }
        if (value->kind != JSON_TEXT || !is_failure_word(word_of(value))) {
            return 2;
        }
        found = 1;
    }
    return found;
}

/* D and "any state", in any case. An element of a `data` array counts as one of the history: the safer way. */
static void deny(const struct json *json, struct reading *reading)
{
    long i, j, errors = json_member(json, 0, "errors");
    /* "unless `errors` is not empty" makes a verdict stronger: the exact name, and a text, an array or an object. */
    int errors_said = errors >= 0 && at(json, errors)->kind >= JSON_TEXT && !names_nothing(at(json, errors));
    struct codes codes;
    size_t k;
    memset(&codes, 0, sizeof codes);
    add_all_codes(json, &codes);
    for (i = 0; i < (long)json->count; i++) {
        const struct json_value *value = at(json, i);
        if (json_named(value, "statusId", 1) && !names_nothing(value)) {
            struct word word = word_of(value);
            while (value->kind == JSON_TEXT && all_digits(word) && word.length > 1 && word.text[0] == '0') {
                word.text++;
                word.length--;
            }
            reading->names_state = 1;
            reading->denies |= !is(word, "4");
        }
        reading->denies |= value->kind != JSON_NULL && value->first < 0 && value->length > 0 && !errors_said &&
                           json_named(value, "message", 1) && guessed_progress(value);
        if (json_named(value, "batchReference", 1) || json_named(value, "batchId", 1) ||
            json_named(value, "payoutReference", 1)) {
            /* "that is not empty": a text of blanks is not. */
            reading->denies |= !names_nothing(value) || value->length > 0;
        }
    }
    for (i = first_named(json, 0, "data", 1); i >= 0; i = named_from(json, at(json, i)->next, "data", 1)) {
        int words = word_in(json, i, "status", 1) | word_in(json, i, "paymentStatus", 0);
        for (k = 0; orders[k] != NULL; k++) {
            for (j = first_named(json, i, orders[k], 1); j >= 0;
                 j = named_from(json, at(json, j)->next, orders[k], 1)) {
                words |= word_in(json, j, "status", 0) | word_in(json, j, "paymentStatus", 0);
            }
        }
        for (j = at(json, i)->kind == JSON_ARRAY ? i : first_named(json, i, "orderPayments", 1); j >= 0;
             j = j == i ? -1 : named_from(json, at(json, j)->next, "orderPayments", 1)) {
            long item = at(json, j)->kind == JSON_ARRAY ? at(json, j)->first : -1;
            for (; item >= 0; item = at(json, item)->next) {
                words |= word_in(json, item, "status", 0) | word_in(json, item, "paymentStatus", 0);
                add_codes(json, item, &codes);
            }
        }
        reading->names_state |= words != 0;
        reading->denies |= (words & 2) != 0;
    }
    reading->denies |= codes.good;
}

static int name_twice(const struct json *json)
{
    long i, j;
    for (i = 0; i < (long)json->count; i++) {
        const struct json_value *one = at(json, i);
        for (j = one->name == NULL ? -1 : one->next; j >= 0; j = at(json, j)->next) {
            const struct json_value *other = at(json, j);
            if (one->name_length == other->name_length && memcmp(one->name, other->name, one->name_length) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

static void own_members(const struct json *json, const struct oracle_row *row, struct reading *reading)
{
    size_t k;
    for (k = 0; row->members[k] != NULL; k++) {
        long i = json_member(json, 0, row->members[k]);
        reading->own_member |= i >= 0 && at(json, i)->kind != JSON_NULL;
    }
}

/* "an object or a number": ASCII digits as text are a number. */
static void find_subject(const struct json *json, const struct oracle_row *row, struct reading *reading)
{
    const struct json_value *value;
    long i;
    if (row->subject == NULL || (i = json_member(json, 0, "data")) < 0 ||
        (i = json_member(json, i, row->subject + 5)) < 0) {
        return;
    }
    value = at(json, i);
    reading->subject = value->kind == JSON_NUMBER || (value->kind == JSON_OBJECT && value->first >= 0) ||
                       (value->kind == JSON_TEXT && all_digits(word_of(value)));
}

void oracle_read(struct reading *reading, const struct oracle_row *row, const char *request, const char *body,
                 size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t start = 0, look = 0;
    struct json json;
    memset(reading, 0, sizeof *reading);
    if (length >= 3 && memcmp(body, mark, 3) == 0) {
        start = 3;
    }
    while (look < length && (is_blank(body[look]) || (length - look >= 3 && memcmp(body + look, mark, 3) == 0))) {
        look += is_blank(body[look]) ? 1 : 3;
    }
    reading->begins_as_json = look < length && (body[look] == '{' || body[look] == '[');
    reading->is_json = json_read(&json, body + start, length - start);
    if (reading->is_json) {
        vote(&json, 0, 1, &reading->success_any, &reading->failure_any, &reading->weak_any);
        vote(&json, 0, 0, &reading->success_exact, &reading->failure_exact, &reading->weak_exact);
        deny(&json, reading);
        own_members(&json, row, reading);
        find_subject(&json, row, reading);
        read_state(&json, row, reading);
        reading->other_request = names_other_request(&json, row, request);
        reading->name_twice = name_twice(&json);
        if (reading->name_twice) {
            reading->state = 0;
        }
    }
    json_free(&json);
}
