/* Collects payments at a till: by direct debit, virtual account and card, and makes a refund.
 *
 *   collect --sandbox   gets from the sandbox's admin interface what the customer and the bank would know
 *   collect             asks you: for the one-time code that the customer gets by e-mail, and for the session identifier
 *                       of an incoming transfer
 *
 * It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
 * PAYSVC_ENCRYPTION_KEY, and one for every other setting, such as PAYSVC_CA_FILE.
 *
 * It is C89 and uses no JSON library: requests are built with paysvc_json_..., answers are read with paysvc_reply_...
 */
#define _POSIX_C_SOURCE 200112L
#include <paysvc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static paysvc_client *client;
static int sandbox;
static int failed;

/* It may wrap; a difference stays right. */
static unsigned long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000;
}

/* What was charged or refunded; of an order, its price. */
static const char *amount_of(const paysvc_reply *reply)
{
    const char *amount = paysvc_reply_amount(reply, PAYSVC_AMOUNT_TOTAL);
    amount = amount != NULL ? amount : paysvc_reply_amount(reply, PAYSVC_AMOUNT_REFUNDED);
    return amount != NULL ? amount : paysvc_reply_amount(reply, PAYSVC_AMOUNT_PRICE);
}

/* Makes a call and prints a line: step, subject, one value of the response (NULL: its amount), outcome, time. Frees the
 * request; the caller frees the reply. */
static paysvc_reply *step(const char *what, const char *of, paysvc_function call, paysvc_json *request, const char *shown)
{
    paysvc_reply *reply = NULL;
    unsigned long started = now_ms();
    const char *value;
    /* If any value could not be set, the text is NULL and nothing is sent. */
    if (*paysvc_json_error(request) != '\0') {
        printf("%-21s %s\n", "", paysvc_json_error(request));
    }
    call(client, paysvc_json_text(request), NULL, &reply);
    paysvc_json_free(request);
    value = shown != NULL ? paysvc_reply_get(reply, shown) : amount_of(reply);
    printf("%-21s %-19s %-42.42s %-9s %5lu ms\n", what, of, value != NULL ? value : paysvc_reply_message(reply),
           paysvc_outcome_name(paysvc_reply_outcome(reply)), now_ms() - started);
    if (paysvc_reply_outcome(reply) != PAYSVC_OUTCOME_CONFIRMED) {
        printf("%-21s %s: %s\n", "", paysvc_status_name(paysvc_reply_status(reply)), paysvc_reply_message(reply));
        failed = 1;
    }
    return reply;
}

/* What the customer ordered. A payment is compared with it before goods are handed over. */
struct ordered {
    const char *amount, *currency, *reference;
};

/* Prints whether to hand over the goods: only for a payment that is CONFIRMED and SUCCESSFUL, and as ordered. */
static void hand_over(const paysvc_reply *reply, const struct ordered *ordered)
{
    const char *why_not;
    paysvc_state state = paysvc_reply_state(reply);

    printf("%-21s ", "");
    if (paysvc_reply_is_paid(reply, ordered->reference, ordered->amount, ordered->currency, &why_not)) {
        printf("paid: %s %s for %s; hand over the goods\n", ordered->amount, ordered->currency, ordered->reference);
        return;
    }
    switch (paysvc_reply_outcome(reply)) {
    case PAYSVC_OUTCOME_CONFIRMED: /* Perhaps it is paid later: a real till now waits with paysvc_order_wait(). */
        printf("NOT PAID (%s): keep the goods: %s\n", paysvc_state_name(state), why_not);
        failed |= state == PAYSVC_STATE_NONE || state == PAYSVC_STATE_FAILED || state == PAYSVC_STATE_SUCCESSFUL ||
                  state == PAYSVC_STATE_REVERSED;
        break;
    case PAYSVC_OUTCOME_REJECTED:
        printf("this request was not executed, but an earlier one may have been: see the message\n");
        break;
    case PAYSVC_OUTCOME_NOT_SENT:
        printf("nothing was sent: it may be repeated\n");
        break;
    default:
        printf("it may have been charged: find out with paysvc_resolve() before you charge again\n");
    }
}

/* Copies one value of a reply and frees the reply. A value that is too long is dropped. */
static void keep(paysvc_reply *reply, const char *pointer, char *out, size_t size)
{
    const char *value = paysvc_reply_get(reply, pointer);
    out[0] = '\0';
    if (value != NULL && strlen(value) < size) {
        strcpy(out, value);
    }
    paysvc_reply_free(reply);
}

/* A request with one string. A failure need not be checked: nothing is sent after one. */
static paysvc_json *request_with(const char *pointer, const char *text)
{
    paysvc_json *request = paysvc_json_new();
    paysvc_json_set_string(request, pointer, text);
    return request;
}

/* A request to the sandbox's admin interface. */
static paysvc_json *admin(const char *method, const char *path)
{
    paysvc_json *request = request_with("/method", method);
    paysvc_json_set_string(request, "/path", path);
    paysvc_json_set_string(request, "/key", "public");
    return request;
}

/* What the customer or the bank would know, from the sandbox or typed in by you. Frees the request. */
static void learn(const char *question, paysvc_json *request, const char *pointer, char *out, size_t size)
{
    paysvc_reply *reply = NULL;
    if (sandbox) {
        paysvc_request(client, paysvc_json_text(request), NULL, &reply);
        keep(reply, pointer, out, size);
    } else {
        printf("%s: ", question);
        fflush(stdout);
        if (fgets(out, (int)size, stdin) == NULL) {
            out[0] = '\0';
        }
        out[strcspn(out, "\r\n")] = '\0';
    }
    paysvc_json_free(request);
}

/* The price and the customer, as order_create takes them. */
static void set_order(paysvc_json *request, const struct ordered *ordered, const char *description)
{
    paysvc_json_set_string(request, "/order/reference", ordered->reference);
    paysvc_json_set_number(request, "/order/amount", ordered->amount);
    paysvc_json_set_string(request, "/order/currency", ordered->currency);
    paysvc_json_set_string(request, "/order/description", description);
    paysvc_json_set_string(request, "/customer/mobile", "+2348000000000");
    paysvc_json_set_string(request, "/customer/country", "NG");
    paysvc_json_set_string(request, "/customer/email", "ada@example.com");
}

/* Creates the order with its price. Names are passed on as they were typed: nothing needs to be escaped. */
static void create_order(const struct ordered *ordered)
{
    paysvc_json *request = paysvc_json_new();
    set_order(request, ordered, "rent");
    paysvc_json_set_string(request, "/customer/firstname", "Zo\303\253 \"Ada\""); /* UTF-8 */
    paysvc_json_set_string(request, "/customer/lastname", "Okonkw\341\273\215");
    paysvc_json_set_string(request, "/payment/RedirectUrl", "https://till.example/done");
    paysvc_reply_free(step("create the order", ordered->reference, paysvc_order_create, request, NULL));
}

/* Reads the state of an order, its customer, and every payment for it: an object and an array of the response. A till
 * repeats this until the state is final, and then compares what was paid with the order. */
static void order_state(const struct ordered *ordered)
{
    static const char payments[] = "/data/orderPayments", customer[] = "/data/customer";
    const char *order = ordered->reference, *name, *value;
    char pointer[256];
    size_t i;
    paysvc_reply *reply = step("state of the order", order, paysvc_order_verify, request_with("/reference", order),
                               "/data/status");
    printf("%-21s customer:", "");
    for (i = 0; (name = paysvc_reply_name(reply, customer, i)) != NULL; i++) {
        sprintf(pointer, "%s/%.200s", customer, name);
        value = paysvc_reply_get(reply, pointer);
        printf(" %s=%s", name, value != NULL ? value : "-");
    }
    printf("\n");
    if (paysvc_reply_type(reply, payments) != PAYSVC_JSON_ARRAY) {
        failed = 1; /* The list may be empty, but not absent. */
    }
    for (i = 0; i < paysvc_reply_count(reply, payments); i++) {
        sprintf(pointer, "%s/%lu/paymentOption", payments, (unsigned long)i);
        name = paysvc_reply_get(reply, pointer);
        sprintf(pointer, "%s/%lu/paymentStatus", payments, (unsigned long)i);
        value = paysvc_reply_get(reply, pointer);
        printf("%-21s payment %lu: %s is %s\n", "", (unsigned long)i + 1, name != NULL ? name : "-",
               value != NULL ? value : "-");
    }
    paysvc_reply_free(reply);
}

static void direct_debit(const struct ordered *ordered)
{
    char mandate[128], otp[32], path[256];
    const char *order = ordered->reference;
    paysvc_json *request = request_with("/emailAddress", "ada@example.com");
    paysvc_reply *reply;

    paysvc_reply_free(step("mandate history", "ada@example.com", paysvc_direct_debit_history, request, "/customerName"));

    request = paysvc_json_new();
    paysvc_json_set_number(request, "/recurringPaymentId", "1");
    paysvc_json_set_string(request, "/orderReference", order);
    paysvc_json_set_string(request, "/bankName", "Example Bank");
    paysvc_json_set_string(request, "/accountNumber", "0123456789");
    paysvc_json_set_string(request, "/bankCode", "044");
    paysvc_json_set_string(request, "/address", "1 Example Street");
    keep(step("create a mandate", order, paysvc_direct_debit_create, request, "/data/mandateCode"), "/data/mandateCode",
         mandate, sizeof mandate);

    request = request_with("/mandateCode", mandate);
    reply = step("check the mandate", mandate, paysvc_direct_debit_status, request, "/message");
    if (!paysvc_reply_is_active(reply)) {
        printf("%-21s the mandate is not active: debit it later\n", "");
        failed = 1;
        paysvc_reply_free(reply);
        return;
    }
    paysvc_reply_free(reply);
    request = request_with("/mandateCode", mandate);
    paysvc_reply_free(step("send one-time code", mandate, paysvc_direct_debit_otp, request, "/data"));

    sprintf(path, "/sandbox/otp/%s", mandate);
    learn("one-time code from the customer's e-mail", admin("GET", path), "/otp", otp, sizeof otp);
    request = request_with("/paymentOption", "NDD");
    paysvc_json_set_string(request, "/reference", order);
    paysvc_json_set_string(request, "/directDebitPaymentRequest/otp", otp);
    paysvc_json_set_string(request, "/directDebitPaymentRequest/mandateCode", mandate);
    paysvc_json_set_string(request, "/directDebitPaymentRequest/accountName", "Ada Lovelace");
    paysvc_json_set_string(request, "/directDebitPaymentRequest/bankCode", "044");
    reply = step("pay", order, paysvc_order_pay, request, NULL);
    hand_over(reply, ordered);
    paysvc_reply_free(reply);
    order_state(ordered);
}

static void virtual_account(const char *alias)
{
    const struct ordered rent = {"2500.5", "NGN", "FLAT-7"};
    char account[64], session[128];
    paysvc_json *request = request_with("/Alias", alias);
    paysvc_reply *reply;

    paysvc_json_set_string(request, "/Narration", "Rent");
    paysvc_json_set_string(request, "/Reference", rent.reference);
    keep(step("virtual account", alias, paysvc_virtual_account_generate, request, "/accountNumber"), "/accountNumber",
         account, sizeof account);

    request = admin("POST", "/sandbox/fund");
    paysvc_json_set_string(request, "/body/accountNumber", account);
    paysvc_json_set_string(request, "/body/amount", "2500.50");
    paysvc_json_set_string(request, "/body/senderName", "Grace Hopper");
    learn("session identifier of a transfer to that account", request, "/sessionId", session, sizeof session);
    reply = step("transaction details", "the transfer", paysvc_transaction_details, request_with("/sessionId", session),
                 NULL);
    hand_over(reply, &rent);
    paysvc_reply_free(reply);
}

static void refund(const char *order)
{
    paysvc_json *request = request_with("/reference", order);
    paysvc_reply *reply;
    paysvc_json_set_string(request, "/reason", "one item returned");
    paysvc_json_set_string(request, "/amount", "25.50");
    reply = step("refund in part", order, paysvc_order_refund, request, NULL);
    if (paysvc_reply_outcome(reply) == PAYSVC_OUTCOME_CONFIRMED) {
        /* Another amount or order would not be CONFIRMED: the library compares them. No other call tells how it ends. */
        printf("%-21s %s\n", "", paysvc_reply_state(reply) == PAYSVC_STATE_SUCCESSFUL
                                    ? "refunded" : "accepted, not done yet: no endpoint tells how it ends, look at the dashboard");
    }
    paysvc_reply_free(reply);
}

/* Creates an order and charges the card for it. This till has its customer's name in Windows-1252. */
static void card(const struct ordered *ordered)
{
    const char *order = ordered->reference;
    paysvc_json *request = request_with("/reference", order);
    paysvc_reply *reply;
    paysvc_json_set_string(request, "/paymentoption", "C");
    paysvc_json_set_string(request, "/country", "NG");
    paysvc_json_set_string(request, "/card/cardnumber", "4111111111111111");
    paysvc_json_set_string(request, "/card/expirymonth", "01");
    paysvc_json_set_string(request, "/card/expiryyear", "39");
    paysvc_json_set_string(request, "/card/cvv", "193");
    set_order(request, ordered, "meal");
    paysvc_json_set_cp1252(request, "/customer/firstname", "Ren\xe9" "e");
    paysvc_json_set_cp1252(request, "/customer/lastname", "O\x92" "Brien \x96 \"M\xfcller\"");
    reply = step("card order", order, paysvc_order_create, request, NULL);
    hand_over(reply, ordered);
    paysvc_reply_free(reply);
    order_state(ordered);
}

int main(int argc, char **argv)
{
    paysvc_reply *reply = NULL;
    char order[64], card_order[64], alias[64];
    struct ordered rent, meal;
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
    if (paysvc_client_check(client, NULL, &reply) != PAYSVC_OK) {
        fprintf(stderr, "%s\n", paysvc_reply_message(reply));
        paysvc_reply_free(reply);
        paysvc_client_free(client);
        return 2;
    }
    paysvc_reply_free(reply);
    sprintf(order, "ORDER-%ld", stamp);
    sprintf(card_order, "CARD-%ld", stamp);
    sprintf(alias, "tenant-%ld", stamp);
    rent.amount = "98000.00";
    rent.currency = meal.currency = "NGN";
    rent.reference = order;
    meal.amount = "620.1";
    meal.reference = card_order;

    printf("%-21s %-19s %-42s %-9s %8s\n", "STEP", "FOR", "RESULT", "OUTCOME", "TIME");
    create_order(&rent);
    direct_debit(&rent);
    virtual_account(alias);
    refund(order);
    card(&meal);
    paysvc_client_free(client);

    printf("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n"
           "PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n"
           "without --sandbox. Test keys move no money.\n");
    return failed;
}
