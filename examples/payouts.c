/* Pays the recipients of a list, and goes on where an earlier run of it ended, whatever ended it.
 *
 *   payouts LIST JOURNAL
 *
 * LIST is a file with a JSON array: the payoutDetails of paysvc_payout_bulk(). JOURNAL is a file that this program
 * writes: one line for each step. Without it nobody would know after a crash who was paid, so keep it, and name it again
 * to go on. Status 0: all were accepted. 1: some were not, run it again. 2: UNKNOWN ones are left, ask a person.
 *
 * It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
 * PAYSVC_ENCRYPTION_KEY. It is C89 and uses no JSON library.
 */
#define _POSIX_C_SOURCE 200112L
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(3);
}

/* The text of a file, to be freed. "" if there is no such file and it is optional. */
static char *read_file(const char *name, int optional)
{
    FILE *file = fopen(name, "rb");
    size_t size = 0, room = 65536;
    char *text = malloc(room);
    if (file == NULL && !optional) {
        fail(name, "cannot be read");
    }
    while (text != NULL && file != NULL) {
        size_t count = fread(text + size, 1, room - size - 1, file);
        size += count;
        if (count == 0) {
            break;
        }
        if (room - size < 2) {
            char *larger = realloc(text, room *= 2);
            if (larger == NULL) {
                free(text);
            }
            text = larger;
        }
    }
    if (text == NULL) {
        fail(name, "is too large for the memory");
    }
    if (file != NULL) {
        fclose(file);
    }
    text[size] = '\0';
    return text;
}

/* Makes the lines of a journal a JSON array, in place: one character of each line is its end. A last line without an end
 * was being written when the process died, and its batch was not sent, or its answer stays UNKNOWN: it is left out. */
static void lines_to_items(char *journal)
{
    char *end = strrchr(journal, '\n');
    char *at;
    if (end == NULL) {
        *journal = '\0';
        return;
    }
    *end = '\0';
    for (at = journal; (at = strchr(at, '\n')) != NULL; at++) {
        *at = ',';
    }
}

/* Writes a step down before the call goes on. If that fails, no further batch is sent. */
static int write_down(void *journal, size_t done, size_t total, const char *step_json)
{
    FILE *file = journal;
    printf("%lu of %lu\n", (unsigned long)done, (unsigned long)total);
    if (fprintf(file, "%s\n", step_json) < 0 || fflush(file) != 0 || fsync(fileno(file)) != 0) {
        return 0;
    }
    return PAYSVC_CONTINUE;
}

/* Cuts off the beginning of a line, so that the next one does not continue it. */
static FILE *open_journal(const char *name, const char *journal)
{
    const char *end = strrchr(journal, '\n');
    FILE *file = fopen(name, "ab");
    if (file == NULL || ftruncate(fileno(file), end == NULL ? 0 : (off_t)(end + 1 - journal)) != 0) {
        fail(name, "cannot be written");
    }
    return file;
}

static void print_rest(const paysvc_reply *reply)
{
    unsigned long i, count = (unsigned long)paysvc_reply_count(reply, "/payouts");
    char pointer[64];
    for (i = 0; i < count; i++) {
        const char *outcome;
        sprintf(pointer, "/payouts/%lu/outcome", i);
        outcome = paysvc_reply_get(reply, pointer);
        if (outcome != NULL && strcmp(outcome, "ACCEPTED") != 0) {
            const char *reference;
            sprintf(pointer, "/payouts/%lu/clientReference", i);
            reference = paysvc_reply_get(reply, pointer);
            printf("%s %s\n", outcome, reference != NULL ? reference : "?");
        }
    }
}

int main(int argc, char **argv)
{
    paysvc_client *client;
    paysvc_reply *reply;
    paysvc_call *call;
    char *list, *journal, *request;
    const char *unknown;
    FILE *file;
    int result;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);   /* line by line, into a pipe as well */
    if (argc != 3) {
        fail("payouts", "give the file of the list and the file of the journal");
    }
    if (paysvc_client_new(NULL, &client, &reply) != PAYSVC_OK) {
        fail("the configuration", paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
    list = read_file(argv[1], 0);
    journal = read_file(argv[2], 1);
    file = open_journal(argv[2], journal);
    lines_to_items(journal);
    request = malloc(strlen(list) + strlen(journal) + 64);
    if (request == NULL) {
        fail(argv[1], "is too large for the memory");
    }
    sprintf(request, "{\"payoutDetails\":%s,\"earlier\":[%s]}", list, journal);
    call = paysvc_call_new();
    paysvc_call_set_progress(call, write_down, file);
    paysvc_payout_bulk(client, request, call, &reply);
    puts(paysvc_reply_message(reply));
    print_rest(reply);
    unknown = paysvc_reply_get(reply, "/unknown");
    result = paysvc_reply_status(reply) == PAYSVC_OK ? 0 : unknown == NULL ? 3 : strcmp(unknown, "0") == 0 ? 1 : 2;
    paysvc_reply_free(reply);
    paysvc_call_free(call);
    paysvc_client_free(client);
    fclose(file);
    free(request);
    free(journal);
    free(list);
    return result;
}
