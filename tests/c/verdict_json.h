/* A strict JSON reader for the oracle: one document in RFC 8259, UTF-8 checked, without recursion, so that no nesting
 * can exhaust the stack. It shares nothing with the library. */
#ifndef VERDICT_JSON_H
#define VERDICT_JSON_H

#include <stddef.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_kind kind;
    const char *name;   /* unescaped, NULL outside of an object */
    size_t name_length; /* a name may hold NUL bytes */
    const char *text;   /* of a text unescaped, of a number as it was written */
    size_t length;
    long parent, first, last, next; /* indexes, -1 for none */
};

struct json {
    struct json_value *values; /* values[0] is the root */
    size_t count, room;
    char *texts; /* all unescaped text; never longer than the document */
    size_t used;
};

/* 1 when these bytes are exactly one JSON document; 0 otherwise. Call json_free() either way. */
int json_read(struct json *json, const char *bytes, size_t length);
void json_free(struct json *json);

/* The member of an object by its exact name, or -1. */
long json_member(const struct json *json, long object, const char *name);
int json_named(const struct json_value *value, const char *name, int any_case);

#endif
