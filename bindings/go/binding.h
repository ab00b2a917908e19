/* What Go cannot do itself: call a function through a pointer, and pass a Go function as a callback. */
#ifndef PAYSVC_GO_BINDING_H
#define PAYSVC_GO_BINDING_H

#include <paysvc.h>
#include <stdint.h>
#include <stdlib.h>

typedef paysvc_status (PAYSVC_CDECL *paysvc_go_function)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);

paysvc_status paysvc_go_invoke(paysvc_go_function function, const paysvc_client *client, const char *json,
                               const paysvc_call *call, uintptr_t log, paysvc_reply **reply);
paysvc_status paysvc_go_encrypt(const paysvc_client *client, const char *json, const paysvc_call *call, paysvc_reply **reply);
paysvc_status paysvc_go_client_check(const paysvc_client *client, const char *json, const paysvc_call *call,
                                     paysvc_reply **reply);
paysvc_status paysvc_go_warm(const paysvc_client *client, const char *json, const paysvc_call *call, paysvc_reply **reply);
/* Of the buffer in which a key is given and received. */
#define PAYSVC_GO_KEY_SIZE 1024
/* key: of that size. */
paysvc_status paysvc_go_journal_next(const paysvc_client *client, const char *key, const paysvc_call *call,
                                     paysvc_reply **reply);
paysvc_status paysvc_go_set_log(const paysvc_client *client, int level);
/* Why no comparison is needed to see that it is not paid; "" if one is. */
const char *paysvc_go_why_not(const paysvc_reply *reply);
void paysvc_go_set_progress(const paysvc_call *call, uintptr_t handle);
/* handle is a cgo.Handle, which paysvcGoStoreRelease deletes if the store was set. */
paysvc_status paysvc_go_set_store(const paysvc_client *client, uintptr_t handle, paysvc_reply **reply);

#endif
