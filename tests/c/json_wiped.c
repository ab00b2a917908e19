/* Builds and frees requests, for a test that searches the memory of this process for their content. The arguments are
 * secrets, each byte of which differs in its last bit, so that they are not what the test searches for. After each step
 * the program prints a line and waits for one. */
#include "check.h"

static char plain[64];
static paysvc_json *request;

static const char *clear(const char *changed)
{
    size_t i;
    for (i = 0; changed[i] != '\0' && i < sizeof plain - 1; i++) {
        plain[i] = (char)(changed[i] ^ 1);
    }
    plain[i] = '\0';
    return plain;
}

static void forget(void *memory, size_t size)
{
    volatile char *byte = (volatile char *)memory;
    while (size-- > 0) {
        *byte++ = 0;
    }
}

static void wait_after(const char *step)
{
    forget(plain, sizeof plain);
    puts(step);
    fflush(stdout);
    if (getchar() == EOF) {
        exit(3);
    }
}

/* Sets every secret in every way. */
static void set(int count, char **secrets)
{
    char pointer[32], json[200];
    int i;
    for (i = 0; i < count; i++) {
        sprintf(pointer, "/list/%d/text", i);
        CHECK(paysvc_json_set_string(request, pointer, clear(secrets[i])) == PAYSVC_OK);
        sprintf(pointer, "/list/%d/cp1252", i);
        CHECK(paysvc_json_set_cp1252(request, pointer, plain) == PAYSVC_OK);
        sprintf(json, "{\"a\":[\"%s\"],\"\\u0062\":\"\\n%s\"}", plain, plain);
        sprintf(pointer, "/list/%d/json", i);
        CHECK(paysvc_json_set_json(request, pointer, json) == PAYSVC_OK);
        forget(json, sizeof json);
        if (strspn(plain, "0123456789") == strlen(plain)) {
            sprintf(pointer, "/list/%d/number", i);
            CHECK(paysvc_json_set_number(request, pointer, plain) == PAYSVC_OK);
        }
    }
    CHECK(paysvc_json_text(request) != NULL);
}

int main(int argc, char **argv)
{
    char pointer[32];
    int i;

    request = paysvc_json_new();
    set(argc - 1, argv + 1);
    wait_after("held");

    for (i = 0; i < argc - 1; i++) {
        sprintf(pointer, "/list/%d", i);
        CHECK(paysvc_json_set_bool(request, pointer, 1) == PAYSVC_OK);
    }
    CHECK(paysvc_json_text(request) != NULL);
    wait_after("replaced");

    paysvc_json_free(request);
    request = paysvc_json_new();
    set(argc - 1, argv + 1);
    CHECK(paysvc_json_set_number(request, "/amount", clear(argv[2])) == PAYSVC_E_ARGUMENT);
    wait_after("failed");

    paysvc_json_free(request);
    request = paysvc_json_new();
    set(argc - 1, argv + 1);
    /* The lists grow, and move. */
    for (i = 0; i < 500; i++) {
        sprintf(pointer, "/list/%d", i + argc - 1);
        CHECK(paysvc_json_set_string(request, pointer, "x") == PAYSVC_OK);
        CHECK(paysvc_json_text(request) != NULL);
    }
    paysvc_json_free(request);
    wait_after("freed");
    return finished("json_wiped");
}
