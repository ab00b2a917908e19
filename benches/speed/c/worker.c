#define _POSIX_C_SOURCE 200809L
#include "worker.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const large_members[LARGE_MEMBERS] = {"accountNumber", "bankName", "directDebitId", "dateCreated", "bankCode"};

struct task task_of(int argc, char **argv)
{
    struct task task;
    if (argc != 4) {
        fail(argv[0], "usage: MODE BASE_URL FOLDER");
    }
    task.mode = argv[1];
    task.base_url = argv[2];
    task.folder = argv[3];
    return task;
}

void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

char *text_of(const char *folder, const char *name)
{
    char path[4096], *text;
    FILE *file;
    long size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
        fail(path, "cannot be read");
    }
    rewind(file);
    text = malloc((size_t)size + 1);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fail(path, "cannot be read");
    }
    fclose(file);
    text[size] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static long long now_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long next_count(void)
{
    char line[32];
    return fgets(line, sizeof line, stdin) == NULL ? -1 : strtol(line, NULL, 10);
}

static void tell(long long wall, long long cpu)
{
    printf("%lld %lld\n", now_ns(CLOCK_MONOTONIC) - wall, now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    fflush(stdout);
}

int work(void (*step)(void *), void *state)
{
    long count;
    while ((count = next_count()) >= 0) {
        long long wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        while (count-- > 0) {
            step(state);
        }
        tell(wall, cpu);
    }
    return 0;
}

static struct {
    void *(*open)(void);
    void (*step)(void *);
    pthread_barrier_t start, end;
    long count;
} crew;

static void *run(void *unused)
{
    void *state = crew.open();
    (void)unused;
    for (;;) {
        long i, count;
        pthread_barrier_wait(&crew.start);
        count = crew.count;
        for (i = 0; i < count; i++) {
            crew.step(state);
        }
        pthread_barrier_wait(&crew.end);
    }
    return NULL;
}

int work_in_threads(int threads, void *(*open)(void), void (*step)(void *))
{
    pthread_t thread;
    int i;
    crew.open = open;
    crew.step = step;
    pthread_barrier_init(&crew.start, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&crew.end, NULL, (unsigned)threads + 1);
    for (i = 0; i < threads; i++) {
        if (pthread_create(&thread, NULL, run, NULL) != 0) {
            fail("pthread_create", "refused");
        }
    }
    while ((crew.count = next_count()) >= 0) {
        long long wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        pthread_barrier_wait(&crew.start);
        pthread_barrier_wait(&crew.end);
        tell(wall, cpu);
    }
    return 0;
}
