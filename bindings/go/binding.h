/* What Go cannot do itself: keep a value for a thread, and pass a Go function as a callback. */
#ifndef PAYSVC_GO_BINDING_H
#define PAYSVC_GO_BINDING_H

#include <paysvc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* log: the cgo.Handle for the lines of the call's log; 0: none. */
paysvc_status paysvc_go_invoke(const paysvc_client *client, const char *function, const char *json, const paysvc_call *call,
                               uintptr_t log, paysvc_reply **reply);
paysvc_status paysvc_go_set_log(const paysvc_client *client, int level);
/* Why no comparison is needed to see that it is not paid; "" if one is. */
const char *paysvc_go_why_not(const paysvc_reply *reply);
void paysvc_go_set_progress(const paysvc_call *call, uintptr_t handle);
/* handle is a cgo.Handle, which paysvcGoStoreRelease deletes if the store was set. */
paysvc_status paysvc_go_set_store(const paysvc_client *client, uintptr_t handle, paysvc_reply **reply);

#endif
