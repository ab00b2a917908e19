"""The OpenAPI document of a sandbox is valid, and what the sandbox takes and answers is what the document says.

python openapi.py SCENARIOS START: the file of scenarios, and the line that the sandbox prints when it starts.
"""

import json
import re
import sys
import urllib.request
from urllib.error import HTTPError
from urllib.parse import urlencode

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource


def send(method, path, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    sent = {"content-type": "application/json"} if data else {}
    request = urllib.request.Request(start["base_url"] + path, data, {**sent, **(headers or {})}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


def problems(schema, value):
    """What is wrong with a value, by a schema of the document."""
    located = registry.with_resource("urn:document", Resource.opaque(document))
    validator = Draft202012Validator(absolute(schema), registry=located)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]


def absolute(schema):
    """References are into the document."""
    if isinstance(schema, list):
        return [absolute(one) for one in schema]
    if isinstance(schema, dict):
        return {
            name: "urn:document" + value if name == "$ref" and isinstance(value, str) else absolute(value)
            for name, value in schema.items()
        }
    return schema


def absent(schema, value, path=""):
    """The members that a schema describes and a value has not."""
    if isinstance(value, list):
        return set().union(*(absent(schema.get("items", {}), one, path) for one in value))
    if not isinstance(value, dict):
        return set()
    described = schema.get("properties", {})
    inner = [absent(described[name], value[name], f"{path}/{name}") for name in described.keys() & value]
    return set().union({f"{path}/{name}" for name in described.keys() - value}, *inner)


def ask(entry):
    """Sends the request of a scenario as its entry says; the operation, the plaintext, and what came back."""
    method, path, key, envelope, *header = entry["wire"]
    members = dict(entry["request"])
    operation = document["paths"][path][method.lower()]
    path = re.sub(r"\{(\w+)\}", lambda member: members.pop(member[1]), path)
    headers = {"api-key": start[key + "_key"], **({"encryption": header[0]} if header else {})}
    query, body = "", None
    if method == "GET":
        query = "?" + urlencode(members) if members else ""
    else:
        body = send("POST", "/sandbox/encrypt", members)[1] if envelope == "encrypted" else members
    return operation, members if method != "GET" else None, send(method, path + query, body, headers)


def content(holder):
    return holder["content"]["application/json"]["schema"]


ORDER = ["customer", "order", "otherPaymentOptions", "payment", "savedCards", "subsidiary", "subsidiaryOrderSummary"]
# Fields of another response of the same endpoint, or of another form of it.
ABSENT = {
    "virtual_account_generate": {"/data"},
    "order_refund": {"/code"},
    "transaction_details": {"/data/orderAmount"},
    "order_create": {f"/data/{name}" for name in ORDER},
    "virtual_account_details": {"/data"},
    "order_verify": {"/data/paymentOptionId", "/data/reference"},
    "order_create without a card": {"/data/paymentDetail", "/data/orderPayment", "/data/bankTransferDetails"},
}
start = json.loads(sys.argv[2])
registry = Registry()
_, document = send("GET", "/openapi.json")
OpenAPIV31SpecValidator(document).validate()
assert document["servers"] == [{"url": start["base_url"]}], document["servers"]
broken = {**document, "openapi": "3.1.0", "paths": {"/x": {"get": {"parameters": 5}}}}
assert not OpenAPIV31SpecValidator(broken).is_valid()

with open(sys.argv[1]) as file:
    endpoints = json.load(file)["endpoints"]
order = {"request": {"order": {"reference": "ORDER-1", "amount": 5}}, "setup": [], "other_answers": []}
without_card = ("order_create without a card", {**endpoints["order_create"], **order})
found = []
for case, entry in [*endpoints.items(), without_card]:
    name = case.split()[0]
    send("POST", "/sandbox/reset", {})
    for step in entry["setup"]:
        status, answer = send(*step["admin"].split(" "), step["with"])
        assert status == 200, (name, answer)
    operation, plain, (status, answer) = ask(entry)
    if operation["operationId"] != name:
        found.append(f"{name}: the operation is {operation['operationId']}")
    if plain is not None:
        schema = operation.get("x-plaintext") or content(operation["requestBody"])
        found += [f"{name}: request: {problem}" for problem in problems(schema, plain)]
        if not problems(schema, {**plain, next(iter(plain)): [[]]}):
            found.append(f"{name}: the schema takes a request with a wrong value")
    if status != 200:
        found.append(f"{name}: {status}: {answer}")
    schema = content(operation["responses"]["200"])
    success = schema["anyOf"][0] if "anyOf" in schema else schema
    if absent(success, answer) != ABSENT.get(case, set()):
        found.append(f"{case}: absent are {absent(success, answer)}")
    answers = [answer, entry["answer"], *entry.get("other_answers", [])]
    found += [f"{name}: answer: {problem}" for each in answers for problem in problems(success, each)]
    first = next(iter(success["properties"]))
    if "type" in success["properties"][first] and not problems(success, {first: [[]]}):
        found.append(f"{name}: the schema takes a response with a wrong value")
    unknown = send(entry["wire"][0], entry["wire"][1], None if plain is None else plain)
    assert unknown[0] == 401, unknown
    refused = document["components"]["responses"]["Unauthorized"]
    found += [f"{name}: 401: {problem}" for problem in problems(content(refused), unknown[1])]

described = {operation["operationId"] for path in document["paths"].values() for operation in path.values()}
assert described == set(endpoints), described ^ set(endpoints)
print("\n".join(found) or f"{len(endpoints)} endpoints")
sys.exit(1 if found else 0)
