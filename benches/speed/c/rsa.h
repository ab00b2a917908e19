/* The service's payload encryption with OpenSSL 3, as a careful user writes it. */
#ifndef RSA_H
#define RSA_H

#include <openssl/evp.h>

/* A context that is ready to encrypt, from the text of the dashboard (base64 of "4096!<RSAKeyValue>..."). */
EVP_PKEY_CTX *key_of(const char *text);
/* Writes the request body {"data":"<base64>"} to `body`; returns its length. */
size_t encrypt_to(EVP_PKEY_CTX *key, const char *payload, size_t length, char *body, size_t room);

#endif
