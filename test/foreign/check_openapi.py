"""Checks an OpenAPI 3.1 document from standard input with validators that share nothing with the service.

Prints how many examples were held against their schemas; ends with 1 and the reasons on standard error where something does not fit.
"""

import json
import sys

from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

document = json.load(sys.stdin)
problems = [f"document: {error.message}" for error in OpenAPIV31SpecValidator(document).iter_errors()]
checked = 0


def resolved(node):
    while isinstance(node, dict) and "$ref" in node:
        target = document
        for name in node["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        node = target
    return node


def check(where, schema, value):
    global checked
    checked += 1
    # References in the schema are to the whole document.
    whole = {"components": document["components"], "allOf": [schema]}
    for error in OAS31Validator(whole, format_checker=OAS31Validator.FORMAT_CHECKER).iter_errors(value):
        problems.append(f"{where}: {error.message}")


def check_example(where, thing):
    thing = resolved(thing)
    if "example" in thing:
        check(where, thing["schema"], thing["example"])


for path, item in document["paths"].items():
    for parameter in item["get"]["parameters"]:
        check_example(f"{path} {resolved(parameter)['name']}", parameter)
    for status, response in item["get"]["responses"].items():
        response = resolved(response)
        for name, header in response.get("headers", {}).items():
            check_example(f"{path} {status} {name}", header)
        for body in response.get("content", {}).values():
            for name, example in body["examples"].items():
                check(f"{path} {status} {name}", body["schema"], example["value"])
for name, response in document["components"]["responses"].items():
    for body in response["content"].values():
        for example_name, example in body["examples"].items():
            check(f"{name} {example_name}", body["schema"], example["value"])
for name, schema in document["components"]["schemas"].items():
    for example in schema.get("examples", []):
        check(f"{name} example", schema, example)

for problem in problems:
    print(problem, file=sys.stderr)
print(json.dumps({"examples": checked}))
sys.exit(1 if problems else 0)
