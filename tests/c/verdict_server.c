/* See verdict_server.h. */
#include "verdict_server.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 16, ROOM = 65536 };

struct connection {
    int fd;
    size_t length;
    char bytes[ROOM];
};

/* Whether the bytes are one whole request. */
static int whole_request(struct connection *c)
{
    char *head, *line;
    size_t body = 0;
    c->bytes[c->length] = '\0';
    head = strstr(c->bytes, "\r\n\r\n");
    if (head == NULL) {
        return 0;
    }
    for (line = c->bytes; line != NULL && line < head;
         line = strstr(line, "\r\n") == NULL ? NULL : strstr(line, "\r\n") + 2) {
        if (strncasecmp(line, "content-length:", 15) == 0) {
            body = (size_t)strtoul(line + 15, NULL, 10);
        }
        if (strncasecmp(line, "transfer-encoding:", 18) == 0) {
            return strstr(head, "\r\n0\r\n\r\n") != NULL;
        }
    }
    return c->length >= (size_t)(head - c->bytes) + 4 + body;
}

static void end(struct connection *c, int reset)
{
    struct linger linger = {1, 0};
    if (reset) {
        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    }
    close(c->fd);
    c->fd = -1;
    c->length = 0;
}

static void answer(struct server *server, struct connection *c)
{
    struct wire wire;
    size_t sent = 0;
    int last;
    pthread_mutex_lock(&server->mutex);
    wire = server->script[server->seen < server->count ? server->seen : server->count - 1];
    server->seen++;
    last = server->close_listener;
    c->length = 0;
    if (last) {
        close(server->listener);
        server->listener = -1;
    }
    while (sent < wire.length) {
        ssize_t count = send(c->fd, wire.bytes + sent, wire.length - sent, MSG_NOSIGNAL);
        if (count <= 0) {
            break;
        }
        sent += (size_t)count;
    }
    if (wire.end != WIRE_KEEP) {
        end(c, wire.end == WIRE_RESET);
    }
    /* Only now: the script's bytes belong to one who may free them when the client has the answer. */
    pthread_mutex_unlock(&server->mutex);
}

static void take(struct server *server, struct connection *connections)
{
    int fd = accept(server->listener, NULL, NULL), i, one = 1;
    for (i = 0; fd >= 0 && i < CONNECTIONS; i++) {
        if (connections[i].fd < 0) {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            connections[i].fd = fd;
            connections[i].length = 0;
            return;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void *serve(void *argument)
{
    struct server *server = (struct server *)argument;
    struct connection *connections = (struct connection *)calloc(CONNECTIONS, sizeof *connections);
    struct pollfd polled[CONNECTIONS + 2];
    int i;
    for (i = 0; i < CONNECTIONS; i++) {
        connections[i].fd = -1;
    }
    for (;;) {
        polled[0].fd = server->wake[0];
        polled[1].fd = server->listener;
        for (i = 0; i < CONNECTIONS; i++) {
            polled[i + 2].fd = connections[i].fd;
        }
        for (i = 0; i < CONNECTIONS + 2; i++) {
            polled[i].events = POLLIN;
            polled[i].revents = 0;
        }
        if (poll(polled, CONNECTIONS + 2, -1) < 0) {
            continue;
        }
        if (polled[0].revents != 0) {
            break;
        }
        for (i = 0; i < CONNECTIONS; i++) {
            struct connection *c = &connections[i];
            if (polled[i + 2].revents != 0 && c->fd >= 0) {
                ssize_t count = recv(c->fd, c->bytes + c->length, ROOM - 1 - c->length, 0);
                if (count <= 0) {
                    end(c, 0);
                } else {
                    c->length += (size_t)count;
                    if (whole_request(c)) {
                        answer(server, c);
                    }
                }
            }
        }
        if (polled[1].revents != 0 && server->listener >= 0) {
            take(server, connections);
        }
    }
    for (i = 0; i < CONNECTIONS; i++) {
        if (connections[i].fd >= 0) {
            close(connections[i].fd);
        }
    }
    free(connections);
    return NULL;
}

int server_start(struct server *server)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    memset(server, 0, sizeof *server);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (server->listener < 0 || pipe(server->wake) != 0 || pthread_mutex_init(&server->mutex, NULL) != 0 ||
        bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(server->listener, 64) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &length) != 0) {
        return 0;
    }
    server->port = ntohs(address.sin_port);
    return pthread_create(&server->thread, NULL, serve, server) == 0;
}

void server_stop(struct server *server)
{
    close(server->wake[1]); /* the other end then has something to read: its end */
    pthread_join(server->thread, NULL);
    close(server->wake[0]);
    if (server->listener >= 0) {
        close(server->listener);
    }
    pthread_mutex_destroy(&server->mutex);
}

void server_script(struct server *server, const struct wire *script, int count, int close_listener)
{
    pthread_mutex_lock(&server->mutex);
    server->script = script;
    server->count = count;
    server->close_listener = close_listener;
    server->seen = 0;
    pthread_mutex_unlock(&server->mutex);
}

int server_seen(struct server *server)
{
    int seen;
    pthread_mutex_lock(&server->mutex);
    seen = server->seen;
    pthread_mutex_unlock(&server->mutex);
    return seen;
}
