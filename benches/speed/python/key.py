"""The service's payload encryption with `cryptography`, as its users write it: the key loaded once."""

from __future__ import annotations

import base64
import json
import xml.etree.ElementTree as ElementTree
from typing import Any

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers


def load(text: str) -> RSAPublicKey:
    _, xml = base64.b64decode(text).decode().split("!", 1)
    tree = ElementTree.fromstring(xml)

    def number(name: str) -> int:
        return int.from_bytes(base64.b64decode(tree.findtext(name) or ""), "big")

    return RSAPublicNumbers(number("Exponent"), number("Modulus")).public_key()


def seal(key: RSAPublicKey, payload: dict[str, Any]) -> dict[str, str]:
    text = json.dumps(payload, separators=(",", ":")).encode()
    return {"data": base64.b64encode(key.encrypt(text, PKCS1v15())).decode()}
