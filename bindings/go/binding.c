#include "binding.h"

#ifdef _WIN32
#include <windows.h>

/* With __thread, some compilers need libwinpthread-1.dll beside the program. */
static DWORD slot;

__attribute__((constructor)) static void take_slot(void)
{
    slot = TlsAlloc();
}

uintptr_t paysvc_go_running(void)
{
    return (uintptr_t)TlsGetValue(slot);
}

static void set_running(uintptr_t running)
{
    TlsSetValue(slot, (void *)running);
}
#else
static __thread uintptr_t running_here;

uintptr_t paysvc_go_running(void)
{
    return running_here;
}

static void set_running(uintptr_t running)
{
    running_here = running;
}
#endif

/* A callback may make a call within the call. */
paysvc_status paysvc_go_invoke(const paysvc_client *client, const char *function, const char *json, const paysvc_call *call,
                               uintptr_t running, paysvc_reply **reply)
{
    uintptr_t outer = paysvc_go_running();
    paysvc_status status;
    set_running(running);
    status = paysvc_invoke(client, function, json, call, reply);
    set_running(outer);
    return status;
}
