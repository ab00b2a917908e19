/* A request that is built value by value, from outside: every rule of paysvc_json_new(). Needs no
 * service. */
#include "check.h"
#include <errno.h>

enum { MARK = 4711 };

static paysvc_json *request;

static void begin(void)
{
    request = paysvc_json_new();
    CHECK(request != NULL && strcmp(paysvc_json_error(request), "") == 0);
}

/* Ends a request that must have this text. */
#define IS(expected) is(__LINE__, (expected))

static void is(int line, const char *expected)
{
    const char *text = paysvc_json_text(request);
    if (text == NULL || strcmp(text, expected) != 0 || strcmp(paysvc_json_error(request), "") != 0) {
        fprintf(stderr, "line %d: %s\n  instead of %s (%s)\n", line, text != NULL ? text : "NULL", expected,
                paysvc_json_error(request));
        failures++;
    }
    /* The same text until something changes. */
    CHECK(paysvc_json_text(request) == text);
    paysvc_json_free(request);
}

/* Ends a request whose last call must have failed with this error. */
#define REFUSED(status, expected) refused(__LINE__, (status), (expected))

static void refused(int line, paysvc_status status, const char *expected)
{
    const char *error = paysvc_json_error(request);
    int before = failures;
    CHECK(status == PAYSVC_E_ARGUMENT);
    CHECK(strncmp(error, expected, strlen(expected)) == 0 && strstr(error, "4111") == NULL);
    CHECK(paysvc_json_text(request) == NULL);
    /* For good: nothing repairs it, and the first failure stays the one that is reported. */
    CHECK(paysvc_json_set_json(request, "", "{}") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_set_bool(request, "/a", 1) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_set_string(request, NULL, NULL) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_error(request) == error && paysvc_json_text(request) == NULL);
    if (failures > before) {
        fprintf(stderr, "  in line %d: %s\n", line, error);
    }
    paysvc_json_free(request);
}

#define OK(status) CHECK((status) == PAYSVC_OK)

static void values(void)
{
    begin();
    IS("{}");

    begin();
    OK(paysvc_json_set_string(request, "/s", "a \"quoted\" \\ name\n\t\001 \303\251 \342\202\254 \360\237\230\200"));
    OK(paysvc_json_set_string(request, "/empty", ""));
    OK(paysvc_json_set_number(request, "/n", "100.10"));
    OK(paysvc_json_set_number(request, "/e", "-1.5E+400"));
    OK(paysvc_json_set_bool(request, "/t", 1));
    OK(paysvc_json_set_bool(request, "/t2", -7));
    OK(paysvc_json_set_bool(request, "/f", 0));
    OK(paysvc_json_set_json(request, "/null", "null"));
    OK(paysvc_json_set_json(request, "/j", " [ 1.50 , { \"a\" : [ ] } , \"\\u00e9\" ] "));
    IS("{\"s\":\"a \\\"quoted\\\" \\\\ name\\n\\t\\u0001 \303\251 \342\202\254 \360\237\230\200\",\"empty\":\"\","
       "\"n\":100.10,\"e\":-1.5E+400,\"t\":true,\"t2\":true,\"f\":false,\"null\":null,\"j\":[1.50,{\"a\":[]},\"\303\251\"]}");
}

/* Every byte that Windows-1252 has. */
static void cp1252(void)
{
    static const char undefined[] = "\x81\x8d\x8f\x90\x9d";
    static const char upper[] =
        "\342\202\254\342\200\232\306\222\342\200\236\342\200\246\342\200\240\342\200\241\313\206\342\200\260\305\240"
        "\342\200\271\305\222\305\275\342\200\230\342\200\231\342\200\234\342\200\235\342\200\242\342\200\223\342\200\224"
        "\313\234\342\204\242\305\241\342\200\272\305\223\305\276\305\270";
    char text[2] = {0, 0}, all[300], expected[600], *out = all, *end;
    int byte, i;
    for (byte = 0x80; byte < 0x100; byte++) {
        text[0] = (char)byte;
        begin();
        if (strchr(undefined, text[0]) != NULL) {
            REFUSED(paysvc_json_set_cp1252(request, "/a", text), "/a: the value is not Windows-1252: the byte at 0 is undefined");
            continue;
        }
        OK(paysvc_json_set_cp1252(request, "/a", text));
        paysvc_json_free(request);
        *out++ = text[0];
    }
    *out = '\0';
    begin();
    OK(paysvc_json_set_cp1252(request, "/a", all));
    strcpy(expected, "{\"a\":\"");
    strcat(expected, upper);
    end = expected + strlen(expected);
    for (i = 0xa0; i < 0x100; i++) {
        *end++ = (char)(i < 0xc0 ? 0xc2 : 0xc3);
        *end++ = (char)(i < 0xc0 ? i : i - 0x40);
    }
    strcpy(end, "\"}");
    IS(expected);

    begin();
    OK(paysvc_json_set_cp1252(request, "/customer/name", "Andr\xe9 \"D\xfc\" \\ O\x92Neill"));
    IS("{\"customer\":{\"name\":\"Andr\303\251 \\\"D\303\274\\\" \\\\ O\342\200\231Neill\"}}");

    begin();
    REFUSED(paysvc_json_set_cp1252(request, "/card/cardnumber", "4111111111111111\x8d"),
            "/card/cardnumber: the value is not Windows-1252: the byte at 16 is undefined");
    /* Only the value is in Windows-1252. */
    begin();
    REFUSED(paysvc_json_set_cp1252(request, "/\xe9", "a"), "pointer is not UTF-8: the byte at 1 is wrong");
}

static void places(void)
{
    begin();
    OK(paysvc_json_set_string(request, "/card/cvv", "193"));
    OK(paysvc_json_set_number(request, "/payoutDetails/0/amount", "1"));
    OK(paysvc_json_set_number(request, "/payoutDetails/1/amount", "2"));
    OK(paysvc_json_set_string(request, "/payoutDetails/0/bank/code", "044"));
    OK(paysvc_json_set_number(request, "/list/-", "1"));
    OK(paysvc_json_set_number(request, "/list/-", "2"));
    OK(paysvc_json_set_number(request, "/deep/0/0/0/a", "3"));
    IS("{\"card\":{\"cvv\":\"193\"},\"payoutDetails\":[{\"amount\":1,\"bank\":{\"code\":\"044\"}},{\"amount\":2}],"
       "\"list\":[1,2],\"deep\":[[[{\"a\":3}]]]}");

    /* In an object that is there, a decimal step is a name. */
    begin();
    OK(paysvc_json_set_bool(request, "/7", 1));
    OK(paysvc_json_set_json(request, "/banks", "{}"));
    OK(paysvc_json_set_string(request, "/banks/044/name", "Example"));
    OK(paysvc_json_set_bool(request, "/a~1b~0c/~01", 0));
    OK(paysvc_json_set_bool(request, "/", 0));
    IS("{\"7\":true,\"banks\":{\"044\":{\"name\":\"Example\"}},\"a/b~c\":{\"~1\":false},\"\":false}");

    /* Again: replaced, where it stood. */
    begin();
    OK(paysvc_json_set_string(request, "/a", "x"));
    OK(paysvc_json_set_number(request, "/b/0", "1"));
    OK(paysvc_json_set_json(request, "/a", "[[]]"));
    OK(paysvc_json_set_bool(request, "/b/0", 0));
    OK(paysvc_json_set_string(request, "/a/0/0", "y"));
    IS("{\"a\":[[\"y\"]],\"b\":[false]}");

    /* The whole document, which stays open to changes. */
    begin();
    OK(paysvc_json_set_bool(request, "/gone", 0));
    OK(paysvc_json_set_json(request, "", "{\"order\":{\"amount\":1.0},\"a\":[]}"));
    OK(paysvc_json_set_number(request, "/order/amount", "25.50"));
    OK(paysvc_json_set_number(request, "/a/0", "1"));
    IS("{\"order\":{\"amount\":25.50},\"a\":[1]}");

    /* A text may become a part of its own request. */
    begin();
    OK(paysvc_json_set_number(request, "/a", "1"));
    OK(paysvc_json_set_json(request, "/b", paysvc_json_text(request)));
    OK(paysvc_json_set_string(request, "/c", paysvc_json_text(request)));
    IS("{\"a\":1,\"b\":{\"a\":1},\"c\":\"{\\\"a\\\":1,\\\"b\\\":{\\\"a\\\":1}}\"}");
}

static void wrong_places(void)
{
    static const struct { const char *pointer, *error; } wrong[] = {
        {"amount", "amount: a pointer starts with /"},
        {"/a~", "/a~: the pointer has a ~"},
        {"/a~2", "/a~2: the pointer has a ~"},
        {"", "\"\": the whole document must be an object"},
        {"/list/2", "/list/2: the next index of /list is 1"},
        {"/list/4294967296", "/list/4294967296: the next index of /list is 1"},
        {"/list/18446744073709551616", "/list/18446744073709551616: the next index of /list is 1"},
        {"/list/00", "/list/00: an index of an array has no leading zeros"},
        {"/list/x", "/list/x: /list is an array"},
        {"/list/-1", "/list/-1: /list is an array"},
        {"/list/-/a", "/list/-/a: - appends"},
        {"/new/1", "/new/1: the next index of /new is 0"},
        {"/new/1/a", "/new/1/a: the next index of /new is 0"},
        {"/new/044", "/new/044: an index of an array has no leading zeros"},
        {"/-", "/-: - appends to an array, but \"\" is an object"},
        {"/object/-", "/object/-: - appends to an array, but /object is an object"},
        {"/card/cardnumber/x", "/card/cardnumber/x: /card/cardnumber is a string"},
        {"/list/0/x/y", "/list/0/x/y: /list/0 is a number"},
        {"/flag/0", "/flag/0: /flag is a boolean"},
        {"/null/a", "/null/a: /null is null"},
        {"/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a",
         "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a: has more than 32 steps"},
        {"\xff", "pointer is not UTF-8: the byte at 0"}
    };
    size_t i;
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        begin();
        OK(paysvc_json_set_json(request, "", "{\"list\":[1],\"object\":{},\"flag\":true,\"null\":null,"
                                             "\"card\":{\"cardnumber\":\"4111111111111111\"}}"));
        REFUSED(i % 2 == 0 ? paysvc_json_set_bool(request, wrong[i].pointer, 1)
                           : paysvc_json_set_string(request, wrong[i].pointer, "4111111111111111"), wrong[i].error);
    }
}

static void wrong_values(void)
{
    static const char *numbers[] = {"1,50", " 1", "1 ", "1e", "1e+", "NaN", "", "+1", "007", ".5", "1.", "-", "0x10",
                                    "1 000", "4111111111111111x", "true", "\"1\"", "[1]", "1,2", "inf", "1_0"};
    static const struct { const char *json, *error; } documents[] = {
        {"", "/a: the value is not JSON"},
        {" ", "/a: the value is not JSON"},
        {"4111 4111", "/a: the value is not JSON"},
        {"{\"a\":4111", "/a: the value is not JSON"},
        {"{a:4111}", "/a: the value is not JSON"},
        {"\"4111", "/a: the value is not JSON"},
        {"'4111'", "/a: the value is not JSON"},
        {"{\"a\":4111,\"\\u0061\":4111}", "/a: the value is not usable: a is given more than once"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[4111]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "/a: the value is not usable: it nests deeper than 32 levels"}
    };
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        begin();
        REFUSED(paysvc_json_set_number(request, "/order/amount", numbers[i]), "/order/amount: must be a number");
    }
    for (i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        begin();
        REFUSED(paysvc_json_set_json(request, "/a", documents[i].json), documents[i].error);
    }
    begin();
    REFUSED(paysvc_json_set_json(request, "", "[]"), "\"\": the whole document must be an object");
    begin();
    REFUSED(paysvc_json_set_string(request, "/a", NULL), "/a: the value is NULL");
    begin();
    REFUSED(paysvc_json_set_cp1252(request, "/a", NULL), "/a: the value is NULL");
    begin();
    REFUSED(paysvc_json_set_number(request, "/a", NULL), "/a: the value is NULL");
    begin();
    REFUSED(paysvc_json_set_json(request, "/a", NULL), "/a: the value is NULL");
    begin();
    REFUSED(paysvc_json_set_string(request, "/a", "M\xfcller"), "/a: the value is not UTF-8: the byte at 1 is wrong");
    begin();
    REFUSED(paysvc_json_set_number(request, NULL, "1"), "pointer is NULL");
}

/* The purpose of the failures: no function sends a request that lacks a value that could not be set. */
static void sends_nothing(void)
{
    static const struct {
        const char *name;
        paysvc_status (*call)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);
    } functions[] = {
#include "functions.inc"
        {"request", paysvc_request}
    };
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    size_t i;
    OK(paysvc_client_new("{\"base_url\":\"http://127.0.0.1:1\",\"public_key\":\"p\",\"secret_key\":\"s\"}", &client, NULL));
    begin();
    OK(paysvc_json_set_string(request, "/reference", "ORDER-1"));
    /* A comma, and nobody looks at the status. Without its amount it would be a full refund. */
    paysvc_json_set_number(request, "/amount", "25,50");
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        EXPECT(functions[i].call(client, paysvc_json_text(request), NULL, &reply), reply, PAYSVC_E_ARGUMENT,
               PAYSVC_OUTCOME_NOT_SENT);
        CHECK(strstr(paysvc_reply_message(reply), "request_json is NULL: ") == paysvc_reply_message(reply));
        CHECK(strstr(paysvc_reply_message(reply), "paysvc_json_error() says: /amount: ") != NULL);
        paysvc_reply_free(reply);
    }
    EXPECT(paysvc_encrypt(client, paysvc_json_text(request), &reply), reply, PAYSVC_E_ARGUMENT, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    paysvc_json_free(request);

    /* One without a failure goes out: nobody listens there. */
    begin();
    OK(paysvc_json_set_string(request, "/reference", "ORDER-1"));
    OK(paysvc_json_set_string(request, "/amount", "25.50"));
    EXPECT(paysvc_order_refund(client, paysvc_json_text(request), NULL, &reply), reply, PAYSVC_E_TRANSPORT,
           PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    paysvc_json_free(request);
    paysvc_client_free(client);
}

static void no_handle(void)
{
    CHECK(paysvc_json_set_string(NULL, "/a", "b") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_set_cp1252(NULL, "/a", "b") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_set_number(NULL, "/a", "1") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_set_bool(NULL, "/a", 1) == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_set_json(NULL, "/a", "{}") == PAYSVC_E_ARGUMENT);
    CHECK(paysvc_json_text(NULL) == NULL);
    CHECK(strcmp(paysvc_json_error(NULL), "request is NULL") == 0);
    paysvc_json_free(NULL);
}

static void keeps_errno(void)
{
    errno = MARK;
    begin();
    OK(paysvc_json_set_string(request, "/a", "b"));
    OK(paysvc_json_set_json(request, "/b", "[1,2,3]"));
    CHECK(paysvc_json_text(request) != NULL && errno == MARK);
    CHECK(paysvc_json_set_number(request, "/c", "x") == PAYSVC_E_ARGUMENT && errno == MARK);
    CHECK(strlen(paysvc_json_error(request)) > 0 && paysvc_json_text(request) == NULL);
    paysvc_json_free(request);
    CHECK(errno == MARK);
}

/* Many of everything, and lengths at the ends of what is accepted. */
static void sizes(void)
{
    enum { MEMBERS = 3000, LONG = 100000, MAX_POINTER = 8000 };
    char pointer[64], *text = (char *)malloc(LONG + 1);
    const char *built;
    int i, round;
    begin();
    for (round = 0; round < 2; round++) {
        for (i = 0; i < MEMBERS; i++) {
            sprintf(pointer, "/names/n%d", i * 7919 % MEMBERS);
            OK(paysvc_json_set_bool(request, pointer, round));
            sprintf(pointer, "/list/%d/amount", i);
            OK(paysvc_json_set_bool(request, pointer, round));
        }
    }
    built = paysvc_json_text(request);
    CHECK(built != NULL && strstr(built, "false") == NULL);
    paysvc_json_free(request);

    memset(text, 'x', LONG);
    text[LONG] = '\0';
    begin();
    OK(paysvc_json_set_string(request, "/a", text));
    OK(paysvc_json_set_cp1252(request, "/b", text));
    built = paysvc_json_text(request);
    CHECK(built != NULL && strlen(built) == 2 * LONG + strlen("{\"a\":\"\",\"b\":\"\"}"));
    REFUSED(paysvc_json_set_number(request, "/c", text), "/c: must be a number");
    text[0] = '/';
    begin();
    REFUSED(paysvc_json_set_bool(request, text, 1), "/xxxxxxx");
    text[MAX_POINTER] = '\0';
    begin();
    OK(paysvc_json_set_bool(request, text, 1));
    paysvc_json_free(request);
    free(text);
}

int main(void)
{
    values();
    cp1252();
    places();
    wrong_places();
    wrong_values();
    sends_nothing();
    no_handle();
    keeps_errno();
    sizes();
    return finished("json_builder");
}
