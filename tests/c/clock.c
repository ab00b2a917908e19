/* A clock that somebody has set: loaded before the program, it adds to what the machine's clock reads. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    const char *years = getenv("YEARS");
    if (result == 0 && clock == CLOCK_REALTIME && years != NULL) {
        time->tv_sec += (time_t)(atoll(years) * 31556952);
    }
    return result;
}
