/* The service's payload encryption with OpenSSL 3, as a careful user writes it. */
#ifndef RSA_H
#define RSA_H

#include <openssl/evp.h>

/* From the dashboard's text (base64 of "4096!<RSAKeyValue>...") to a context that is ready to encrypt. */
EVP_PKEY_CTX *key_of(const char *text);
/* The request body {"data":"<base64>"} into `body`; its length. */
size_t encrypt_to(EVP_PKEY_CTX *key, const char *payload, size_t length, char *body, size_t room);

#endif
