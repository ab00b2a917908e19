/* See verdict_json.h. */
#include "verdict_json.h"
#include <stdlib.h>
#include <string.h>

struct reader {
    struct json *json;
    const unsigned char *at, *end;
};

static int is_digit(const struct reader *r) { return r->at < r->end && *r->at >= '0' && *r->at <= '9'; }

static void blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n')) {
        r->at++;
    }
}

static int is(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) {
        return 0;
    }
    r->at += length;
    return 1;
}

static int digits(struct reader *r)
{
    const unsigned char *start = r->at;
    while (is_digit(r)) {
        r->at++;
    }
    return r->at > start;
}

static int number(struct reader *r)
{
    is(r, "-");
    if (!is(r, "0") && !digits(r)) {
        return 0;
    }
    if (is(r, ".") && !digits(r)) {
        return 0;
    }
    if (is(r, "e") || is(r, "E")) {
        if (!is(r, "+")) {
            is(r, "-");
        }
        return digits(r);
    }
    return 1;
}

static void put(struct reader *r, unsigned c) { r->json->texts[r->json->used++] = (char)c; }

static void put_code_point(struct reader *r, unsigned long c)
{
    if (c < 0x80) {
        put(r, (unsigned)c);
    } else if (c < 0x800) {
        put(r, (unsigned)(0xC0 | c >> 6));
        put(r, (unsigned)(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        put(r, (unsigned)(0xE0 | c >> 12));
        put(r, (unsigned)(0x80 | (c >> 6 & 0x3F)));
        put(r, (unsigned)(0x80 | (c & 0x3F)));
    } else {
        put(r, (unsigned)(0xF0 | c >> 18));
        put(r, (unsigned)(0x80 | (c >> 12 & 0x3F)));
        put(r, (unsigned)(0x80 | (c >> 6 & 0x3F)));
        put(r, (unsigned)(0x80 | (c & 0x3F)));
    }
}

static int hex4(struct reader *r, unsigned long *unit)
{
    int i;
    *unit = 0;
    for (i = 0; i < 4; i++, r->at++) {
        const char *all = "0123456789abcdef", *found;
        if (r->at >= r->end || *r->at == 0) {
            return 0;
        }
        found = strchr(all, *r->at >= 'A' && *r->at <= 'F' ? *r->at + 32 : *r->at);
        if (found == NULL) {
            return 0;
        }
        *unit = *unit * 16 + (unsigned long)(found - all);
    }
    return 1;
}

/* Half of a surrogate pair names no character, but the grammar of JSON allows it (RFC 8259, 8.2): it stands for itself. */
static int escape(struct reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    unsigned long unit, low;
    const char *found;
    if (is(r, "u")) {
        if (!hex4(r, &unit)) {
            return 0;
        }
        if (unit >= 0xD800 && unit <= 0xDBFF) {
            const unsigned char *behind = r->at;
            if (is(r, "\\u") && hex4(r, &low) && low >= 0xDC00 && low <= 0xDFFF) {
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            } else {
                r->at = behind;
            }
        }
        put_code_point(r, unit);
        return 1;
    }
    if (r->at >= r->end || *r->at == 0 || (found = strchr(from, *r->at)) == NULL) {
        return 0;
    }
    put(r, (unsigned char)to[found - from]);
    r->at++;
    return 1;
}

/* One character beyond ASCII in well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF. */
static int utf8(struct reader *r)
{
    unsigned char first = *r->at, second_least = 0x80, second_most = 0xBF;
    int more = first >= 0xC2 && first <= 0xDF   ? 1
               : first >= 0xE0 && first <= 0xEF ? 2
               : first >= 0xF0 && first <= 0xF4 ? 3
                                                : 0;
    int i;
    if (more == 0 || r->end - r->at <= more) {
        return 0;
    }
    second_least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : second_least;
    second_most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : second_most;
    if (r->at[1] < second_least || r->at[1] > second_most) {
        return 0;
    }
    for (i = 0; i <= more; i++) {
        if (i > 0 && (r->at[i] & 0xC0) != 0x80) {
            return 0;
        }
        put(r, r->at[i]);
    }
    r->at += more + 1;
    return 1;
}

static int string(struct reader *r, const char **text, size_t *length)
{
    size_t start = r->json->used;
    if (!is(r, "\"")) {
        return 0;
    }
    while (r->at < r->end) {
        if (is(r, "\"")) {
            *text = r->json->texts + start;
            *length = r->json->used - start;
            return 1;
        }
        if (is(r, "\\")) {
            if (!escape(r)) {
                return 0;
            }
        } else if (*r->at < 0x20) {
            return 0;
        } else if (*r->at < 0x80) {
            put(r, *r->at++);
        } else if (!utf8(r)) {
            return 0;
        }
    }
    return 0;
}

static long add(struct json *json, long parent)
{
    struct json_value *value;
    if (json->count == json->room) {
        json->room = json->room == 0 ? 64 : json->room * 2;
        json->values = (struct json_value *)realloc(json->values, json->room * sizeof *json->values);
        if (json->values == NULL) {
            abort();
        }
    }
    value = &json->values[json->count];
    memset(value, 0, sizeof *value);
    value->parent = parent;
    value->first = value->last = value->next = -1;
    if (parent >= 0) {
        struct json_value *above = &json->values[parent];
        if (above->first < 0) {
            above->first = (long)json->count;
        } else {
            json->values[above->last].next = (long)json->count;
        }
        above->last = (long)json->count;
    }
    return (long)json->count++;
}

static int scalar(struct reader *r, struct json_value *value)
{
    const unsigned char *start = r->at;
    value->kind = JSON_NULL;
    if (is(r, "null")) {
        return 1;
    }
    value->kind = JSON_TRUE;
    if (is(r, "true")) {
        return 1;
    }
    value->kind = JSON_FALSE;
    if (is(r, "false")) {
        return 1;
    }
    if (r->at < r->end && *r->at == '"') {
        value->kind = JSON_TEXT;
        return string(r, &value->text, &value->length);
    }
    value->kind = JSON_NUMBER;
    value->text = (const char *)start;
    if (!number(r)) {
        return 0;
    }
    value->length = (size_t)(r->at - start);
    return 1;
}

int json_read(struct json *json, const char *bytes, size_t length)
{
    struct reader reader = {NULL, NULL, NULL}, *r = &reader;
    long open = -1, value; /* the innermost array or object that is not closed yet */
    memset(json, 0, sizeof *json);
    json->texts = (char *)malloc(length + 1);
    if (json->texts == NULL) {
        abort();
    }
    r->json = json;
    r->at = (const unsigned char *)bytes;
    r->end = r->at + length;
    for (;;) {
        const char *name = NULL;
        size_t name_length = 0;
        blanks(r);
        if (open >= 0 && json->values[open].kind == JSON_OBJECT) {
            if (!string(r, &name, &name_length)) {
                return 0;
            }
            blanks(r);
            if (!is(r, ":")) {
                return 0;
            }
            blanks(r);
        }
        value = add(json, open);
        json->values[value].name = name;
        json->values[value].name_length = name_length;
        if (r->at < r->end && (*r->at == '{' || *r->at == '[')) {
            json->values[value].kind = *r->at == '{' ? JSON_OBJECT : JSON_ARRAY;
            r->at++;
            blanks(r);
            if (!is(r, json->values[value].kind == JSON_OBJECT ? "}" : "]")) {
                open = value;
                continue;
            }
        } else if (!scalar(r, &json->values[value])) {
            return 0;
        }
        /* A value has ended: what ends with it, and whether another follows. */
        for (;;) {
            blanks(r);
            if (open < 0) {
                return r->at == r->end;
            }
            if (is(r, ",")) {
                break;
            }
            if (!is(r, json->values[open].kind == JSON_OBJECT ? "}" : "]")) {
                return 0;
            }
            open = json->values[open].parent;
        }
    }
}

void json_free(struct json *json)
{
    free(json->values);
    free(json->texts);
    memset(json, 0, sizeof *json);
}

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

int json_named(const struct json_value *value, const char *name, int any_case)
{
    size_t i, length = strlen(name);
    if (value->name == NULL || value->name_length != length) {
        return 0;
    }
    for (i = 0; i < length; i++) {
        if (value->name[i] != name[i] && (!any_case || lower(value->name[i]) != lower(name[i]))) {
            return 0;
        }
    }
    return 1;
}

long json_member(const struct json *json, long object, const char *name)
{
    long i;
    if (object < 0 || json->values[object].kind != JSON_OBJECT) {
        return -1;
    }
    for (i = json->values[object].first; i >= 0; i = json->values[i].next) {
        if (json_named(&json->values[i], name, 0)) {
            return i;
        }
    }
    return -1;
}
