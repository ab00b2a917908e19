/* Made-up answers, the same for the same seed and index, made so that they fall on every line of the table. */
#ifndef VERDICT_ANSWERS_H
#define VERDICT_ANSWERS_H

#include "verdict_oracle.h"
#include "verdict_server.h"

enum { SEQUENCE = 3 };

/* One call: its row, its request, and the answers that it gets one after the other. */
struct sample {
    const struct oracle_row *row;
    char *request;
    struct oracle_answer answers[SEQUENCE];
    struct wire wires[SEQUENCE];
    int count;
    int tries; /* the client's max_attempts */
};

void sample_make(struct sample *sample, unsigned long seed, unsigned long index);
void sample_free(struct sample *sample);

/* An answer's bytes on the wire. `framing`: length, chunked, close, cut, cut chunks, none, reset, interim (100 and then
 * nothing); stall and mute wait for the client's deadline, in the body and before the answer. */
struct wire wire_of(const struct oracle_answer *answer, const char *framing, const char *headers, unsigned long seed);

/* How an answer with this framing arrives. */
void arrive(struct oracle_answer *answer, const char *framing);

#endif
