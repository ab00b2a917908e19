/* Runs a program to its end a number of times, and prints how long that took, with loading and start.
 *
 *   launch PROGRAM ARGUMENTS...
 */
#define _GNU_SOURCE
#include "worker.h"
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long long ns(struct timeval time)
{
    return (long long)time.tv_sec * 1000000000 + (long long)time.tv_usec * 1000;
}

int main(int argc, char **argv)
{
    char line[32];
    if (argc < 2) {
        fail(argv[0], "usage: PROGRAM ARGUMENTS...");
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        long long start = now_ns(), cpu = 0;
        long count;
        for (count = strtol(line, NULL, 10); count > 0; count--) {
            struct rusage usage;
            pid_t child;
            int status;
            if (posix_spawn(&child, argv[1], NULL, NULL, argv + 1, environ) != 0 ||
                wait4(child, &status, 0, &usage) != child || status != 0) {
                fail(argv[1], "failed");
            }
            cpu += ns(usage.ru_utime) + ns(usage.ru_stime);
        }
        printf("%lld %lld\n", now_ns() - start, cpu);
        fflush(stdout);
    }
    return 0;
}
