/* What the two halves of the oracle's reading share. */
#ifndef VERDICT_READING_H
#define VERDICT_READING_H

#include "verdict_oracle.h"

/* A text or number without the blanks around it; no length: none. */
struct word {
    const char *text;
    size_t length;
};

struct codes {
    int good;    /* success or progress, guessed ones too */
    int bad;     /* failure or progress */
    int one_or_two, four_or_twelve;
};

int lower(int c);
const struct json_value *at(const struct json *json, long index);
long named_from(const struct json *json, long from, const char *name, int any_case);
long first_named(const struct json *json, long object, const char *name, int any_case);
struct word word_of(const struct json_value *value);
int word_is(struct word word, const char *other, size_t length);
int all_digits(struct word word);
int names_nothing(const struct json_value *value);
int is_failure_word(struct word word);
int progress_of(struct word word);
int is_false(const struct json_value *value);
void add_codes(const struct json *json, long object, struct codes *codes); /* of one object */
void add_all_codes(const struct json *json, struct codes *codes);           /* but those of elements */
struct codes top_codes(const struct json *json);
struct codes payment_codes(const struct json *json);

void read_state(const struct json *json, const struct oracle_row *row, struct reading *reading);
int names_other_request(const struct json *json, const struct oracle_row *row, const char *request);

#endif
