"""Python's multiprocessing over an inherited client: LIBRARY CONFIGURATION as arguments."""

import ctypes
import multiprocessing
import sys

library = ctypes.CDLL(sys.argv[1])
library.paysvc_client_new.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
library.paysvc_order_refund.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
library.paysvc_client_free.argtypes = [ctypes.c_void_p]

client = ctypes.c_void_p()


def refund(_):
    return library.paysvc_order_refund(client, b'{"reference":"R"}', None, None)


if __name__ == "__main__":
    assert library.paysvc_client_new(sys.argv[2].encode(), ctypes.byref(client), None) == 0
    assert refund(None) == 0
    with multiprocessing.get_context("fork").Pool(4) as pool:
        statuses = pool.map(refund, range(40))
    assert statuses == [0] * 40, statuses
    assert refund(None) == 0
    library.paysvc_client_free(client)
    print("40 calls in 4 children")
