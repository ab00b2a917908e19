/* What every C program of the benchmark does: told on standard input how many calls to make, it makes them and prints
 * what they took, in nanoseconds: "WALL CPU". So the programs take turns, each with its connection open.
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

/* Arguments of the program. */
struct task task_of(int argc, char **argv);
/* A whole file of the folder, without its last line break. */
char *text_of(const char *folder, const char *name);
/* Says why and ends the program: a benchmark of failing calls measures nothing. */
void fail(const char *what, const char *why);
/* Answers standard input until its end; nothing is freed, as in a program that runs on. */
int work(void (*step)(void *), void *state);
/* The same with threads, each with its own state, made on that thread; each makes so many calls. */
int work_in_threads(int threads, void *(*open)(void), void (*step)(void *));

#endif
