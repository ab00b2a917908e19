/* Handles freed and calls cancelled before, during and after calls, from several threads. argv[1] is the configuration.
 * The service holds a request with the reference "slow" until one with "go" comes, and reports it with a byte on standard
 * input for each that it holds: nothing here depends on how fast anything is. */
#include "check.h"
#include <pthread.h>

enum { THREADS = 8 };

static const char refund[] = "{\"reference\":\"R\"}", slow[] = "{\"reference\":\"slow\"}";
static const char *config;

struct work {
    pthread_t thread;
    paysvc_client *client;
    paysvc_call *call;
    paysvc_reply *reply;
    paysvc_status status;
};

static paysvc_client *new_client(void)
{
    paysvc_client *client = NULL;
    CHECK(paysvc_client_new(config, &client, NULL) == PAYSVC_OK);
    return client;
}

static void *send_slow(void *argument)
{
    struct work *work = (struct work *)argument;
    work->status = paysvc_order_refund(work->client, slow, work->call, &work->reply);
    return NULL;
}

/* Starts calls on that client, and returns when the service has all of them. */
static void start(struct work *works, int count, paysvc_client *client, paysvc_call *call)
{
    int i;
    for (i = 0; i < count; i++) {
        works[i].client = client;
        works[i].call = call;
        pthread_create(&works[i].thread, NULL, send_slow, &works[i]);
    }
    for (i = 0; i < count; i++) {
        if (getchar() == EOF) {
            fprintf(stderr, "the service is gone\n");
            exit(3);
        }
    }
}

/* Lets the service answer; it must be asked by another client, as the first may be gone. */
static void go(void)
{
    paysvc_client *client = new_client();
    CHECK(paysvc_order_refund(client, "{\"reference\":\"go\"}", NULL, NULL) == PAYSVC_OK);
    paysvc_client_free(client);
}

static void join(struct work *works, int count, paysvc_status status, paysvc_outcome outcome)
{
    int i;
    for (i = 0; i < count; i++) {
        pthread_join(works[i].thread, NULL);
        EXPECT(works[i].status, works[i].reply, status, outcome);
        /* Freed by another thread than the one that got it. */
        paysvc_reply_free(works[i].reply);
        works[i].reply = NULL;
    }
}

static void *cancel(void *call)
{
    paysvc_call_cancel((paysvc_call *)call);
    paysvc_call_cancel((paysvc_call *)call);
    return NULL;
}

static void cancels(void)
{
    struct work works[THREADS];
    pthread_t threads[THREADS];
    paysvc_client *client = new_client();
    paysvc_call *call = paysvc_call_new();
    paysvc_reply *reply = NULL;
    int i;

    /* After: the response stays, and no function can use the token any more, however often it is cancelled. */
    EXPECT(paysvc_order_refund(client, refund, call, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    cancel(call);
    CHECK(paysvc_reply_status(reply) == PAYSVC_OK && strcmp(paysvc_reply_message(reply), "done") == 0);
    paysvc_reply_free(reply);
    paysvc_call_set_timeout_ms(call, 60000);
    for (i = 0; i < 3; i++) {
        EXPECT(paysvc_order_refund(client, refund, call, &reply), reply, PAYSVC_E_CANCELLED, PAYSVC_OUTCOME_NOT_SENT);
        paysvc_reply_free(reply);
        EXPECT(paysvc_direct_debit_history(client, "{\"emailAddress\":\"a@b\"}", call, &reply), reply,
               PAYSVC_E_CANCELLED, PAYSVC_OUTCOME_NOT_SENT);
        paysvc_reply_free(reply);
        cancel(call);
    }
    paysvc_call_free(call);

    /* During: several calls with one token, ended by several threads at once. */
    call = paysvc_call_new();
    start(works, THREADS, client, call);
    for (i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, cancel, call);
    }
    join(works, THREADS, PAYSVC_E_CANCELLED, PAYSVC_OUTCOME_UNKNOWN);
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    paysvc_call_free(call);

    /* Racing with the start: whatever happens, the reply is complete and the client continues. */
    for (i = 0; i < 50; i++) {
        paysvc_status status;
        call = paysvc_call_new();
        pthread_create(&threads[0], NULL, cancel, call);
        status = paysvc_order_refund(client, refund, call, &reply);
        CHECK(status == paysvc_reply_status(reply) && (status == PAYSVC_OK || status == PAYSVC_E_CANCELLED));
        CHECK(status != PAYSVC_OK || paysvc_reply_outcome(reply) == PAYSVC_OUTCOME_CONFIRMED);
        pthread_join(threads[0], NULL);
        paysvc_reply_free(reply);
        paysvc_call_free(call);
    }
    EXPECT(paysvc_order_refund(client, refund, NULL, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    paysvc_reply_free(reply);
    go();
    paysvc_client_free(client);
}

static void frees(void)
{
    struct work works[THREADS];
    paysvc_client *client = new_client();
    paysvc_call *call = paysvc_call_new();

    /* The token while its calls run: they go on. */
    paysvc_call_set_timeout_ms(call, 600000);
    start(works, THREADS, client, call);
    paysvc_call_free(call);
    go();
    join(works, THREADS, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);

    /* The client, and once more with the token before it and after it. */
    start(works, THREADS, client, NULL);
    paysvc_client_free(client);
    go();
    join(works, THREADS, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    client = new_client();
    call = paysvc_call_new();
    start(works, THREADS, client, call);
    paysvc_call_free(call);
    paysvc_client_free(client);
    go();
    join(works, THREADS, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);

    /* The client is gone, and a cancel still ends its calls. */
    client = new_client();
    call = paysvc_call_new();
    start(works, THREADS, client, call);
    paysvc_client_free(client);
    paysvc_call_cancel(call);
    paysvc_call_free(call);
    join(works, THREADS, PAYSVC_E_CANCELLED, PAYSVC_OUTCOME_UNKNOWN);
    go();
}

static void PAYSVC_CALLBACK log_line(void *count, int level, const char *message)
{
    CHECK(level >= 1 && level <= 4 && message[0] != '\0');
    __atomic_add_fetch((int *)count, 1, __ATOMIC_RELAXED);
}

static void *many(void *argument)
{
    struct work *work = (struct work *)argument;
    int i, bad = 0;
    for (i = 0; i < 50; i++) {
        bad += paysvc_order_refund(work->client, refund, NULL, NULL) != PAYSVC_OK;
    }
    work->status = bad;
    return NULL;
}

/* The log switched on, off and over to another counter while calls run. */
static void logs(void)
{
    struct work works[THREADS];
    int counts[2] = {0, 0}, i;
    paysvc_client *client = new_client();
    CHECK(paysvc_client_set_log(client, 4, log_line, &counts[0]) == PAYSVC_OK);
    for (i = 0; i < THREADS; i++) {
        works[i].client = client;
        pthread_create(&works[i].thread, NULL, many, &works[i]);
    }
    for (i = 0; i < 2000; i++) {
        CHECK(paysvc_client_set_log(client, 1 + i % 4, i % 3 == 0 ? NULL : log_line, &counts[i % 2]) == PAYSVC_OK);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(works[i].thread, NULL);
        CHECK(works[i].status == 0);
    }
    CHECK(paysvc_client_set_log(client, 4, log_line, &counts[1]) == PAYSVC_OK);
    i = counts[1];
    CHECK(paysvc_order_refund(client, refund, NULL, NULL) == PAYSVC_OK && counts[1] > i);
    paysvc_client_free(client);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        return 2;
    }
    config = argv[1];
    cancels();
    frees();
    logs();
    return finished("lifetimes");
}
