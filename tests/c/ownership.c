/* Preloaded into a program that calls the shared library by paysvc_invoke: writes each handle that is made and each that is
 * freed, one line each, to the file that TEST_OWNERSHIP names. A test reads it: every handle must be freed once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One write each, so that the lines of threads do not mix; made is written after, freed before the fact, so that an
 * address is never made again before it was freed. */
static void note(const char *what, const char *kind, const void *handle)
{
    static int file = -1;
    char line[64];
    if (handle == NULL) {
        return;
    }
    if (file < 0) {
        file = open(getenv("TEST_OWNERSHIP"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    }
    snprintf(line, sizeof line, "%s %s %p\n", what, kind, handle);
    if (write(file, line, strlen(line)) < 0) {
        abort();
    }
}

static void *real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        abort();
    }
    return found;
}

#define FREE(kind) \
    void paysvc_##kind##_free(paysvc_##kind *handle) \
    { \
        note("freed", #kind, handle); \
        ((void (*)(paysvc_##kind *))real("paysvc_" #kind "_free"))(handle); \
    }
FREE(client)
FREE(call)
FREE(reply)

paysvc_status paysvc_invoke(
    const paysvc_client *client, const char *name, const char *json, const paysvc_call *call, paysvc_reply **reply)
{
    paysvc_status (*function)(const paysvc_client *, const char *, const char *, const paysvc_call *, paysvc_reply **) =
        real("paysvc_invoke");
    paysvc_status status = function(client, name, json, call, reply);
    note("made", "reply", reply == NULL ? NULL : *reply);
    return status;
}

paysvc_status paysvc_client_set_store(
    const paysvc_client *client, const paysvc_store *store, void *userdata, paysvc_reply **reply)
{
    paysvc_status (*function)(const paysvc_client *, const paysvc_store *, void *, paysvc_reply **) =
        real("paysvc_client_set_store");
    paysvc_status status = function(client, store, userdata, reply);
    note("made", "reply", reply == NULL ? NULL : *reply);
    return status;
}

paysvc_status paysvc_client_new(const char *json, paysvc_client **client, paysvc_reply **reply)
{
    paysvc_status (*function)(const char *, paysvc_client **, paysvc_reply **) = real("paysvc_client_new");
    paysvc_status status = function(json, client, reply);
    note("made", "reply", reply == NULL ? NULL : *reply);
    note("made", "client", *client);
    return status;
}

paysvc_call *paysvc_call_new(void)
{
    paysvc_call *call = ((paysvc_call *(*)(void))real("paysvc_call_new"))();
    note("made", "call", call);
    return call;
}
