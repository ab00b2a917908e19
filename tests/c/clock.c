/* A clock that somebody has set: loaded before the program, it adds to what the machine's clock reads. YEARS: always. JUMP:
 * these seconds, from the reading with the number JUMP_AT on. CLOCK_READINGS: the file that gets the number of readings. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_long readings;

static long long number(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? 0 : atoll(text);
}

static time_t added(void)
{
    long long reading = atomic_fetch_add(&readings, 1);
    return (time_t)(number("YEARS") * 31556952 + (reading >= number("JUMP_AT") ? number("JUMP") : 0));
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        time->tv_sec += added();
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    (void)zone;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL) {
        *result = now.tv_sec;
    }
    return now.tv_sec;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("CLOCK_READINGS");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "%ld", readings);
        fclose(file);
    }
}
