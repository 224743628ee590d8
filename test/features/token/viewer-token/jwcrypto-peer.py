"""Builds and checks viewer tokens with jwcrypto, independently of the code under test.

Reads one JSON object from standard input, writes one to standard output:
  check: [{token, serviceKey (private JWK), contentKey (public JWK), nowSeconds}] -> checked: [parts or null]
  build: [{text, layers: [{header (JSON text), key (JWK or null)}]}] -> built: [token]
A layer with `enc` encrypts its content, every other layer signs it. The algorithm `none` needs no key.
"""

import json
import sys

from jwcrypto import jwe, jwk, jws
from jwcrypto.common import base64url_encode

parsed_keys = {}


def parsed(key):
    text = json.dumps(key)
    if text not in parsed_keys:
        parsed_keys[text] = jwk.JWK(**key)
    return parsed_keys[text]


def unique(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name is repeated")
    return dict(pairs)


def loads(text):
    return json.loads(text, object_pairs_hook=unique)


def check(token, service_key, content_key, now):
    outer = jwe.JWE(algs=["RSA-OAEP", "A256CBC-HS512"])
    outer.deserialize(token)
    if outer.jose_header["kid"] != service_key["kid"]:
        raise ValueError("another key of the service")
    outer.decrypt(parsed(service_key))
    inner = jws.JWS()
    inner.allowed_algs = ["RS512"]
    inner.deserialize(outer.payload.decode())
    inner.verify(parsed(content_key))
    claims = loads(inner.payload)
    age = int(now) - claims["iat"]
    if type(claims["iat"]) is not int or not 0 <= age <= 60:
        raise ValueError("too old, or from the future")
    if not isinstance(claims["sub"], str) or claims["sub"] == "":
        raise ValueError("without a viewer")
    return {
        "subject": claims["sub"],
        "claims": claims,
        "header": loads(outer.objects["protected"]),
        "signedHeader": loads(inner.objects["protected"]),
        "encryptedKeyBytes": len(outer.objects["encrypted_key"]),
        "contentEncryptionKey": outer.cek.hex(),
        "iv": outer.objects["iv"].hex(),
        "tagBytes": len(outer.objects["tag"]),
    }


def check_or_none(given):
    try:
        return check(given["token"], given["serviceKey"], given["contentKey"], given["nowSeconds"])
    except Exception:
        return None


def add_layer(content, header, key):
    names = json.loads(header)
    if "enc" in names:
        outer = jwe.JWE(content, header, algs=[names["alg"], names["enc"]])
        outer.add_recipient(parsed(key))
        return outer.serialize(compact=True)
    if key is None:
        return ".".join([base64url_encode(header), base64url_encode(content), ""])
    inner = jws.JWS(content)
    inner.add_signature(parsed(key), protected=header)
    return inner.serialize(compact=True)


def build(text, layers):
    for layer in layers:
        text = add_layer(text, layer["header"], layer["key"])
    return text


task = json.load(sys.stdin)
answer = {
    "checked": [check_or_none(given) for given in task.get("check", [])],
    "built": [build(given["text"], given["layers"]) for given in task.get("build", [])],
}
json.dump(answer, sys.stdout)
