/* Refunds a part of an order, as C89 or C++98. The environment configures it. */
#include <paysvc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char request[256];
    paysvc_client *client;
    paysvc_reply *reply;
    int is_confirmed;
    if (argc != 3 || paysvc_abi() != PAYSVC_ABI || paysvc_version_number() != PAYSVC_VERSION_NUMBER) {
        return 2;
    }
    if (paysvc_client_new(NULL, &client, &reply) != PAYSVC_OK) {
        fprintf(stderr, "%s\n", paysvc_reply_message(reply));
        return 3;
    }
    paysvc_reply_free(reply);
    sprintf(request, "{\"reference\":\"%.60s\",\"amount\":\"%.20s\"}", argv[1], argv[2]);
    paysvc_order_refund(client, request, NULL, &reply);
    printf("%s: %s\n", paysvc_outcome_name(paysvc_reply_outcome(reply)), paysvc_reply_message(reply));
    is_confirmed = paysvc_reply_outcome(reply) == PAYSVC_OUTCOME_CONFIRMED;
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    return is_confirmed ? 0 : 1;
}
