"""A TLS server as old or misconfigured ones are: python3 old_tls.py CHAIN LEAST MOST CIPHERS. Prints its port, and
answers every request with success, until its input ends."""

import socket
import ssl
import sys
import threading
import warnings

warnings.simplefilter("ignore")  # About the old versions.
chain, least, most, ciphers = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
# OpenSSL 3 refuses short keys and SHA-1 at its usual level.
context.set_ciphers(ciphers + ":@SECLEVEL=0")
context.load_cert_chain(chain)
context.minimum_version, context.maximum_version = ssl.TLSVersion[least], ssl.TLSVersion[most]
BODY = b'{"status":true,"message":"done","data":{"status":"pending"}}'


def serve(plain):
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY))
    except OSError:
        pass  # The client refuses what this server is made to do.


def accept(listener):
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=accept, args=(listener,), daemon=True).start()
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
