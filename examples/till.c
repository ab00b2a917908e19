/* A till that may be killed at any moment: it charges an order, and an order is charged once.
 *
 *   till ORDER
 *
 * Start it again with the same order after a crash. Status 0: paid. 1: not charged, see what it says. 2: nobody knows yet
 * whether it is paid, start it again later. 3: it could not run, see the error.
 *
 * It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_ENCRYPTION_KEY, and
 * PAYSVC_JOURNAL, the journal's file. PAYSVC_JOURNAL_CREATE=true makes the file, once.
 */
#include <paysvc.h>
#include <stdio.h>
#include <string.h>

/* Finds out what became of the requests of earlier runs. 0: the journal cannot be read, so do not sell. */
int look_up_what_is_open(const paysvc_client *client)
{
    char key[1024] = "", last[1024];
    paysvc_reply *reply;
    paysvc_status status;
    for (;;) {
        strcpy(last, key);
        status = paysvc_journal_next(client, key, sizeof key, NULL, &reply);
        if (key[0] == '\0' || strcmp(key, last) == 0) {   /* None is left, or the journal cannot be read. */
            break;
        }
        printf("%s: %s: %s\n", key, paysvc_outcome_name(paysvc_reply_outcome(reply)), paysvc_reply_message(reply));
        paysvc_reply_free(reply);
    }
    if (status != PAYSVC_OK) {   /* OK: none is left */
        fprintf(stderr, "%s\n", paysvc_reply_message(reply));
    }
    paysvc_reply_free(reply);
    return status == PAYSVC_OK;
}

/* Nothing but the journal is kept for it: the key of a charge is its order. */
static paysvc_reply *charge(const paysvc_client *client, const char *order)
{
    paysvc_json *request = paysvc_json_new();
    paysvc_reply *reply;
    paysvc_json_set_string(request, "/reference", order);
    paysvc_json_set_string(request, "/paymentoption", "C");
    paysvc_json_set_string(request, "/country", "NG");
    paysvc_json_set_string(request, "/card/cardnumber", "4111111111111111");
    paysvc_json_set_string(request, "/card/expirymonth", "01");
    paysvc_json_set_string(request, "/card/expiryyear", "39");
    paysvc_json_set_string(request, "/card/cvv", "193");
    paysvc_json_set_string(request, "/order/reference", order);
    paysvc_json_set_number(request, "/order/amount", "25.50");
    paysvc_json_set_string(request, "/order/currency", "NGN");
    paysvc_json_set_string(request, "/order/description", "tea");
    paysvc_json_set_string(request, "/customer/firstname", "Ada");
    paysvc_json_set_string(request, "/customer/lastname", "Lovelace");
    paysvc_json_set_string(request, "/customer/mobile", "+2348000000000");
    paysvc_json_set_string(request, "/customer/country", "NG");
    paysvc_json_set_string(request, "/customer/email", "ada@example.com");
    paysvc_order_create(client, paysvc_json_text(request), NULL, &reply);
    paysvc_json_free(request);
    return reply;
}

/* Prints what became of the charge; gives the status of the program. */
static int told(const paysvc_reply *reply, const char *order)
{
    const char *why_not, *name = paysvc_outcome_name(paysvc_reply_outcome(reply));
    if (paysvc_reply_is_paid(reply, order, "25.50", "NGN", &why_not)) {
        puts(paysvc_reply_replayed(reply) ? "paid, by an earlier run" : "paid");
        return 0;
    }
    switch (paysvc_reply_outcome(reply)) {
    case PAYSVC_OUTCOME_CONFIRMED:
        printf("charged, but not known to be paid: %s\n", why_not);
        return 2;
    case PAYSVC_OUTCOME_UNKNOWN:
        printf("UNKNOWN, do not charge it in any other way: %s\n", paysvc_reply_message(reply));
        return 2;
    default:   /* NOT_SENT or REJECTED: start it again, perhaps with another card */
        printf("%s: %s\n", name, paysvc_reply_message(reply));
        return 1;
    }
}

int main(int argc, char **argv)
{
    paysvc_client *client;
    paysvc_reply *reply;
    int result = 3;
    if (argc != 2) {
        fprintf(stderr, "give the reference of the order\n");
        return 3;
    }
    if (paysvc_client_new(NULL, &client, &reply) != PAYSVC_OK) {
        fprintf(stderr, "%s\n", paysvc_reply_message(reply));
        paysvc_reply_free(reply);
        return 3;
    }
    paysvc_reply_free(reply);
    if (look_up_what_is_open(client)) {
        reply = charge(client, argv[1]);
        result = told(reply, argv[1]);
        paysvc_reply_free(reply);
    }
    paysvc_client_free(client);
    return result;
}
