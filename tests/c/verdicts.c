/* The library's verdicts against an independent reading of their table (verdict_oracle.h).
 *
 *   verdicts oracle CELLS            the hand-written cells through the oracle alone
 *   verdicts cells CELLS KEY         the same through the library
 *   verdicts random KEY N SEED       N made-up answers through both
 *   verdicts random KEY 1 SEED INDEX one of them, told in full
 *
 * CELLS is tests/verdict_cells.json, KEY an encryption key. A difference is printed with all that is needed to see it
 * again, and ends the program with 1. */
#include "verdict_run.h"
#include <paysvc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 6, MOST_PRINTED = 100 };

static const char *const lines[] = {"1",
                                    "2",
                                    "3",
                                    "4",
                                    "5",
                                    "6",
                                    "7",
                                    "8",
                                    "9",
                                    "10",
                                    "11",
                                    "12",
                                    "13",
                                    "14",
                                    "15",
                                    "16",
                                    "17",
                                    "18",
                                    "19",
                                    "20",
                                    "read transport",
                                    "read 3",
                                    "read 5xx",
                                    "read 408",
                                    "read 6",
                                    "read twice",
                                    "read 429",
                                    "read 16",
                                    "read 7",
                                    "read 4xx",
                                    "read subject",
                                    "read subject, no state",
                                    "read F",
                                    "read S",
                                    "read bare",
                                    "read nothing"};
enum { LINES = sizeof lines / sizeof lines[0], MONEY_LINES = 20 };

/* How many answers fell on a line, at once and after 429, and how many of the calls that ended on it differed. */
static struct {
    long first, after_429, different;
} tally[LINES];
static struct {
    char what[160];
    long count;
    unsigned long index;
} kinds[400];
static size_t kind_count;
static long differences, printed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* How often this kind of difference was seen, this one included. */
static long count_kind(const struct expected *e, const struct seen *got, unsigned long index)
{
    char what[160];
    size_t i;
    snprintf(what, sizeof what, "line %s%s: table %s %s %d x%d, library %s %s %d x%d", e->verdict.line,
             e->after_429 ? " after 429" : "", paysvc_status_name(e->verdict.status),
             paysvc_outcome_name(e->verdict.outcome), e->verdict.state, e->attempts, paysvc_status_name(got->status),
             paysvc_outcome_name(got->outcome), got->state, got->requests);
    for (i = 0; i < kind_count && strcmp(kinds[i].what, what) != 0; i++) {}
    if (i == sizeof kinds / sizeof kinds[0]) {
        return 1;
    }
    strcpy(kinds[i].what, what);
    kinds[i].index = kinds[i].count == 0 ? index : kinds[i].index;
    kind_count = i == kind_count ? i + 1 : kind_count;
    return ++kinds[i].count;
}

/* One call through the library, compared with what the table makes of it. All is told of it when `told` says so, and of
 * as many different ones of a kind as `of_a_kind` says. */
static void check(struct peer *peer, const struct sample *sample, const struct expected *e, const char *name,
                  unsigned long index, int told, long of_a_kind)
{
    struct seen got;
    long different = 0;
    int i, turn, differs;
    peer_call(peer, sample, &got);
    differs = !same(e, &got);
    pthread_mutex_lock(&mutex);
    for (i = 0; i < LINES; i++) {
        for (turn = 0; turn < e->turns; turn++) {
            tally[i].first += strcmp(lines[i], e->lines[turn]) == 0 && e->before[turn] == 0;
            tally[i].after_429 += strcmp(lines[i], e->lines[turn]) == 0 && e->before[turn] != 0;
        }
        tally[i].different += differs && strcmp(lines[i], e->verdict.line) == 0;
    }
    if (differs) {
        differences++;
        different = count_kind(e, &got, index);
    }
    if (told || (differs && different <= of_a_kind && printed++ < MOST_PRINTED)) {
        tell(differs ? "DIFFERENT" : "equal", name, sample, e, &got);
    }
    pthread_mutex_unlock(&mutex);
    seen_free(&got);
}

struct work {
    const char *key;
    unsigned long seed, from, to, step;
    int told;
};

static void *worker(void *argument)
{
    const struct work *work = (const struct work *)argument;
    struct peer peer;
    unsigned long index;
    peer_start(&peer, work->key);
    for (index = work->from; index < work->to; index += work->step) {
        struct sample sample;
        struct expected e;
        char name[96];
        sample_make(&sample, work->seed, index);
        expect(&e, &sample);
        sprintf(name, "seed %lu index %lu", work->seed, index);
        check(&peer, &sample, &e, name, index, work->told, 1);
        sample_free(&sample);
    }
    peer_stop(&peer);
    return NULL;
}

/* Line 1 needs a service that nobody reaches, at once or after its 429. */
static void not_sent(const char *key)
{
    static const char *const names[] = {"order_refund", "direct_debit_otp", "request POST"};
    size_t i;
    int after;
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (after = 0; after < 2; after++) {
            struct cell cell;
            struct expected e;
            struct peer peer;
            cell_not_sent(&cell, names[i], after);
            expect(&e, &cell.sample);
            peer_start(&peer, key);
            check(&peer, &cell.sample, &e, "not sent", 0, 0, 1);
            peer_stop(&peer);
            sample_free(&cell.sample);
        }
    }
}

static int random_answers(const char *key, unsigned long count, unsigned long seed, const char *one)
{
    struct work work[WORKERS];
    pthread_t threads[WORKERS];
    unsigned long i;
    int empty = 0;
    size_t k;
    for (i = 0; i < WORKERS; i++) {
        work[i].key = key;
        work[i].seed = seed;
        work[i].from = one != NULL ? strtoul(one, NULL, 10) : i;
        work[i].to = one != NULL ? work[i].from + (i == 0) : count;
        work[i].step = WORKERS;
        work[i].told = one != NULL;
        if (pthread_create(&threads[i], NULL, worker, &work[i]) != 0) {
            return 2;
        }
    }
    for (i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
    }
    if (one != NULL) {
        return differences != 0;
    }
    not_sent(key);
    printf("%-26s %8s %10s %10s\n", "line", "first", "after 429", "different");
    for (k = 0; k < LINES; k++) {
        printf("%-26s %8ld %10ld %10ld\n", lines[k], tally[k].first, tally[k].after_429, tally[k].different);
        if (tally[k].first == 0 || (k < MONEY_LINES && tally[k].after_429 == 0)) {
            printf("line %s: no answer fell on it%s\n", lines[k], tally[k].first == 0 ? "" : " after a 429");
            empty = 1;
        }
    }
    for (k = 0; k < kind_count; k++) {
        printf("%6ld  %s; first at index %lu\n", kinds[k].count, kinds[k].what, kinds[k].index);
    }
    if (kind_count > 0) {
        printf("to see one again: PAYSVC_VERDICTS_SEED=%lu PAYSVC_VERDICTS_INDEX=%lu cargo test --test integration "
               "on_made_up_answers -- --nocapture\n",
               seed, kinds[0].index);
    }
    printf("%lu answers, seed %lu: %ld different\n", count, seed, differences);
    return differences != 0 || empty;
}

static int through_oracle(const char *path)
{
    size_t count, i, wrong = 0;
    struct cell *cells = cells_read(path, &count);
    for (i = 0; i < count; i++) {
        const struct cell *cell = &cells[i];
        const struct sample *sample = &cell->sample;
        struct oracle_verdict v =
            oracle_judge(sample->row, sample->request, &sample->answers[cell->after_429], cell->after_429);
        if (strcmp(v.line, cell->line) != 0 || strcmp(paysvc_status_name(v.status), cell->status) != 0 ||
            strcmp(paysvc_outcome_name(v.outcome), cell->outcome) != 0 || v.state != cell->state ||
            v.again != cell->again) {
            fprintf(stderr, "cell %lu (%s): line %s %s %s %d again %d, not line %s %s %s %d again %d\n  %d %s %.*s\n",
                    (unsigned long)i, cell->why, v.line, paysvc_status_name(v.status), paysvc_outcome_name(v.outcome),
                    v.state, v.again, cell->line, cell->status, cell->outcome, cell->state, cell->again,
                    sample->answers[cell->after_429].http, cell->headers, (int)sample->answers[cell->after_429].length,
                    sample->answers[cell->after_429].body);
            wrong++;
        }
    }
    cells_free(cells, count);
    printf("%lu cells through the oracle, %lu wrong\n", (unsigned long)count, (unsigned long)wrong);
    return wrong != 0 || count == 0;
}

static int through_library(const char *path, const char *key)
{
    size_t count, i, driven = 0;
    struct cell *cells = cells_read(path, &count);
    struct peer peer;
    peer_start(&peer, key);
    for (i = 0; i < count; i++) {
        struct expected e;
        char name[384];
        if (!has_function(cells[i].sample.row)) {
            printf("cell %lu: %s has no function yet\n", (unsigned long)i, cells[i].sample.row->name);
            continue;
        }
        expect(&e, &cells[i].sample);
        sprintf(name, "cell %lu, %s", (unsigned long)i, cells[i].why);
        if (cells[i].sample.answers[cells[i].after_429].arrival == ORACLE_NOT_SENT) {
            struct peer alone; /* it stops listening */
            peer_start(&alone, key);
            check(&alone, &cells[i].sample, &e, name, i, 0, MOST_PRINTED);
            peer_stop(&alone);
        } else {
            check(&peer, &cells[i].sample, &e, name, i, 0, MOST_PRINTED);
        }
        driven++;
    }
    peer_stop(&peer);
    cells_free(cells, count);
    printf("%lu cells through the library, %ld different\n", (unsigned long)driven, differences);
    return differences != 0 || driven == 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "oracle") == 0) {
        return through_oracle(argv[2]);
    }
    if (argc == 4 && strcmp(argv[1], "cells") == 0) {
        return through_library(argv[2], argv[3]);
    }
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "random") == 0) {
        return random_answers(argv[2], strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10),
                              argc == 6 ? argv[5] : NULL);
    }
    fprintf(stderr, "verdicts oracle CELLS | cells CELLS KEY | random KEY N SEED [INDEX]\n");
    return 2;
}
