/* Shared by the programs of this folder: a check that counts, and the table of network functions. */
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition) \
    do { if (!(condition)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); failures++; } } while (0)

/* The call and its reply agree, and came to this end. The reply by its place: C may read it before the call is made. */
#define EXPECT(call_status, reply, status, outcome) \
    expect(__FILE__, __LINE__, (call_status), &(reply), (status), (outcome))

static void expect(const char *file, int line, paysvc_status got, paysvc_reply **place, paysvc_status status,
                   paysvc_outcome outcome)
{
    const paysvc_reply *reply = *place;
    if (got != status || paysvc_reply_status(reply) != status || paysvc_reply_outcome(reply) != outcome) {
        fprintf(stderr, "%s:%d: %s, reply %s %s: %.300s\n", file, line, paysvc_status_name(got),
                paysvc_status_name(paysvc_reply_status(reply)), paysvc_outcome_name(paysvc_reply_outcome(reply)),
                paysvc_reply_message(reply));
        failures++;
    }
}

static int finished(const char *name)
{
    if (failures == 0) {
        printf("%s: ok\n", name);
    }
    return failures == 0 ? 0 : 1;
}
