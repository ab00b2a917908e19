/* A resolver that hangs: loaded before the program, it knows every name that ends in .test, and answers those that begin
 * with "hang" only once it is told to. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <time.h>

int resolver_answers;
/* The number of lookups of a name that hangs. */
int resolver_asked;

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    static const struct timespec moment = {0, 5000000};
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (name == NULL || strstr(name, ".test") == NULL) {
        return real(name, service, hints, found);
    }
    if (strncmp(name, "hang", 4) == 0) {
        __atomic_add_fetch(&resolver_asked, 1, __ATOMIC_SEQ_CST);
        while (!__atomic_load_n(&resolver_answers, __ATOMIC_SEQ_CST)) {
            nanosleep(&moment, NULL);
        }
    }
    return real("127.0.0.1", service, hints, found);
}
