/* Leaks on purpose: a check that cannot fail proves nothing. Several times, as one pointer may linger in a register. */
#include <paysvc.h>

int main(void)
{
    paysvc_client *client = NULL;
    paysvc_reply *lost = NULL;
    int i;
    for (i = 0; i < 20; i++) {
        paysvc_client_new("[]", &client, &lost);
    }
    lost = NULL;
    return client != NULL;
}
