#include "rsa.h"
#include "worker.h"
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

/* EVP_DecodeBlock counts the padding as bytes. */
static int decode(const char *text, size_t length, unsigned char *bytes)
{
    int count = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length);
    while (count > 0 && length > 0 && text[length - 1] == '=') {
        count--;
        length--;
    }
    return count;
}

static BIGNUM *number(const char *xml, const char *open, const char *close)
{
    unsigned char bytes[2048];
    const char *start = strstr(xml, open), *end = start == NULL ? NULL : strstr(start, close);
    int count;
    if (end == NULL || end - start > 2048) {
        fail("key", "lacks an element");
    }
    start += strlen(open);
    count = decode(start, (size_t)(end - start), bytes);
    if (count <= 0) {
        fail("key", "is not base64");
    }
    return BN_bin2bn(bytes, count, NULL);
}

EVP_PKEY_CTX *key_of(const char *text)
{
    unsigned char decoded[8192];
    int length = strlen(text) < sizeof decoded ? decode(text, strlen(text), decoded) : -1;
    BIGNUM *modulus, *exponent;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL), *context;
    EVP_PKEY *key = NULL;
    const char *xml;
    if (length <= 0) {
        fail("key", "is not base64");
    }
    decoded[length] = '\0';
    xml = strchr((char *)decoded, '!');
    if (xml == NULL) {
        fail("key", "lacks its size");
    }
    modulus = number(xml, "<Modulus>", "</Modulus>");
    exponent = number(xml, "<Exponent>", "</Exponent>");
    if (BN_num_bits(modulus) != atoi((char *)decoded) || !OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus) ||
        !OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent) ||
        (parameters = OSSL_PARAM_BLD_to_param(build)) == NULL || EVP_PKEY_fromdata_init(maker) <= 0 ||
        EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, parameters) <= 0) {
        fail("key", "is refused");
    }
    context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (context == NULL || EVP_PKEY_encrypt_init(context) <= 0 ||
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) <= 0) {
        fail("key", "is refused");
    }
    EVP_PKEY_free(key); /* the context keeps it */
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(build);
    BN_free(modulus);
    BN_free(exponent);
    return context;
}

size_t encrypt_to(EVP_PKEY_CTX *key, const char *payload, size_t length, char *body, size_t room)
{
    static const char head[] = "{\"data\":\"", tail[] = "\"}";
    unsigned char block[1024];
    size_t size = sizeof block, text;
    if (room < sizeof head + sizeof tail + sizeof block / 3 * 4 + 8 ||
        EVP_PKEY_encrypt(key, block, &size, (const unsigned char *)payload, length) <= 0) {
        fail("encrypt", "refused");
    }
    memcpy(body, head, sizeof head - 1);
    text = (size_t)EVP_EncodeBlock((unsigned char *)body + sizeof head - 1, block, (int)size);
    memcpy(body + sizeof head - 1 + text, tail, sizeof tail);
    return sizeof head - 1 + text + sizeof tail - 1;
}
