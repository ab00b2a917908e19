#include "binding.h"

/* The cgo.Handle of the call on this thread, a number, for its lines of the log; 0: none. */
#ifdef _WIN32
#include <windows.h>

/* With __thread, some compilers need libwinpthread-1.dll beside the program. */
static DWORD slot;

__attribute__((constructor)) static void take_slot(void)
{
    slot = TlsAlloc();
}

static uintptr_t log_of_call(void)
{
    return (uintptr_t)TlsGetValue(slot);
}

static void set_log_of_call(uintptr_t log)
{
    TlsSetValue(slot, (void *)log);
}
#else
static __thread uintptr_t current_log;

static uintptr_t log_of_call(void)
{
    return current_log;
}

static void set_log_of_call(uintptr_t log)
{
    current_log = log;
}
#endif

/* A callback may make a call within the call. */
paysvc_status paysvc_go_invoke(const paysvc_client *client, const char *function, const char *json, const paysvc_call *call,
                               uintptr_t log, paysvc_reply **reply)
{
    uintptr_t outer = log_of_call();
    paysvc_status status;
    set_log_of_call(log);
    status = paysvc_invoke(client, function, json, call, reply);
    set_log_of_call(outer);
    return status;
}

const char *paysvc_go_why_not(const paysvc_reply *reply)
{
    const char *why = "";
    paysvc_reply_is_paid(reply, "*", "*", "*", &why);
    return why;
}

/* In log.go. */
extern void paysvcGoLog(uintptr_t handle);

static void PAYSVC_CALLBACK log_line(void *userdata, int level, const char *message)
{
    (void)userdata;
    (void)level;
    (void)message;
    if (log_of_call() != 0)
        paysvcGoLog(log_of_call());
}

/* In progress.go. */
extern int paysvcGoProgress(uintptr_t handle, size_t done, size_t total, char *step);

/* userdata is a cgo.Handle: Go must not see it as a pointer. */
static int PAYSVC_CALLBACK progress_step(void *userdata, size_t done, size_t total, const char *step)
{
    return paysvcGoProgress((uintptr_t)userdata, done, total, (char *)step);
}

void paysvc_go_set_progress(const paysvc_call *call, uintptr_t handle)
{
    paysvc_call_set_progress(call, progress_step, (void *)handle);
}

paysvc_status paysvc_go_set_log(const paysvc_client *client, int level)
{
    return paysvc_client_set_log(client, level, log_line, NULL);
}

/* In store.go. */
extern int paysvcGoStoreAppend(uintptr_t handle, char *key, int seq, char *row, int ms);
extern int paysvcGoStoreRead(uintptr_t handle, char *query, int ms, paysvc_sink *found);
extern void paysvcGoStoreRelease(uintptr_t handle);

static int PAYSVC_CALLBACK store_append(void *userdata, const char *key, int seq, const char *row, int ms)
{
    return paysvcGoStoreAppend((uintptr_t)userdata, (char *)key, seq, (char *)row, ms);
}

static int PAYSVC_CALLBACK store_read(void *userdata, const char *query, int ms, paysvc_sink *found)
{
    return paysvcGoStoreRead((uintptr_t)userdata, (char *)query, ms, found);
}

static void PAYSVC_CALLBACK store_release(void *userdata)
{
    paysvcGoStoreRelease((uintptr_t)userdata);
}

paysvc_status paysvc_go_set_store(const paysvc_client *client, uintptr_t handle, paysvc_reply **reply)
{
    static const paysvc_store store = {sizeof(paysvc_store), store_append, store_read, store_release};
    return paysvc_client_set_store(client, &store, (void *)handle, reply);
}
