/* What an answer proves, read a second time: the table of verdicts in C, written from its document alone, so that it
 * can be compared with the library's. See verdict_reading.c for what an answer says, verdict_oracle.c for the table. */
#ifndef VERDICT_ORACLE_H
#define VERDICT_ORACLE_H

#include "verdict_json.h"

enum oracle_kind { ORACLE_MOVES, ORACLE_REPEATABLE, ORACLE_READS };

/* What the table of verdicts asks of a row of the table of endpoints. */
struct oracle_row {
    const char *name;
    enum oracle_kind kind;
    int refund_or_payout;    /* "success" in data.status is its state */
    const char *subject;     /* of a reading: the path whose presence confirms it, or NULL */
    const char *members[4];  /* a bare reading's own members, NULL at the end; none: not bare */
    int word_is_state;       /* family B: the top-level word is the payment's */
    int free;                /* paysvc_request: its members stand in `body` and `query` */
};

enum oracle_arrival { ORACLE_HTTP, ORACLE_NOT_SENT, ORACLE_SILENCE };

struct oracle_answer {
    enum oracle_arrival arrival;
    int http;
    const char *body;
    size_t length;
    int cut;            /* the connection ended before the answer did */
    int late;           /* the deadline ended it */
    int ended_by_close; /* neither a length nor chunks: the connection's end is the answer's */
    int encoded;        /* a content-encoding other than identity */
};

struct oracle_verdict {
    int status, outcome, state;
    int again;        /* the table lets the request be sent again */
    const char *line; /* of the table: "1" to "20", or of the rows that read */
};

/* What an answer says. `any`: names in any case, which is how what weakens is read; `exact`: what strengthens. */
struct reading {
    int is_json, begins_as_json, name_twice;
    int success_any, success_exact, failure_any, failure_exact, weak_any, weak_exact;
    int denies;             /* D: names progress or success */
    int names_state;        /* any state at all, a failed one too */
    int state;              /* of B */
    int contradiction;      /* scalars disagree, or B finds a contradiction */
    int own_failed;         /* this payment's own state is FAILED */
    int other_request;      /* a reference is not the request's */
    int failed_but_coded;   /* FAILED beside a code or a word that says otherwise */
    int refusing_code;      /* a top-level code 4 or 12 */
    int failed_item;        /* an element of a `data` array names FAILED */
    int subject, own_member;
};

void oracle_read(struct reading *reading, const struct oracle_row *row, const char *request, const char *body,
                 size_t length);

struct oracle_verdict oracle_judge(const struct oracle_row *row, const char *request,
                                   const struct oracle_answer *answer, int after_429);

const struct oracle_row *oracle_row(const char *name);

#endif
