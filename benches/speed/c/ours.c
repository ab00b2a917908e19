/* libpaysvc. */
#define _POSIX_C_SOURCE 200809L
#include "worker.h"
#include <fcntl.h>
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef paysvc_status (*function)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);

/* The order of card.json. */
static const char ORDER[] = "ORDER-20260101-000001";
static struct task task;
static paysvc_client *client;
static char *payload, *key_config;
static function endpoint;
static paysvc_reply *large;
static char pointers[LARGE_COUNT * LARGE_MEMBERS][48];

static void call_with(const char *request, const paysvc_call *token)
{
    paysvc_reply *reply;
    if (endpoint(client, request, token, &reply) != PAYSVC_OK || paysvc_reply_outcome(reply) != PAYSVC_OUTCOME_CONFIRMED ||
        paysvc_reply_state(reply) != PAYSVC_STATE_SUCCESSFUL || paysvc_reply_replayed(reply)) {
        fail("call", paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
}

static void call(void *unused)
{
    (void)unused;
    call_with(payload, NULL);
}

/* Each has a key and an order of its own, so that each is sent, also while others are under way. */
static void refund_with_key(void *unused)
{
    static int last;
    char key[32], order[16], request[1024], *at;
    int number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    paysvc_call *token = paysvc_call_new();
    (void)unused;
    sprintf(key, "BENCH-%d", number);
    sprintf(order, "%06d", number % 1000000);
    strcpy(request, payload);
    at = strstr(request, "000001");
    if (at == NULL || paysvc_call_set_key(token, key) != PAYSVC_OK) {
        fail("key", key);
    }
    memcpy(at, order, strlen(order));
    call_with(request, token);
    paysvc_call_free(token);
}

/* The client knows that nobody else has tried to pay an order with such a reference, so it asks the service nothing. */
static void charge_new_order(void *unused)
{
    char request[1024], order[64];
    const char *reference = strstr(payload, ORDER);
    int length = reference == NULL ? 0 : (int)(reference - payload);
    (void)unused;
    if (length == 0 || paysvc_journal_reference_new(client, "A", order, sizeof order) == 0) {
        fail("reference", payload);
    }
    sprintf(request, "%.*s%s%s", length, payload, order, reference + strlen(ORDER));
    call_with(request, NULL);
}

/* What one durable row costs the disk at least. */
static void sync_a_page(void *file)
{
    static const char page[4096];
    if (write(*(int *)file, page, sizeof page) != sizeof page || fdatasync(*(int *)file) != 0) {
        fail("sync", "refused");
    }
}

static int work_with_disk(const char *path)
{
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600), status;
    if (file < 0) {
        fail(path, "cannot be made");
    }
    status = work(sync_a_page, &file);
    close(file);
    remove(path);
    return status;
}

static void encrypt(void *unused)
{
    paysvc_reply *reply;
    (void)unused;
    if (paysvc_encrypt(client, payload, &reply) != PAYSVC_OK) {
        fail("encrypt", paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
}

static void open_large(void)
{
    size_t i, size;
    if (paysvc_direct_debit_history(client, "{\"emailAddress\":\"ada@example.com\"}", NULL, &large) != PAYSVC_OK) {
        fail("call", paysvc_reply_message(large));
    }
    size = paysvc_reply_body_len(large);
    if (size < 66000 || size > 68000 || paysvc_reply_count(large, "/directDebitMandates") != LARGE_COUNT) {
        fail("call", "not the large response");
    }
    /* Jumps about, so that no lookup is near the one before. */
    for (i = 0; i < LARGE_COUNT * LARGE_MEMBERS; i++) {
        sprintf(pointers[i], "/directDebitMandates/%d/%s", (int)(i * 7 % LARGE_COUNT), large_members[i / LARGE_COUNT]);
    }
}

/* Every value once, then again. */
static void look(void *unused)
{
    static size_t next;
    const char *text = paysvc_reply_get(large, pointers[next]);
    (void)unused;
    if (text == NULL || text[0] == '\0') {
        fail("look", pointers[next]);
    }
    next = (next + 1) % (LARGE_COUNT * LARGE_MEMBERS);
}

/* The key text alone, without an address, so without TLS. */
static void load_key(void *unused)
{
    paysvc_client *loaded;
    (void)unused;
    if (paysvc_client_new(key_config, &loaded, NULL) != PAYSVC_OK) {
        fail("key", "refused");
    }
    paysvc_client_free(loaded);
}

/* The file and what SQLite has beside it. */
static void remove_journal(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[4096];
    size_t i;
    for (i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        remove(name);
    }
}

/* All threads share the client. In the mode "fresh" each call has a connection of its own. */
static void *thread_state(void)
{
    return NULL;
}

/* "threads" has 64, "journal-encrypted-threads-8" has 8; 0: one call after the other. */
static int threads_of(const char *mode)
{
    const char *at = strstr(mode, "threads");
    if (at == NULL) {
        return 0;
    }
    return at[strlen("threads")] == '-' ? atoi(at + strlen("threads-")) : 64;
}

int main(int argc, char **argv)
{
    char config[8192], path[2048], *key;
    paysvc_reply *reply;
    void (*step)(void *) = call;
    int encrypted, journaled, threads, status;
    task = task_of(argc, argv);
    if (paysvc_abi() != PAYSVC_ABI) {
        fail("libpaysvc", "another ABI");
    }
    key = text_of(task.folder, "key.txt");
    encrypted = strstr(task.mode, "encrypt") != NULL;
    payload = text_of(task.folder, encrypted ? "card.json" : "plain.json");
    endpoint = encrypted ? paysvc_order_create : paysvc_order_refund;
    journaled = strncmp(task.mode, "journal", 7) == 0;
    threads = threads_of(task.mode);
    snprintf(path, sizeof path, "%s/%s-%ld", task.folder, task.mode, (long)getpid());
    if (strcmp(task.mode, "sync") == 0) {
        return work_with_disk(path);
    }
    key_config = malloc(strlen(key) + 64);
    sprintf(key_config, "{\"encryption_key\":\"%s\"}", key);
    snprintf(config, sizeof config,
             "{\"base_url\":\"%s\",\"public_key\":\"PUBLICKEY-BENCH\",\"secret_key\":\"SECRETKEY-BENCH\","
             "\"ca_file\":\"%s/ca.pem\",\"connection_reuse\":\"%s\"%s%s%s%s%s%s}", task.base_url, task.folder,
             strcmp(task.mode, "fresh") == 0 ? "reads" : "all",
             journaled ? ",\"journal_create\":true,\"journal\":\"" : "", journaled ? path : "", journaled ? "\"" : "",
             encrypted ? ",\"encryption_key\":\"" : "", encrypted ? key : "", encrypted ? "\"" : "");
    if (strcmp(task.mode, "key") == 0) {
        return work(load_key, NULL);
    }
    if (paysvc_client_new(config, &client, &reply) != PAYSVC_OK) {
        fail("client", paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
    if (strcmp(task.mode, "encrypt") == 0) {
        return work(encrypt, NULL);
    }
    if (journaled) {
        step = encrypted ? charge_new_order : refund_with_key;
    }
    if (journaled || threads > 0) {
        status = threads > 0 ? work_in_threads(threads, thread_state, step) : work(step, NULL);
        remove_journal(path);
        return status;
    }
    if (strcmp(task.mode, "look") == 0) {
        open_large();
        return work(look, NULL);
    }
    call(NULL);
    if (strcmp(task.mode, "first") != 0) {
        return work(call, NULL);
    }
    paysvc_client_free(client);
    return 0;
}
