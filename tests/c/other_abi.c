/* Preloaded: a library of an ABI that no binding was built for. */
int paysvc_abi(void);
int paysvc_abi(void)
{
    return 99;
}
