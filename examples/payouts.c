/* Pays the recipients of a list, and continues where an earlier run ended, whatever ended it.
 *
 *   payouts LIST JOURNAL         pays who was not paid yet
 *   payouts --new LIST JOURNAL   makes JOURNAL first if there is no such file
 *
 * LIST is a file with a JSON array: the payoutDetails of paysvc_payout_bulk(). JOURNAL is the file of the setting journal,
 * for all lists: it remembers each clientReference, so nobody is paid twice, also by two processes at once. Keep it: with
 * an empty one the whole list is paid again. A list that names somebody whom another list has paid is refused: add
 * "continue": true to the request if it goes on with that one. Status 0: all were accepted. 1: some were not, run it
 * again. 2: UNKNOWN ones are left, ask a person. 3: it could not run, see the message.
 *
 * Otherwise it is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
 * PAYSVC_ENCRYPTION_KEY. It is C89 and uses no JSON library.
 */
#include <paysvc.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(3);
}

/* The text of a file as the list of a request; to be freed. */
static char *read_request(const char *name)
{
    static const char before[] = "{\"payoutDetails\":";
    size_t size = sizeof before - 1, room = 65536, count;
    char *text = malloc(room);
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        fail(name, strerror(errno));
    }
    if (text != NULL) {
        strcpy(text, before);
    }
    while (text != NULL && (count = fread(text + size, 1, room - size - 2, file)) > 0) {
        size += count;
        if (room - size < 3) {
            text = room > (size_t)-1 / 2 ? NULL : realloc(text, room *= 2);
        }
    }
    if (text == NULL || ferror(file)) {
        fail(name, text == NULL ? "is too large for the memory" : "cannot be read");
    }
    fclose(file);
    strcpy(text + size, "}");
    if (strlen(text) != size + 1) {
        fail(name, "is not JSON");
    }
    return text;
}

static paysvc_client *open_client(const char *journal, int is_new)
{
    paysvc_json *config = paysvc_json_new();
    paysvc_client *client;
    paysvc_reply *reply;
    paysvc_json_set_string(config, "/journal", journal);
    paysvc_json_set_bool(config, "/journal_create", is_new);
    if (paysvc_client_new(paysvc_json_text(config), &client, &reply) != PAYSVC_OK) {
        fail("the configuration", paysvc_reply_message(reply));
    }
    paysvc_json_free(config);
    paysvc_reply_free(reply);
    return client;
}

static int PAYSVC_CALLBACK print_step(void *userdata, size_t done, size_t total, const char *step_json)
{
    (void)userdata;
    (void)step_json;
    printf("%lu of %lu\n", (unsigned long)done, (unsigned long)total);
    return PAYSVC_CONTINUE;
}

static void print_rest(const paysvc_reply *reply)
{
    unsigned long i, count = (unsigned long)paysvc_reply_count(reply, "/payouts");
    const char *outcome, *reference;
    char pointer[64];
    for (i = 0; i < count; i++) {
        sprintf(pointer, "/payouts/%lu/outcome", i);
        outcome = paysvc_reply_get(reply, pointer);
        if (outcome != NULL && strcmp(outcome, "ACCEPTED") != 0) {
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
    paysvc_call *call = paysvc_call_new();
    char *request;
    const char *unknown;
    int result, is_new = argc > 1 && strcmp(argv[1], "--new") == 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);   /* line by line, into a pipe as well */
    if (argc != (is_new ? 4 : 3)) {
        fail("payouts", "give [--new], the file of the list and the file of the journal");
    }
    request = read_request(argv[argc - 2]);
    client = open_client(argv[argc - 1], is_new);
    paysvc_call_set_progress(call, print_step, NULL);
    paysvc_payout_bulk(client, request, call, &reply);
    puts(paysvc_reply_message(reply));
    print_rest(reply);
    /* A request that was refused as a whole has no report. */
    unknown = paysvc_reply_get(reply, "/unknown");
    result = paysvc_reply_status(reply) == PAYSVC_OK ? 0 : unknown == NULL ? 3 : strcmp(unknown, "0") == 0 ? 1 : 2;
    paysvc_reply_free(reply);
    paysvc_call_free(call);
    paysvc_client_free(client);
    free(request);
    return result;
}
