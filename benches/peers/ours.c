/* Two refunds over one kept-alive connection, with libpaysvc. Arguments: address, secret key, reference, first amount, second. */
#define _POSIX_C_SOURCE 199309L
#include <paysvc.h>
#include <stdio.h>
#include <time.h>

static void refund(const paysvc_client *client, const char *reference, const char *amount)
{
    char request[512];
    paysvc_reply *reply = NULL;
    sprintf(request, "{\"reference\":\"%s\",\"amount\":\"%s\"}", reference, amount);
    paysvc_order_refund(client, request, NULL, &reply);
    printf("%s: %s\n", paysvc_outcome_name(paysvc_reply_outcome(reply)), paysvc_reply_message(reply));
    paysvc_reply_free(reply);
}

int main(int argc, char **argv)
{
    struct timespec pause = {0, 300000000}; /* between two customers */
    char config[1024];
    paysvc_client *client = NULL;
    if (argc != 6) {
        return 2;
    }
    sprintf(config, "{\"base_url\":\"%s\",\"secret_key\":\"%s\"}", argv[1], argv[2]);
    if (paysvc_client_new(config, &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    refund(client, argv[3], argv[4]);
    nanosleep(&pause, NULL);
    refund(client, argv[3], argv[5]);
    paysvc_client_free(client);
    return 0;
}
