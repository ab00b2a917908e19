/* The state of a payment (B), and row 16's comparisons with the request. All names of states are exact.
 *
 * Comments quote the document where it can be read in two ways; the reading taken is the safer one for the merchant. */
#include "verdict_reading.h"
#include <limits.h>
#include <string.h>

#define BIT(state) (1 << (state))
#define PROGRESS (BIT(1) | BIT(2) | BIT(3) | BIT(7))
#define FINAL (BIT(4) | BIT(5) | BIT(6))

enum { NONE = 0, FAILED = 4, SUCCESSFUL = 5 };

/* What some scalars, or one element of the history, name. */
struct named {
    int known;       /* bits of the states 1 to 7 */
    int unknown;     /* an unknown word, number or value */
    int number;      /* the unknown number */
    int numbers;     /* how many different ones: 2 for more than one */
    int success;     /* "success" in data.status */
};

static void add_unknown(struct named *named) { named->unknown = 1; }

static void add_number(struct named *named, struct word word)
{
    long number = 0;
    int negative = word.length > 1 && word.text[0] == '-';
    struct word digits = word;
    size_t i;
    digits.text += negative;
    digits.length -= (size_t)negative;
    for (i = 0; all_digits(digits) && i < digits.length; i++) {
        number = number > INT_MAX ? number : number * 10 + (digits.text[i] - '0');
    }
    if (!negative && all_digits(digits) && number >= 1 && number <= 7) {
        named->known |= BIT(number);
        return;
    }
    /* "`5.0` is an unknown number": it cannot be returned as it is, nor can one that is too large. */
    number = !all_digits(digits) || number > INT_MAX ? 0 : negative ? -number : number;
    named->unknown = 1;
    named->numbers = named->numbers == 0 || (named->numbers == 1 && named->number == (int)number) ? 1 : 2;
    named->number = (int)number;
}

static void add_id(struct named *named, const struct json *json, long object)
{
    long i = json_member(json, object, "statusId");
    const struct json_value *value = i < 0 ? NULL : at(json, i);
    if (value == NULL || names_nothing(value)) {
        return;
    }
    if (value->kind == JSON_NUMBER || (value->kind == JSON_TEXT && all_digits(word_of(value)))) {
        add_number(named, word_of(value));
    } else {
        add_unknown(named);
    }
}

/* A number in a word's place is unknown: it must not be taken for 5. */
static void add_word(struct named *named, const struct json *json, long object, const char *name, int success_counts)
{
    long i = json_member(json, object, name);
    const struct json_value *value = i < 0 ? NULL : at(json, i);
    struct word word;
    if (value == NULL || names_nothing(value)) {
        return;
    }
    word = word_of(value);
    if (value->kind != JSON_TEXT) {
        add_unknown(named);
    } else if (progress_of(word) != 0) {
        named->known |= BIT(progress_of(word));
    } else if (is_failure_word(word)) {
        named->known |= BIT(FAILED);
    } else if (word_is(word, "successful", 10)) {
        named->known |= BIT(SUCCESSFUL);
    } else if (word_is(word, "reversed", 8)) {
        named->known |= BIT(6);
    } else if (success_counts && word_is(word, "success", 7)) {
        named->success = 1;
    } else {
        add_unknown(named); /* "false" and "no" too: they are F's texts, not its words */
    }
}

static void add_all(struct named *named, const struct json *json, long object, int success_counts)
{
    if (object >= 0 && at(json, object)->kind == JSON_OBJECT) {
        add_id(named, json, object);
        add_word(named, json, object, "status", success_counts);
        add_word(named, json, object, "paymentStatus", 0);
    }
}

static int names(const struct named *named) { return named->known != 0 || named->unknown || named->success; }

static int disagree(const struct named *named)
{
    int finals = named->known & FINAL;
    return (finals & (finals - 1)) != 0 || (finals != 0 && ((named->known & PROGRESS) != 0 || named->unknown));
}

static int single(int bits)
{
    int state;
    for (state = 1; state <= 7; state++) {
        if (bits == BIT(state)) {
            return state;
        }
    }
    return NONE;
}

/* What agreeing scalars name. Several unknown numbers: none of them. */
static int agreed(const struct named *all, const struct named *order_payment)
{
    if (disagree(all)) {
        return NONE;
    }
    if (all->known != 0) {
        int one = single(all->known);
        return one != NONE ? one : single(order_payment->known);
    }
    return all->numbers == 1 ? all->number : NONE;
}

struct history {
    int named, successful, not_failed;
};

static void add_item(struct history *history, const struct json *json, long item)
{
    struct named named;
    memset(&named, 0, sizeof named);
    add_all(&named, json, item, 0);
    if (names(&named)) {
        history->named = 1;
        /* As FAILED, SUCCESSFUL only if all that it names is. */
        history->successful |= named.known == BIT(SUCCESSFUL) && !named.unknown;
        history->not_failed |= named.known != BIT(FAILED) || named.unknown;
    }
}

/* The words of the top-level `status` in any case: all that they do here is weaken. */
static void top_words(const struct json *json, int *progress, int *contradicts)
{
    long i;
    for (i = first_named(json, 0, "status", 1); i >= 0; i = named_from(json, at(json, i)->next, "status", 1)) {
        const struct json_value *value = at(json, i);
        struct word word = word_of(value);
        int in_progress = value->kind == JSON_TEXT && progress_of(word) != 0;
        *progress |= in_progress;
        *contradicts |= in_progress || is_false(value) || (value->kind == JSON_TEXT && is_failure_word(word));
    }
}

void read_state(const struct json *json, const struct oracle_row *row, struct reading *reading)
{
    struct named all, own, others, order_payment;
    struct history history;
    struct codes codes = payment_codes(json), top = top_codes(json);
    long data = json_member(json, 0, "data"), i;
    int progress = 0, contradicts = 0, state;
    memset(&own, 0, sizeof own);
    memset(&others, 0, sizeof others);
    memset(&order_payment, 0, sizeof order_payment);
    memset(&history, 0, sizeof history);
    if (data >= 0 && at(json, data)->kind == JSON_ARRAY) {
        /* "an element of a `data` array FAILED": one that names FAILED at all, the safer way. */
        for (i = at(json, data)->first; i >= 0; i = at(json, i)->next) {
            struct named item;
            memset(&item, 0, sizeof item);
            add_all(&item, json, i, 0);
            reading->failed_item |= (item.known & BIT(FAILED)) != 0;
        }
    }
    add_all(&order_payment, json, json_member(json, data, "orderPayment"), 0);
    add_all(&own, json, data, 1);
    add_all(&own, json, json_member(json, data, "orderPayment"), 0);
    add_all(&others, json, json_member(json, data, "orderSummary"), 0);
    add_all(&others, json, json_member(json, data, "order"), 0);
    all = own;
    add_all(&all, json, json_member(json, data, "orderSummary"), 0);
    add_all(&all, json, json_member(json, data, "order"), 0);
    if (row->word_is_state) {
        i = json_member(json, 0, "status");
        if (i >= 0 && at(json, i)->kind == JSON_TEXT) {
            add_word(&all, json, 0, "status", 1);
        }
    }
    /* "agrees with 5 and alone names nothing": beside anything else it is 5, so it disagrees with progress too. */
    if (all.success && (row->refund_or_payout || all.known != 0 || all.unknown)) {
        all.known |= BIT(SUCCESSFUL);
    }
    i = json_member(json, data, "orderPayments");
    for (i = i >= 0 && at(json, i)->kind == JSON_ARRAY ? at(json, i)->first : -1; i >= 0; i = at(json, i)->next) {
        add_item(&history, json, i);
    }
    top_words(json, &progress, &contradicts);
    if (row->word_is_state) {
        /* The word is a scalar there, and has been compared; `status` false is no word. */
        i = json_member(json, 0, "status");
        contradicts = i >= 0 && is_false(at(json, i));
    }
    state = agreed(&all, &order_payment);
    reading->contradiction = disagree(&all);
    if (state == SUCCESSFUL) {
        /* "Two SUCCESSFUL elements: SUCCESSFUL": beside a SUCCESSFUL summary; "the history is not a vote". */
        reading->contradiction |= contradicts || codes.bad || (history.named && !history.successful);
    }
    if (state == FAILED) {
        reading->contradiction |= history.not_failed;
        reading->failed_but_coded = codes.good || progress || top.one_or_two;
    }
    reading->refusing_code = top.four_or_twelve;
    reading->state = reading->contradiction ? NONE : state;
    reading->own_failed = reading->state == FAILED && (own.known & BIT(FAILED)) != 0;
}

/* The request: the objects in which its members stand. */
struct asked {
    struct json json;
    long roots[2];
    int count;
};

/* Whether one of the request's members is the answer's value; `outer` NULL: at the top. */
static int matches(const struct asked *request, long root, const char *outer, const char *name, struct word answer,
                   int *found)
{
    const struct json *json = &request->json;
    long i, j;
    for (i = outer == NULL ? root : first_named(json, root, outer, 1); i >= 0;
         i = outer == NULL ? -1 : named_from(json, at(json, i)->next, outer, 1)) {
        for (j = first_named(json, i, name, 1); j >= 0; j = named_from(json, at(json, j)->next, name, 1)) {
            struct word word = word_of(at(json, j));
            if (word.length > 0) {
                *found = 1;
                if (word_is(word, answer.text, answer.length)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* Whether a value of the answer is not the request's. Where the request has several, any of them will do. A value that
 * is neither text nor number is not the request's. */
static int differs(const struct json_value *value, const struct asked *request, const char *name,
                   const char *other_outer)
{
    struct word answer = word_of(value);
    int found = 0, same = 0, i;
    if (names_nothing(value)) {
        return 0;
    }
    for (i = 0; i < request->count; i++) {
        same |= matches(request, request->roots[i], NULL, name, answer, &found);
        same |= other_outer != NULL && matches(request, request->roots[i], other_outer, name, answer, &found);
    }
    return found && !same;
}

static int compare(const struct json *json, const struct asked *request)
{
    static const struct {
        const char *outer, *name, *request_outer;
    } members[] = {{"order", "reference", "order"},
                   {"orderSummary", "reference", "order"},
                   {NULL, "sessionId", NULL},
                   {NULL, "mandateCode", "directDebitPaymentRequest"}};
    size_t k;
    long data, outer, i;
    for (k = 0; k < sizeof members / sizeof members[0]; k++) {
        const char *name = members[k].name, *where = members[k].outer;
        for (data = first_named(json, 0, "data", 1); data >= 0;
             data = named_from(json, at(json, data)->next, "data", 1)) {
            for (outer = where == NULL ? data : first_named(json, data, where, 1); outer >= 0;
                 outer = where == NULL ? -1 : named_from(json, at(json, outer)->next, where, 1)) {
                for (i = first_named(json, outer, name, 1); i >= 0; i = named_from(json, at(json, i)->next, name, 1)) {
                    if (differs(at(json, i), request, name, members[k].request_outer)) {
                        return 1;
                    }
                }
            }
        }
    }
    return 0;
}

/* The members of a free request stand in its body and in its query. */
int names_other_request(const struct json *json, const struct oracle_row *row, const char *request)
{
    struct asked asked;
    int other = 0;
    asked.count = 0;
    if (json_read(&asked.json, request, strlen(request))) {
        if (row->free) {
            long body = json_member(&asked.json, 0, "body"), query = json_member(&asked.json, 0, "query");
            if (body >= 0) {
                asked.roots[asked.count++] = body;
            }
            if (query >= 0) {
                asked.roots[asked.count++] = query;
            }
        } else {
            asked.roots[asked.count++] = 0;
        }
        other = compare(json, &asked);
    }
    json_free(&asked.json);
    return other;
}
