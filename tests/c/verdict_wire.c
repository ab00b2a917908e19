/* Answers on the wire, in every framing: see verdict_answers.h. */
#include "verdict_answers.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct wire *wire, const char *format, ...)
{
    char text[512];
    int length;
    va_list arguments;
    va_start(arguments, format);
    length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        abort();
    }
    memcpy(wire->bytes + wire->length, text, (size_t)length);
    wire->length += (size_t)length;
}

static void add_bytes(struct wire *wire, const char *bytes, size_t length)
{
    if (length > 0) {
        memcpy(wire->bytes + wire->length, bytes, length);
        wire->length += length;
    }
}

void arrive(struct oracle_answer *answer, const char *framing)
{
    int silent = strcmp(framing, "none") == 0 || strcmp(framing, "reset") == 0 || strcmp(framing, "interim") == 0 ||
                 strcmp(framing, "mute") == 0;
    answer->arrival = silent ? ORACLE_SILENCE : ORACLE_HTTP;
    answer->cut = strncmp(framing, "cut", 3) == 0;
    answer->ended_by_close = strcmp(framing, "close") == 0;
    answer->late = strcmp(framing, "stall") == 0 || strcmp(framing, "mute") == 0;
}

struct wire wire_of(const struct oracle_answer *answer, const char *framing, const char *headers, unsigned long seed)
{
    struct wire wire;
    wire.bytes = (char *)malloc(answer->length * 12 + 2048); /* chunks of one byte are the longest */
    wire.length = 0;
    wire.end = WIRE_KEEP;
    if (wire.bytes == NULL) {
        abort();
    }
    if (answer->arrival != ORACLE_HTTP) {
        wire.end = strcmp(framing, "reset") == 0 ? WIRE_RESET : strcmp(framing, "mute") == 0 ? WIRE_KEEP : WIRE_CLOSE;
        if (strcmp(framing, "interim") == 0) {
            add(&wire, "HTTP/1.1 100 Continue\r\n\r\n");
        }
        return wire;
    }
    add(&wire, "HTTP/1.1 %d Made Up\r\nContent-Type: application/json\r\n%s", answer->http, headers);
    if (answer->http == 204 || answer->http == 304) {
        add(&wire, "\r\n");
    } else if (strcmp(framing, "close") == 0) {
        wire.end = WIRE_CLOSE;
        add(&wire, seed % 2 == 0 ? "Connection: close\r\n\r\n" : "\r\n");
        add_bytes(&wire, answer->body, answer->length);
    } else if (strcmp(framing, "cut") == 0 || strcmp(framing, "stall") == 0) {
        wire.end = answer->late ? WIRE_KEEP : WIRE_CLOSE;
        add(&wire, "Content-Length: %lu\r\n\r\n", (unsigned long)answer->length + 1 + seed % 20);
        add_bytes(&wire, answer->body, answer->length);
    } else if (strcmp(framing, "chunked") == 0 || strcmp(framing, "cut chunks") == 0) {
        size_t done = 0;
        add(&wire, "Transfer-Encoding: chunked\r\n\r\n");
        while (done < answer->length) {
            size_t part;
            seed = seed * 1103515245 + 12345;
            part = 1 + seed / 65536 % (seed / 256 % 3 == 0 ? 7 : 4000);
            part = part < answer->length - done ? part : answer->length - done;
            add(&wire, "%lx\r\n", (unsigned long)part);
            add_bytes(&wire, answer->body + done, part);
            add(&wire, "\r\n");
            done += part;
        }
        if (strcmp(framing, "chunked") == 0) {
            add(&wire, "0\r\n\r\n");
        } else {
            wire.end = WIRE_CLOSE;
        }
    } else {
        add(&wire, "Content-Length: %lu\r\n\r\n", (unsigned long)answer->length);
        add_bytes(&wire, answer->body, answer->length);
    }
    return wire;
}
