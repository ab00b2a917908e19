/* A till collects a payment: the whole interface of the payments service, step by step, through libpaysvc.
 *
 *   collect --sandbox   plays the customer and the bank through the sandbox's own calls
 *   collect             asks you for what the customer gets by e-mail, and for the session of an incoming transfer
 *
 * The configuration comes from PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY.
 */
#define _POSIX_C_SOURCE 200112L
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef paysvc_status (*function)(const paysvc_client *, const char *, const paysvc_call *, paysvc_reply **);

static paysvc_client *client;
static int sandbox;
static int failed;

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* One call, one line: what was asked, what came back, the outcome, how long it took. The caller frees the reply. */
static paysvc_reply *step(const char *what, const char *of, function call, const char *request, const char *shown)
{
    paysvc_reply *reply = NULL;
    long started = now_ms();
    const char *value;
    call(client, request, NULL, &reply);
    value = paysvc_reply_get(reply, shown);
    printf("%-21s %-19s %-42.42s %-9s %5ld ms\n", what, of, value != NULL ? value : paysvc_reply_message(reply),
           paysvc_outcome_name(paysvc_reply_outcome(reply)), now_ms() - started);
    if (paysvc_reply_outcome(reply) != PAYSVC_OUTCOME_CONFIRMED) {
        printf("%-21s %s: %s\n", "", paysvc_status_name(paysvc_reply_status(reply)), paysvc_reply_message(reply));
        failed = 1;
    }
    return reply;
}

/* Copies one value of a reply, and frees the reply; what is copied goes into JSON, so it must not break out of it. */
static void keep(paysvc_reply *reply, const char *pointer, char *out, size_t size)
{
    const char *value = paysvc_reply_get(reply, pointer);
    out[0] = '\0';
    if (value != NULL && strlen(value) < size && strpbrk(value, "\"\\") == NULL) {
        strcpy(out, value);
    }
    paysvc_reply_free(reply);
}

/* What a customer or a bank would tell us: asked of the sandbox, or of the person at the terminal. */
static void learn(const char *question, const char *request, const char *pointer, char *out, size_t size)
{
    paysvc_reply *reply = NULL;
    if (sandbox) {
        paysvc_request(client, request, NULL, &reply);
        keep(reply, pointer, out, size);
    } else {
        printf("%s: ", question);
        fflush(stdout);
        if (fgets(out, (int)size, stdin) == NULL) {
            out[0] = '\0';
        }
        out[strcspn(out, "\"\\\r\n")] = '\0';
    }
}

static void direct_debit(const char *order)
{
    char request[1024], mandate[128], otp[32], question[256];

    paysvc_reply_free(step("mandate history", "ada@example.com", paysvc_direct_debit_history,
                           "{\"emailAddress\":\"ada@example.com\"}", "/customerName"));

    sprintf(request, "{\"recurringPaymentId\":1,\"orderReference\":\"%s\",\"bankName\":\"Example Bank\","
                     "\"accountNumber\":\"0123456789\",\"bankCode\":\"044\",\"address\":\"1 Example Street\"}", order);
    keep(step("create a mandate", order, paysvc_direct_debit_create, request, "/data/mandateCode"), "/data/mandateCode", mandate, sizeof mandate);

    sprintf(request, "{\"mandateCode\":\"%s\"}", mandate);
    paysvc_reply_free(step("check the mandate", mandate, paysvc_direct_debit_status, request, "/message"));
    paysvc_reply_free(step("send one-time code", mandate, paysvc_direct_debit_otp, request, "/data"));

    sprintf(question, "{\"method\":\"GET\",\"path\":\"/sandbox/otp/%s\",\"key\":\"public\"}", mandate);
    learn("one-time code from the customer's e-mail", question, "/otp", otp, sizeof otp);
    sprintf(request, "{\"paymentOption\":\"NDD\",\"reference\":\"%s\",\"directDebitPaymentRequest\":{\"otp\":\"%s\","
                     "\"mandateCode\":\"%s\",\"accountName\":\"Ada Lovelace\",\"bankCode\":\"044\"}}", order, otp, mandate);
    paysvc_reply_free(step("pay", order, paysvc_order_pay, request, "/data/orderPayment/totalAmount"));
}

static void virtual_account(const char *alias)
{
    char request[1024], account[64], session[128];

    sprintf(request, "{\"Alias\":\"%s\",\"Narration\":\"Rent\",\"Reference\":\"FLAT-7\"}", alias);
    keep(step("virtual account", alias, paysvc_virtual_account_generate, request, "/accountNumber"), "/accountNumber", account, sizeof account);

    sprintf(request, "{\"method\":\"POST\",\"path\":\"/sandbox/fund\",\"key\":\"public\",\"body\":{\"accountNumber\":\"%s\","
                     "\"amount\":\"2500.50\",\"senderName\":\"Grace Hopper\"}}", account);
    learn("session identifier of a transfer to that account", request, "/sessionId", session, sizeof session);
    sprintf(request, "{\"sessionId\":\"%s\"}", session);
    paysvc_reply_free(step("transaction details", "the transfer", paysvc_transaction_details, request, "/data/totalAmountCharged"));
}

static void refund(const char *order)
{
    char request[512];
    sprintf(request, "{\"reference\":\"%s\",\"reason\":\"one item returned\",\"amount\":\"25.50\"}", order);
    paysvc_reply_free(step("refund in part", order, paysvc_order_refund, request, "/data/amount_refunded"));
}

static void card(const char *order)
{
    char request[512];
    sprintf(request, "{\"reference\":\"%s\",\"paymentoption\":\"C\",\"country\":\"NG\",\"card\":{\"cardnumber\":"
                     "\"4111111111111111\",\"expirymonth\":\"01\",\"expiryyear\":\"39\",\"cvv\":\"193\"}}", order);
    paysvc_reply_free(step("card order", order, paysvc_order_create, request, "/message"));
}

int main(int argc, char **argv)
{
    paysvc_reply *reply = NULL;
    char order[64], card_order[64], alias[64];
    long stamp = (long)time(NULL);

    if (paysvc_abi() != PAYSVC_ABI) {
        fprintf(stderr, "this program was built for another version of libpaysvc\n");
        return 2;
    }
    sandbox = argc > 1 && strcmp(argv[1], "--sandbox") == 0;
    if (paysvc_client_new(NULL, &client, &reply) != PAYSVC_OK) {
        fprintf(stderr, "%s\n", paysvc_reply_message(reply));
        paysvc_reply_free(reply);
        return 2;
    }
    paysvc_reply_free(reply);
    sprintf(order, "ORDER-%ld", stamp);
    sprintf(card_order, "CARD-%ld", stamp);
    sprintf(alias, "tenant-%ld", stamp);

    printf("%-21s %-19s %-42s %-9s %8s\n", "ASKED", "OF", "CAME BACK", "OUTCOME", "TIME");
    direct_debit(order);
    virtual_account(alias);
    refund(order);
    card(card_order);
    paysvc_client_free(client);

    printf("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n"
           "PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n"
           "without --sandbox. Test keys move no money.\n");
    return failed;
}
