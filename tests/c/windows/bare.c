/* A program without a C library, so that Microsoft's kind of linker needs nothing but the import libraries. Exit status 0:
 * the functions that it calls are those of the header. */
#include <paysvc.h>
#include <windows.h>

void start(void)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    int good = paysvc_abi() == PAYSVC_ABI && paysvc_version_number() == PAYSVC_VERSION_NUMBER;
    good = good && paysvc_client_new("{", &client, &reply) != PAYSVC_OK && client == NULL;
    good = good && paysvc_reply_outcome(reply) == PAYSVC_OUTCOME_NOT_SENT;
    paysvc_reply_free(reply);
    ExitProcess(good ? 0 : 1);
}
