/* Loads the library while it runs, and two copies of it: loader DLL COPY CONFIGURATION. Exit status 0: both copies make
 * calls, each with its own client, and still do after FreeLibrary, because the library stays loaded. So the end of a thread
 * that made calls finds the library's code, too. */
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s (error %lu)\n", __FILE__, __LINE__, #what, GetLastError()); \
            exit(1); \
        } \
    } while (0)

typedef int (PAYSVC_CDECL *abi)(void);
typedef paysvc_status (PAYSVC_CDECL *client_new)(const char *, paysvc_client **, paysvc_reply **);
typedef void (PAYSVC_CDECL *client_free)(paysvc_client *);
typedef paysvc_status (PAYSVC_CDECL *function)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);
typedef paysvc_outcome (PAYSVC_CDECL *reply_outcome)(const paysvc_reply *);
typedef void (PAYSVC_CDECL *reply_free)(paysvc_reply *);

struct copy {
    HMODULE module;
    client_new create;
    client_free end;
    function history;
    reply_outcome outcome;
    reply_free drop;
    paysvc_client *client;
};

static HANDLE called, freed;

static FARPROC find(const struct copy *copy, const char *name)
{
    FARPROC found = GetProcAddress(copy->module, name);
    CHECK(found != NULL);
    return found;
}

/* Through a type that all functions may be converted to without a warning. */
#define FIND(copy, type, name) ((type)(void (*)(void))find(copy, name))

static void load(struct copy *copy, const char *path)
{
    copy->module = LoadLibraryA(path);
    CHECK(copy->module != NULL);
    CHECK(FIND(copy, abi, "paysvc_abi")() == PAYSVC_ABI);
    CHECK(GetProcAddress(copy->module, "_paysvc_abi") == NULL && GetProcAddress(copy->module, "paysvc_abi@0") == NULL);
    copy->create = FIND(copy, client_new, "paysvc_client_new");
    copy->end = FIND(copy, client_free, "paysvc_client_free");
    copy->history = FIND(copy, function, "paysvc_direct_debit_history");
    copy->outcome = FIND(copy, reply_outcome, "paysvc_reply_outcome");
    copy->drop = FIND(copy, reply_free, "paysvc_reply_free");
}

static void call(const struct copy *copy)
{
    paysvc_reply *reply = NULL;
    copy->history(copy->client, "{\"emailAddress\":\"none@example.com\"}", NULL, &reply);
    CHECK(copy->outcome(reply) == PAYSVC_OUTCOME_CONFIRMED);
    copy->drop(reply);
}

static DWORD WINAPI thread(void *argument)
{
    call((const struct copy *)argument);
    SetEvent(called);
    WaitForSingleObject(freed, INFINITE);
    return 7;
}

int main(int count, char **arguments)
{
    static struct copy copies[2];
    HANDLE threads[2];
    DWORD code;
    int i;
    CHECK(count == 4);
    called = CreateEventA(NULL, FALSE, FALSE, NULL);
    freed = CreateEventA(NULL, TRUE, FALSE, NULL);
    for (i = 0; i < 2; i++) {
        load(&copies[i], arguments[1 + i]);
        CHECK(copies[i].create(arguments[3], &copies[i].client, NULL) == PAYSVC_OK);
    }
    CHECK(copies[0].module != copies[1].module && copies[0].history != copies[1].history);
    for (i = 0; i < 2; i++) {
        threads[i] = CreateThread(NULL, 0, thread, &copies[i], 0, NULL);
        CHECK(threads[i] != NULL && WaitForSingleObject(called, INFINITE) == WAIT_OBJECT_0);
    }
    for (i = 0; i < 2; i++) {
        CHECK(FreeLibrary(copies[i].module));
    }
    SetEvent(freed);
    for (i = 0; i < 2; i++) {
        CHECK(WaitForSingleObject(threads[i], INFINITE) == WAIT_OBJECT_0 && GetExitCodeThread(threads[i], &code) && code == 7);
        CHECK(GetModuleHandleA(arguments[1 + i]) == copies[i].module);
        call(&copies[i]);
        copies[i].end(copies[i].client);
    }
    return 0;
}
