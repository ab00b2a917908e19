/* A clock that somebody has set: loaded before the program, it adds to what the machine's clock reads. YEARS: always. JUMP:
 * these seconds, from the reading with the number JUMP_AT on. CLOCK_READINGS: the file that gets the number of readings.
 * BOOT_ID: what the system says of its start instead of its own boot ID. BOOT_SECONDS: added to the time since that start. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    if (result == 0 && clock == CLOCK_BOOTTIME) {
        time->tv_sec += (time_t)number("BOOT_SECONDS");
    }
    return result;
}

int open(const char *path, int flags, ...)
{
    const char *id = getenv("BOOT_ID");
    mode_t mode = 0;
    int file;
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (id == NULL || strcmp(path, "/proc/sys/kernel/random/boot_id") != 0) {
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
    }
    file = memfd_create("boot_id", MFD_CLOEXEC);
    if (file >= 0 && (write(file, id, strlen(id)) < 0 || lseek(file, 0, SEEK_SET) != 0)) {
        abort();
    }
    return file;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

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
