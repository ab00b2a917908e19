/* Pays the recipients of a list, and goes on where an earlier run of it ended, whatever ended it.
 *
 *   payouts --new LIST JOURNAL   begins: JOURNAL must not exist
 *   payouts LIST JOURNAL         goes on: JOURNAL must exist
 *
 * LIST is a file with a JSON array: the payoutDetails of paysvc_payout_bulk(). JOURNAL is a file that this program
 * writes: one line for each step. Without it nobody would know after a crash who was paid, so keep it, and name it again
 * to go on. A new journal for a list that was begun with another one pays the whole list again. Status 0: all were
 * accepted. 1: some were not, run it again. 2: UNKNOWN ones are left, ask a person. 3: it could not run, see the error.
 *
 * It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
 * PAYSVC_ENCRYPTION_KEY. It is C89 for POSIX, and uses no JSON library.
 */
#define _POSIX_C_SOURCE 200112L
#include <paysvc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct journal {
    int file;
    off_t size;   /* of its whole lines */
    int failed;   /* a line could not be written: nothing may follow it */
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(3);
}

/* The text of a file, to be freed, and its size. */
static char *read_all(int file, const char *name, size_t *size)
{
    size_t room = 65536;
    char *text = malloc(room);
    *size = 0;
    while (text != NULL) {
        ssize_t count = read(file, text + *size, room - *size - 1);
        if (count < 0 && errno != EINTR) {
            fail(name, strerror(errno));
        }
        if (count == 0) {
            text[*size] = '\0';
            return text;
        }
        *size += count < 0 ? 0 : (size_t)count;
        if (room - *size < 2) {
            char *larger = room > (size_t)-1 / 2 ? NULL : realloc(text, room *= 2);
            if (larger == NULL) {
                free(text);
            }
            text = larger;
        }
    }
    fail(name, "is too large for the memory");
    return NULL;
}

static char *read_list(const char *name)
{
    size_t size;
    char *text;
    int file = open(name, O_RDONLY);
    if (file < 0) {
        fail(name, strerror(errno));
    }
    text = read_all(file, name, &size);
    close(file);
    if (strlen(text) != size) {
        fail(name, "is no JSON");
    }
    return text;
}

/* A file is found after a power cut only if its directory was written as well. */
static void sync_directory(const char *name)
{
    const char *end = strrchr(name, '/');
    size_t length = end == NULL ? 0 : end == name ? 1 : (size_t)(end - name);
    char *directory = malloc(length + 2);
    int file;
    if (directory == NULL) {
        fail(name, "there is no memory for it");
    }
    memcpy(directory, name, length);
    strcpy(directory + length, length == 0 ? "." : "");
    file = open(directory, O_RDONLY);
    if (file < 0 || fsync(file) != 0) {
        fail(directory, strerror(errno));
    }
    close(file);
    free(directory);
}

/* Opens the journal for this process alone, and gives its steps with commas between them. A last line that was being
 * written when the process died, or the power failed, is cut off: otherwise the next line would continue it. */
static char *open_journal(struct journal *journal, const char *name, int is_new)
{
    struct flock whole_file;
    size_t size;
    char *text, *at;
    journal->file = open(name, is_new ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
    if (journal->file < 0) {
        const char *absent = "does not exist; --new begins a list that nobody has begun";
        fail(name, !is_new && errno == ENOENT ? absent : strerror(errno));
    }
    memset(&whole_file, 0, sizeof whole_file);
    whole_file.l_type = F_WRLCK;
    whole_file.l_whence = SEEK_SET;
    if (fcntl(journal->file, F_SETLK, &whole_file) != 0) {
        const char *locked = "another process is paying with this journal";
        fail(name, errno == EACCES || errno == EAGAIN ? locked : strerror(errno));
    }
    text = read_all(journal->file, name, &size);
    while (size > 0 && text[size - 1] != '\n') {
        size--;
    }
    if (memchr(text, '\0', size) != NULL) {
        fail(name, "is damaged: it has a NUL byte");
    }
    if (ftruncate(journal->file, (off_t)size) != 0 || fsync(journal->file) != 0) {
        fail(name, strerror(errno));
    }
    sync_directory(name);
    if (lseek(journal->file, (off_t)size, SEEK_SET) < 0) {
        fail(name, strerror(errno));
    }
    journal->size = (off_t)size;
    journal->failed = 0;
    text[size == 0 ? 0 : size - 1] = '\0';
    for (at = text; (at = strchr(at, '\n')) != NULL; at++) {
        *at = ',';
    }
    return text;
}

static int write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t count = write(file, text, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return 0;
        }
        text += count;
        size -= (size_t)count;
    }
    return 1;
}

/* Writes a step down before the call goes on. If that fails, no further batch is sent. */
static int write_down(void *userdata, size_t done, size_t total, const char *step_json)
{
    struct journal *journal = userdata;
    size_t size = strlen(step_json);
    printf("%lu of %lu\n", (unsigned long)done, (unsigned long)total);
    if (journal->failed) {
        return 0;
    }
    if (!write_all(journal->file, step_json, size) || !write_all(journal->file, "\n", 1) || fsync(journal->file) != 0) {
        perror("the journal cannot be written");
        journal->failed = 1;
        /* Nothing may follow a line that is not whole. If this fails too, the next run cuts it off. */
        if (ftruncate(journal->file, journal->size) != 0) {
            perror("the journal cannot be cut off");
        }
        return 0;
    }
    journal->size += (off_t)size + 1;
    return PAYSVC_CONTINUE;
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
    struct journal journal;
    char *list, *steps, *request;
    const char *unknown;
    int result, is_new = argc > 1 && strcmp(argv[1], "--new") == 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);   /* line by line, into a pipe as well */
    if (argc != (is_new ? 4 : 3)) {
        fail("payouts", "give [--new], the file of the list and the file of the journal");
    }
    if (paysvc_client_new(NULL, &client, &reply) != PAYSVC_OK) {
        fail("the configuration", paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
    list = read_list(argv[argc - 2]);
    steps = open_journal(&journal, argv[argc - 1], is_new);
    request = malloc(strlen(list) + strlen(steps) + 64);
    call = paysvc_call_new();
    if (request == NULL || call == NULL) {
        fail(argv[argc - 2], "is too large for the memory");
    }
    sprintf(request, "{\"payoutDetails\":%s,\"earlier\":[%s]}", list, steps);
    paysvc_call_set_progress(call, write_down, &journal);
    paysvc_payout_bulk(client, request, call, &reply);
    puts(paysvc_reply_message(reply));
    print_rest(reply);
    unknown = paysvc_reply_get(reply, "/unknown");
    result = paysvc_reply_status(reply) == PAYSVC_OK ? 0 : unknown == NULL ? 3 : strcmp(unknown, "0") == 0 ? 1 : 2;
    /* What is not in the journal will be UNKNOWN in the next run, or sent by it. */
    result = journal.failed && result != 2 ? 3 : result;
    paysvc_reply_free(reply);
    paysvc_call_free(call);
    paysvc_client_free(client);
    if (close(journal.file) != 0 || fflush(stdout) != 0 || ferror(stdout)) {
        fail("the output", "cannot be written");
    }
    free(request);
    free(steps);
    free(list);
    return result;
}
