/* Defects on purpose, one by its name in argv[1]: a check that cannot fail proves nothing. */
#include "check.h"
#include <limits.h>

int main(int argc, char **argv)
{
    const char *defect = argc > 1 ? argv[1] : "";
    volatile int most = INT_MAX, bits = 40;
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    paysvc_call *call = paysvc_call_new();
    paysvc_client_new("{}", &client, NULL);
    if (strcmp(defect, "short-text") == 0) {
        char *text = (char *)malloc(2);
        memcpy(text, "{}", 2);
        paysvc_order_refund(client, text, NULL, &reply);
        free(text);
    } else if (strcmp(defect, "freed-reply") == 0) {
        paysvc_order_refund(client, "{}", NULL, &reply);
        paysvc_reply_free(reply);
        printf("%d\n", paysvc_reply_status(reply));
        reply = NULL;
    } else if (strcmp(defect, "freed-token") == 0) {
        paysvc_call_free(call);
        paysvc_call_set_timeout_ms(call, 1);
        call = NULL;
    } else if (strcmp(defect, "c-overflow") == 0) {
        printf("%d\n", most + 1);
    } else if (strcmp(defect, "c-shift") == 0) {
        printf("%d\n", 1 << bits);
    } else if (strcmp(defect, "none") != 0) {
        return 2;
    }
    paysvc_reply_free(reply);
    paysvc_call_free(call);
    paysvc_client_free(client);
    return 0;
}
