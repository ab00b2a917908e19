/* A call through the library beside a raw server, and what the table makes of the same answers. */
#ifndef VERDICT_RUN_H
#define VERDICT_RUN_H

#include "verdict_cells.h"
#include <paysvc.h>

enum { MOST_TRIES = 3, DEADLINE_MS = 600 };

/* What the table makes of a sequence of answers, each judged in its turn. */
struct expected {
    struct oracle_verdict verdict;
    int attempts;
    int after_429; /* how many 429 came before the answer that decided */
    const char
        *lines[MOST_TRIES]; /* on which each answer fell, how many there were, and how many 429 came before each */
    int turns, before[MOST_TRIES];
};

struct seen {
    int status, outcome, state, http, attempts, requests;
    char *message;
    int torn;
};

/* A server of its own, and a client for each number of tries. */
struct peer {
    struct server server;
    const char *key;
    paysvc_client *clients[MOST_TRIES + 1], *nobody; /* nobody's base URL leads to a closed port */
};

void peer_start(struct peer *peer, const char *encryption_key);
void peer_stop(struct peer *peer);
void peer_call(struct peer *peer, const struct sample *sample, struct seen *seen);
void seen_free(struct seen *seen);

void expect(struct expected *expected, const struct sample *sample);
int same(const struct expected *expected, const struct seen *seen);
void tell(const char *result, const char *name, const struct sample *sample, const struct expected *expected,
          const struct seen *seen);
int has_function(const struct oracle_row *row);

/* A call that reaches nobody, at once or after a 429. */
void cell_not_sent(struct cell *cell, const char *row, int after_429);

#endif
