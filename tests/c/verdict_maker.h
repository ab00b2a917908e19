/* What the two halves of the generator share: JSON in the making, and the chance that makes it. */
#ifndef VERDICT_MAKER_H
#define VERDICT_MAKER_H

#include "verdict_oracle.h"

enum theme { THEME_NONE, THEME_SUCCESS, THEME_PROGRESS, THEME_FAILURE, THEME_ANY };

struct maker {
    unsigned long long random;
    char *text;
    size_t length, room;
    enum theme vote; /* what the top level says */
    int state;       /* what the states say; 0: nothing, 8: anything */
    int calm;        /* no oddities of spelling */
    int place;       /* the only place that names a state, 1 to 4; 0: any */
    const char *reference;
    const struct oracle_row *row;
};

#define PICK(m, list) ((list)[draw(m) % (sizeof(list) / sizeof((list)[0]))])

unsigned long draw(struct maker *m);
int percent(struct maker *m, int chance);
void make_bytes(struct maker *m, const char *text, size_t length);
void make_text(struct maker *m, const char *text);
void make_name(struct maker *m, const char *name);
void make_member(struct maker *m, const char *name, const char *value);
void make_status(struct maker *m);
void make_status_id(struct maker *m);
void make_code(struct maker *m);
void make_message(struct maker *m);
void make_data(struct maker *m);
void make_errors(struct maker *m);

#endif
