/* A child unknown to the C library (argv[2]: "clone", the bare system call, or "_Fork") inherits a client with
 * a kept connection, and one that has carried no request.
 * Parent, child and grandchild call at the same time: each gets its own answers. argv[1] is the
 * configuration; exit status 77: this C library has no _Fork. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <paysvc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 20 };

static paysvc_client *client;
static const char *how;

static pid_t split(void)
{
    pid_t (*fork_without_handlers)(void) = NULL;
    if (strcmp(how, "clone") == 0) {
        return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    }
    *(void **)&fork_without_handlers = dlsym(RTLD_DEFAULT, "_Fork");
    if (fork_without_handlers == NULL) {
        _exit(77);
    }
    return fork_without_handlers();
}

/* The service answers with the reference as message. */
static int calls(const char *who)
{
    int i, wrong = 0;
    for (i = 0; i < CALLS; i++) {
        char reference[40], request[80];
        paysvc_reply *reply = NULL;
        sprintf(reference, "%s-%d", who, i);
        sprintf(request, "{\"reference\":\"%s\"}", reference);
        paysvc_order_refund(client, request, NULL, &reply);
        if (strcmp(paysvc_reply_message(reply), reference) != 0) {
            fprintf(stderr, "%s got: %s\n", reference, paysvc_reply_message(reply));
            wrong++;
        }
        paysvc_reply_free(reply);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"parent", "child", "grandchild"};
    int generation, status = 0, wrong = 0;
    pid_t pid = -1;

    if (argc != 3 || paysvc_client_new(argv[1], &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    how = argv[2];
    alarm(60);
    wrong += calls("before");
    wrong += paysvc_client_warm(client, NULL, NULL) != PAYSVC_OK;
    for (generation = 0; generation < 3; generation++) {
        pid = generation < 2 ? split() : -1;
        if (pid != 0) {
            break;
        }
        alarm(60);
    }
    wrong += calls(names[generation]);
    if (generation < 2 && (waitpid(pid, &status, 0) != pid || status != 0)) {
        fprintf(stderr, "the %s's child ended with %d\n", names[generation], status);
        wrong = WIFEXITED(status) && WEXITSTATUS(status) == 77 ? 77 : wrong + 1;
    }
    paysvc_client_free(client);
    return wrong;
}
