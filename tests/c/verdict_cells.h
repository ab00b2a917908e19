/* The hand-written cells of the table: tests/verdict_cells.json, an array of objects. */
#ifndef VERDICT_CELLS_H
#define VERDICT_CELLS_H

#include "verdict_answers.h"

struct cell {
    char line[32], why[256], framing[16], headers[256], status[32], outcome[32];
    int state, again, after_429;
    struct sample sample; /* as many 429 as the cell wants, then its answer */
};

/* Reads the file; ends the program, with what is wrong, if it cannot. */
struct cell *cells_read(const char *path, size_t *count);
void cells_free(struct cell *cells, size_t count);

#endif
