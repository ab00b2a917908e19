/* See verdict_run.h. */
#include "verdict_run.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef paysvc_status (*function)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);

static const struct {
    const char *name;
    function call;
} functions[] = {
#include "functions.inc"
    {"request POST", paysvc_request}, {"request GET", paysvc_request}};

static function function_of(const struct oracle_row *row)
{
    size_t i;
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, row->name) == 0) {
            return functions[i].call;
        }
    }
    return NULL;
}

int has_function(const struct oracle_row *row) { return function_of(row) != NULL; }

static paysvc_client *client(int port, int tries, const char *key)
{
    char *config = (char *)malloc(strlen(key) + 512);
    paysvc_client *made = NULL;
    paysvc_reply *reply = NULL;
    if (config == NULL) {
        abort();
    }
    sprintf(config,
            "{\"base_url\":\"http://"
            "127.0.0.1:%d\",\"public_key\":\"public\",\"secret_key\":\"secret\",\"timeout_ms\":20000,"
            "\"max_attempts\":%d,\"encryption_key\":\"%s\"}",
            port, tries, key);
    if (paysvc_client_new(config, &made, &reply) != PAYSVC_OK) {
        fprintf(stderr, "no client: %s\n", paysvc_reply_message(reply));
        exit(2);
    }
    paysvc_reply_free(reply);
    free(config);
    return made;
}

/* A port that nobody listens to, kept by a socket that is bound and does not listen. */
static int closed_port(void)
{
    static int socket_of_all = -1;
    static struct sockaddr_in address;
    socklen_t length = sizeof address;
    if (socket_of_all < 0) {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socket_of_all = socket(AF_INET, SOCK_STREAM, 0);
        if (socket_of_all < 0 || bind(socket_of_all, (struct sockaddr *)&address, sizeof address) != 0 ||
            getsockname(socket_of_all, (struct sockaddr *)&address, &length) != 0) {
            perror("closed port");
            exit(2);
        }
    }
    return ntohs(address.sin_port);
}

void peer_start(struct peer *peer, const char *encryption_key)
{
    int i;
    if (!server_start(&peer->server)) {
        perror("server");
        exit(2);
    }
    peer->key = encryption_key;
    peer->clients[0] = NULL;
    for (i = 1; i <= MOST_TRIES; i++) {
        peer->clients[i] = client(peer->server.port, i, encryption_key);
    }
    peer->nobody = NULL;
}

void peer_stop(struct peer *peer)
{
    int i;
    for (i = 0; i <= MOST_TRIES; i++) {
        paysvc_client_free(peer->clients[i]);
    }
    paysvc_client_free(peer->nobody);
    server_stop(&peer->server);
}

static char *copy(const char *text)
{
    char *to = (char *)malloc(strlen(text) + 1);
    if (to == NULL) {
        abort();
    }
    return strcpy(to, text);
}

void peer_call(struct peer *peer, const struct sample *sample, struct seen *seen)
{
    const paysvc_client *with = peer->clients[sample->tries];
    paysvc_reply *reply = NULL;
    int last = sample->answers[sample->count - 1].arrival == ORACLE_NOT_SENT;
    paysvc_call *call = NULL;
    paysvc_status status;
    if (sample->answers[sample->count - 1].late) {
        call = paysvc_call_new();
        paysvc_call_set_timeout_ms(call, DEADLINE_MS);
    }
    /* The 429 before a refused connection is the last answer of this server. */
    server_script(&peer->server, sample->wires, last && sample->count > 1 ? sample->count - 1 : sample->count,
                  last && sample->count > 1);
    if (last && sample->count == 1) {
        if (peer->nobody == NULL) {
            peer->nobody = client(closed_port(), sample->tries, peer->key);
        }
        with = peer->nobody;
    }
    status = function_of(sample->row)(with, sample->request, call, &reply);
    paysvc_call_free(call);
    seen->status = paysvc_reply_status(reply);
    seen->torn = seen->status != status;
    seen->outcome = paysvc_reply_outcome(reply);
    seen->state = paysvc_reply_state(reply);
    seen->http = paysvc_reply_http_status(reply);
    seen->attempts = paysvc_reply_attempts(reply);
    seen->requests = server_seen(&peer->server);
    seen->message = copy(paysvc_reply_message(reply));
    paysvc_reply_free(reply);
}

void seen_free(struct seen *seen) { free(seen->message); }

void expect(struct expected *expected, const struct sample *sample)
{
    const struct oracle_answer *answer;
    int turn;
    expected->after_429 = 0;
    expected->attempts = 0;
    expected->turns = 0;
    for (turn = 0;; turn++) {
        answer = &sample->answers[turn < sample->count ? turn : sample->count - 1];
        expected->verdict = oracle_judge(sample->row, sample->request, answer, expected->after_429);
        expected->attempts += answer->arrival != ORACLE_NOT_SENT;
        expected->lines[turn] = expected->verdict.line;
        expected->before[turn] = expected->after_429;
        expected->turns++;
        if (!expected->verdict.again || turn + 1 >= sample->tries) {
            return;
        }
        expected->after_429 += answer->arrival == ORACLE_HTTP && answer->http == 429;
    }
}

int same(const struct expected *e, const struct seen *s)
{
    return !s->torn && s->status == e->verdict.status && s->outcome == e->verdict.outcome &&
           s->state == e->verdict.state && s->attempts == e->attempts && s->requests == e->attempts;
}

static void print_bytes(const char *bytes, size_t length)
{
    size_t i;
    for (i = 0; i < length && i < 3000; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n') {
            printf("\\n");
        } else if (c == '\r') {
            printf("\\r");
        } else if (c < 0x20 || c >= 0x7F) {
            printf("\\x%02x", c);
        } else {
            putchar(c);
        }
    }
    printf(i < length ? "... (%lu bytes)\n" : "\n", (unsigned long)length);
}

void tell(const char *result, const char *name, const struct sample *sample, const struct expected *e,
          const struct seen *s)
{
    int i;
    printf("%s: %s: %s %s\n", result, name, sample->row->name, sample->request);
    for (i = 0; i < sample->count; i++) {
        static const char *const ends[] = {"", " then the connection is closed", " then the connection is reset"};
        printf("  answer %d%s: ", i + 1,
               sample->answers[i].arrival == ORACLE_NOT_SENT ? " (nobody listens)" : ends[sample->wires[i].end]);
        print_bytes(sample->wires[i].bytes, sample->wires[i].length);
    }
    printf("  table:   line %s%s: %s %s state %d, requests %d\n", e->verdict.line, e->after_429 ? " after 429" : "",
           paysvc_status_name(e->verdict.status), paysvc_outcome_name(e->verdict.outcome), e->verdict.state,
           e->attempts);
    printf("  library: %s %s state %d, requests %d, attempts %d, HTTP %d%s: %.300s\n", paysvc_status_name(s->status),
           paysvc_outcome_name(s->outcome), s->state, s->requests, s->attempts, s->http,
           s->torn ? ", returned ANOTHER status" : "", s->message);
}

void cell_not_sent(struct cell *cell, const char *row, int after_429)
{
    struct sample *sample = &cell->sample;
    int i;
    memset(cell, 0, sizeof *cell);
    sample->row = oracle_row(row);
    sample->request = copy(strcmp(row, "order_refund") == 0 ? "{\"reference\":\"R-1\"}"
                           : strcmp(row, "direct_debit_otp") == 0
                               ? "{\"mandateCode\":\"M-1\"}"
                               : "{\"method\":\"POST\",\"path\":\"/made/up\",\"key\":\"public\",\"body\":{}}");
    sample->tries = after_429 + 1;
    sample->count = after_429 + 1;
    for (i = 0; i < sample->count; i++) {
        sample->answers[i].http = 429;
        sample->answers[i].body = copy("");
        sample->answers[i].arrival = i < after_429 ? ORACLE_HTTP : ORACLE_NOT_SENT;
        sample->wires[i] = wire_of(&sample->answers[i], "length", "Retry-After: 0\r\nConnection: close\r\n", 0);
        sample->wires[i].end = WIRE_CLOSE;
    }
}
