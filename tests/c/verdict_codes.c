/* The codes of an answer: see verdict_reading.h. */
#include "verdict_reading.h"
#include <string.h>

static const char *const orders[] = {"orderPayment", "orderSummary", "order", NULL};
static const char *const code_names[] = {
    "statusCode", "status_code", "code", "responseCode", "orderPaymentResponseCode", "paymentResponseCode", NULL};
static const char *const payment_code_names[] = {"orderPaymentResponseCode", "paymentResponseCode", NULL};

enum { NO_CODE = -1, OTHER_CODE = -2 };

/* A code without its leading zeros: its number up to three digits, OTHER_CODE for any other, NO_CODE for none. "text or
 * number": true, false, arrays and objects are no codes. */
static int code_of(const struct json_value *value)
{
    struct word word = word_of(value);
    int code = 0;
    if (word.length == 0) {
        return NO_CODE;
    }
    if (!all_digits(word)) {
        return OTHER_CODE;
    }
    while (word.length > 1 && word.text[0] == '0') {
        word.text++;
        word.length--;
    }
    if (word.length > 3) {
        return OTHER_CODE;
    }
    for (; word.length > 0; word.text++, word.length--) {
        code = code * 10 + (word.text[0] - '0');
    }
    return code;
}

static int is_success_or_progress(int code)
{
    static const int list[] = {0, 200, 1, 2, 6, 9, 68, 91, 96, 97, 99};
    size_t i;
    for (i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i] == code) {
            return 1;
        }
    }
    return 0;
}

/* The codes of one object, in any case, as all that they do is weaken. */
static void codes_of(const struct json *json, long object, const char *const *names, struct codes *codes)
{
    long i;
    for (; *names != NULL; names++) {
        for (i = first_named(json, object, *names, 1); i >= 0; i = named_from(json, at(json, i)->next, *names, 1)) {
            int code = code_of(at(json, i));
            codes->good |= is_success_or_progress(code);
            codes->bad |= code != NO_CODE && code != 0 && code != 200;
            codes->one_or_two |= code == 1 || code == 2;
            codes->four_or_twelve |= code == 4 || code == 12;
        }
    }
}

/* The codes of the data, and of orderPayment, orderSummary and order in it. */
static void in_data(const struct json *json, long root, const char *const *names, struct codes *codes)
{
    long i, j;
    size_t k;
    for (i = first_named(json, root, "data", 1); i >= 0; i = named_from(json, at(json, i)->next, "data", 1)) {
        codes_of(json, i, names, codes);
        for (k = 0; orders[k] != NULL; k++) {
            for (j = first_named(json, i, orders[k], 1); j >= 0;
                 j = named_from(json, at(json, j)->next, orders[k], 1)) {
                codes_of(json, j, names, codes);
            }
        }
    }
}

struct codes top_codes(const struct json *json)
{
    struct codes codes;
    memset(&codes, 0, sizeof codes);
    codes_of(json, 0, code_names, &codes);
    return codes;
}

/* "the two that are named so, not an element's". */
struct codes payment_codes(const struct json *json)
{
    struct codes codes;
    memset(&codes, 0, sizeof codes);
    codes_of(json, 0, payment_code_names, &codes);
    in_data(json, 0, payment_code_names, &codes);
    return codes;
}

void add_codes(const struct json *json, long object, struct codes *codes) { codes_of(json, object, code_names, codes); }

void add_all_codes(const struct json *json, struct codes *codes)
{
    codes_of(json, 0, code_names, codes);
    in_data(json, 0, code_names, codes);
}
