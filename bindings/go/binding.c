#include "binding.h"

/* Go cannot call a C function through a pointer. */
paysvc_status paysvc_go_invoke(paysvc_go_function function, const paysvc_client *client, const char *json,
                               const paysvc_call *call, paysvc_reply **reply)
{
    return function(client, json, call, reply);
}

paysvc_status paysvc_go_encrypt(const paysvc_client *client, const char *json, const paysvc_call *call, paysvc_reply **reply)
{
    (void)call;
    return paysvc_encrypt(client, json, reply);
}

paysvc_status paysvc_go_client_check(const paysvc_client *client, const char *json, const paysvc_call *call,
                                     paysvc_reply **reply)
{
    (void)json;
    return paysvc_client_check(client, call, reply);
}

const char *paysvc_go_why_not(const paysvc_reply *reply)
{
    const char *why = "";
    paysvc_reply_is_paid(reply, "*", "*", "*", &why);
    return why;
}

paysvc_status paysvc_go_warm(const paysvc_client *client, const char *json, const paysvc_call *call, paysvc_reply **reply)
{
    (void)json;
    return paysvc_client_warm(client, call, reply);
}

/* In log.go. */
extern void paysvcGoLog(uintptr_t handle, int level, char *message);

/* userdata is a cgo.Handle, a number: Go must not see it as a pointer. */
static void PAYSVC_CALLBACK log_line(void *userdata, int level, const char *message)
{
    paysvcGoLog((uintptr_t)userdata, level, (char *)message);
}

/* In progress.go. */
extern int paysvcGoProgress(uintptr_t handle, size_t done, size_t total, char *step);

static int PAYSVC_CALLBACK progress_step(void *userdata, size_t done, size_t total, const char *step)
{
    return paysvcGoProgress((uintptr_t)userdata, done, total, (char *)step);
}

void paysvc_go_set_progress(const paysvc_call *call, uintptr_t handle)
{
    paysvc_call_set_progress(call, progress_step, (void *)handle);
}

paysvc_status paysvc_go_set_log(const paysvc_client *client, int level, uintptr_t handle)
{
    return paysvc_client_set_log(client, level, log_line, (void *)handle);
}
