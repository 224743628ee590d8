"""Builds and checks viewer tokens with jwcrypto, independently of the code under test.

Reads one JSON object from standard input, writes one to standard output:
  check: [{token, serviceKey (private JWK), contentKey (public JWK), nowSeconds}] -> checked: [subject or null]
  build: [{claims (text), serviceKey (public JWK), contentKey (private JWK)}] -> built: [token]
"""

import json
import sys

from jwcrypto import jwe, jwk, jws


def unique(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name is there twice")
    return dict(pairs)


def check(token, service_key, content_key, now):
    outer = jwe.JWE(algs=["RSA-OAEP", "A256CBC-HS512"])
    outer.deserialize(token)
    if outer.jose_header["kid"] != service_key["kid"]:
        raise ValueError("another key of the service")
    outer.decrypt(jwk.JWK(**service_key))
    inner = jws.JWS()
    inner.allowed_algs = ["RS512"]
    inner.deserialize(outer.payload.decode())
    inner.verify(jwk.JWK(**content_key))
    claims = json.loads(inner.payload, object_pairs_hook=unique)
    age = int(now) - claims["iat"]
    if type(claims["iat"]) is not int or not 0 <= age <= 60:
        raise ValueError("too old, or from the future")
    if not isinstance(claims["sub"], str) or claims["sub"] == "":
        raise ValueError("without a viewer")
    return claims["sub"]


def check_or_none(given):
    try:
        return check(given["token"], given["serviceKey"], given["contentKey"], given["nowSeconds"])
    except Exception:
        return None


def build(claims, service_key, content_key):
    inner = jws.JWS(claims)
    inner.add_signature(jwk.JWK(**content_key), protected=json.dumps({"alg": "RS512", "typ": "JWT"}))
    header = {"alg": "RSA-OAEP", "enc": "A256CBC-HS512", "typ": "JWT", "kid": service_key["kid"]}
    outer = jwe.JWE(inner.serialize(compact=True), json.dumps(header))
    outer.add_recipient(jwk.JWK(**service_key))
    return outer.serialize(compact=True)


task = json.load(sys.stdin)
answer = {
    "checked": [check_or_none(given) for given in task.get("check", [])],
    "built": [build(given["claims"], given["serviceKey"], given["contentKey"]) for given in task.get("build", [])],
}
json.dump(answer, sys.stdout)
