/* A program with functions of the names by which AWS-LC looks for another allocator, as jemalloc and other libraries have
 * them: none may be called. argv[1] is the configuration of a client with TLS. */
#include "check.h"

#define FOREIGN(name) \
    void name(void); \
    void name(void) \
    { \
        fprintf(stderr, "%s was called\n", #name); \
        abort(); \
    }
FOREIGN(OPENSSL_memory_alloc)
FOREIGN(OPENSSL_memory_free)
FOREIGN(OPENSSL_memory_get_size)
FOREIGN(OPENSSL_memory_realloc)
FOREIGN(sdallocx)

int main(int argc, char **argv)
{
    paysvc_client *client = NULL;
    paysvc_reply *reply = NULL;
    if (argc != 2) {
        return 2;
    }
    EXPECT(paysvc_client_new(argv[1], &client, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    EXPECT(paysvc_encrypt(client, "{\"a\":1}", &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_NOT_SENT);
    paysvc_reply_free(reply);
    EXPECT(paysvc_order_refund(client, "{\"reference\":\"R\"}", NULL, &reply), reply, PAYSVC_OK, PAYSVC_OUTCOME_CONFIRMED);
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    return finished("foreign_hooks");
}
