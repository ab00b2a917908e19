/* Shared by the C programs of the benchmark: each reads a number of calls from standard input, makes them and prints
 * how long they took, in nanoseconds: "WALL CPU". So the programs can take turns, each with its connection open.
 *
 *   program MODE BASE_URL FOLDER
 *
 * FOLDER holds ca.pem, bundle.pem (the system's roots and ca.pem), key.txt, plain.json and card.json.
 */
#ifndef WORKER_H
#define WORKER_H

struct task {
    const char *mode, *base_url, *folder;
};

/* The large response: the list /directDebitMandates of so many mandates, with these fields each. */
#define LARGE_COUNT 500
#define LARGE_MEMBERS 5
extern const char *const large_members[LARGE_MEMBERS];

/* Arguments of the program. */
struct task task_of(int argc, char **argv);
/* A whole file of the folder, without its last line break. */
char *text_of(const char *folder, const char *name);
/* Prints the reason and ends the program: calls that fail must not be measured. */
void fail(const char *what, const char *why);
/* Serves standard input until its end. Nothing is freed, as in a program that continues. */
int work(void (*step)(void *), void *state);
/* The same with threads; each creates its own state and makes that number of calls. */
int work_in_threads(int threads, void *(*open)(void), void (*step)(void *));

#endif
