/* A raw server on loopback: it answers each request of one client with the next bytes of a script. */
#ifndef VERDICT_SERVER_H
#define VERDICT_SERVER_H

#include <pthread.h>
#include <stddef.h>

enum wire_end { WIRE_KEEP, WIRE_CLOSE, WIRE_RESET };

/* What is written as the answer to a request, and what becomes of the connection then. */
struct wire {
    char *bytes;
    size_t length;
    enum wire_end end;
};

struct server {
    int listener, port, wake[2];
    pthread_t thread;
    pthread_mutex_t mutex;
    const struct wire *script; /* the last one answers all further requests */
    int count, seen;
    int close_listener; /* with the next answer the server stops listening */
};

int server_start(struct server *server);
void server_stop(struct server *server);
void server_script(struct server *server, const struct wire *script, int count, int close_listener);
int server_seen(struct server *server);

#endif
