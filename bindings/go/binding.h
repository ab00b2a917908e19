/* The parts that Go cannot do: keep a value for a thread, and give C a Go function as a callback. */
#ifndef PAYSVC_GO_BINDING_H
#define PAYSVC_GO_BINDING_H

#include <paysvc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* running: the cgo.Handle of the call, for its callbacks; 0: it has none. */
paysvc_status paysvc_go_invoke(const paysvc_client *client, const char *function, const char *json, const paysvc_call *call,
                               uintptr_t running, paysvc_reply **reply);
/* The cgo.Handle of the call on this thread; 0: none. */
uintptr_t paysvc_go_running(void);

/* In log.go, progress.go and store.go. Go knows no const. */
extern void paysvcGoLog(void *userdata, int level, char *message);
extern int paysvcGoProgress(void *userdata, size_t done, size_t total, char *step);
extern int paysvcGoStoreAppend(void *userdata, char *key, int seq, char *row, int ms);
extern int paysvcGoStoreRead(void *userdata, char *query, int ms, paysvc_sink *found);
extern void paysvcGoStoreRelease(void *userdata);

#endif
