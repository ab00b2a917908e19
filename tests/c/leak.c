/* Leaks on purpose: a check that cannot fail proves nothing. */
#include <paysvc.h>
#include <stdlib.h>

int main(void)
{
    paysvc_reply **lost = (paysvc_reply **)malloc(sizeof *lost);
    paysvc_client *client = NULL;
    paysvc_client_new("[]", &client, lost);
    lost = NULL;
    return client != NULL;
}
