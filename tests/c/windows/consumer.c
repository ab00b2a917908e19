/* A program for Windows that creates an order and waits for it with both callbacks: consumer CONFIGURATION REFERENCE
 *
 * Exit status 0: every call gave what it must, the callbacks got what they must, and the stack was the same after each call
 * as before: a call with the wrong calling convention moves it on 32-bit Windows. 1: a call gave something else. 2: the stack
 * had moved. It compiles as C89 and as C++98.
 *
 * WALKS: the log's callback looks for main among its callers, which it finds only if the library's unwind tables are right.
 * OTHER: the program has another Rust library in it, whose panics stay its own.
 */
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WALKS
#include <unwind.h>
#endif
#ifdef OTHER
#ifdef __cplusplus
extern "C"
#endif
int PAYSVC_CDECL other_panics(int times);
#endif

#if defined(__i386__)
#define STACK(pointer) __asm__ __volatile__("movl %%esp, %0" : "=m"(pointer))
#else
#define STACK(pointer) ((pointer) = NULL)
#endif

static void *before, *after;

/* The whole is one statement, so that nothing else may move the stack. */
#define STEADY(call) \
    do { \
        STACK(before); \
        call; \
        STACK(after); \
        if (before != after) { \
            exit(2); \
        } \
    } while (0)

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            exit(1); \
        } \
    } while (0)

struct seen {
    int lines, steps, walked;
};

int PAYSVC_CDECL main(int count, char **arguments);

#ifdef WALKS
static _Unwind_Reason_Code is_main(struct _Unwind_Context *context, void *found)
{
    void *function = _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context));
    if (function == (void *)main) {
        *(int *)found = 1;
    }
    return _URC_NO_REASON;
}
#endif

static void PAYSVC_CALLBACK on_log(void *userdata, int level, const char *message)
{
    struct seen *seen = (struct seen *)userdata;
    CHECK(level >= 1 && level <= 4 && strlen(message) > 0);
    seen->lines++;
#ifdef WALKS
    _Unwind_Backtrace(is_main, &seen->walked);
#endif
}

static int PAYSVC_CALLBACK on_step(void *userdata, size_t done, size_t total, const char *step_json)
{
    struct seen *seen = (struct seen *)userdata;
    CHECK(done >= (size_t)seen->steps && total < 100 && step_json[0] == '{');
    /* Any other value ends the call: nobody pays this order. */
    return ++seen->steps < 2 ? PAYSVC_CONTINUE : 0;
}

int PAYSVC_CDECL main(int count, char **arguments)
{
    struct seen seen = {0, 0, 0};
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_json *request = NULL;
    paysvc_call *call = NULL;
    paysvc_status status = -1;
    const char *text = NULL;
    int number = 0;

    CHECK(count == 3);
    STEADY(number = paysvc_abi());
    CHECK(number == PAYSVC_ABI);
    STEADY(number = paysvc_version_number());
    CHECK(number == PAYSVC_VERSION_NUMBER);
    STEADY(status = paysvc_client_new("{", &client, &reply));
    CHECK(status == PAYSVC_E_CONFIG || status == PAYSVC_E_ARGUMENT);
    CHECK(client == NULL && paysvc_reply_outcome(reply) == PAYSVC_OUTCOME_NOT_SENT);
    STEADY(paysvc_reply_free(reply));
    STEADY(status = paysvc_client_new(arguments[1], &client, &reply));
    if (status != PAYSVC_OK) {
        fprintf(stderr, "%s\n", paysvc_reply_message(reply));
    }
    CHECK(status == PAYSVC_OK && client != NULL);
    STEADY(paysvc_reply_free(reply));
    STEADY(status = paysvc_client_set_log(client, 4, on_log, &seen));
    CHECK(status == PAYSVC_OK);

    STEADY(request = paysvc_json_new());
    STEADY(status = paysvc_json_set_string(request, "/order/reference", arguments[2]));
    CHECK(status == PAYSVC_OK);
    paysvc_json_set_number(request, "/order/amount", "100.10");
    paysvc_json_set_string(request, "/order/currency", "NGN");
    paysvc_json_set_string(request, "/order/description", "rent");
    paysvc_json_set_string(request, "/customer/firstname", "Ada");
    paysvc_json_set_string(request, "/customer/lastname", "Okonkwo");
    paysvc_json_set_string(request, "/customer/mobile", "+2348000000000");
    paysvc_json_set_string(request, "/customer/country", "NG");
    paysvc_json_set_string(request, "/customer/email", "ada@example.com");
    paysvc_json_set_string(request, "/payment/RedirectUrl", "https://till.example/done");
    STEADY(text = paysvc_json_text(request));
    STEADY(status = paysvc_order_create(client, text, NULL, &reply));
    printf("%s\n", paysvc_reply_message(reply));
    CHECK(status == PAYSVC_OK && paysvc_reply_outcome(reply) == PAYSVC_OUTCOME_CONFIRMED);
    STEADY(text = paysvc_reply_get(reply, "/data/order/reference"));
    CHECK(text != NULL && strcmp(text, arguments[2]) == 0);
    STEADY(paysvc_reply_free(reply));
    STEADY(paysvc_json_free(request));
    CHECK(seen.lines > 0);

    request = paysvc_json_new();
    paysvc_json_set_string(request, "/reference", arguments[2]);
    STEADY(call = paysvc_call_new());
    STEADY(paysvc_call_set_timeout_ms(call, 60000));
    STEADY(paysvc_call_set_progress(call, on_step, &seen));
    STEADY(status = paysvc_order_wait(client, paysvc_json_text(request), call, &reply));
    printf("%s\n", paysvc_reply_message(reply));
    CHECK(seen.steps == 2 && paysvc_reply_state(reply) != PAYSVC_STATE_SUCCESSFUL);
    paysvc_reply_free(reply);
    paysvc_json_free(request);
    STEADY(paysvc_call_free(call));
    STEADY(paysvc_client_free(client));
#ifdef WALKS
    CHECK(seen.walked);
#endif
#ifdef OTHER
    CHECK(other_panics(3) == 3);
#endif
    return 0;
}
