"""What only this check of the contract needs, or what JSON Schema cannot express. Schemathesis loads this file."""

import json

import schemathesis

LINES = "application/x-ndjson"
# The bodies of the requests that follow a link. Code generators accept no such bodies in the document.
OWNER = "$response.body#/owner"
BODIES = {
    "claim": {"owner": OWNER, "hold": "$response.body#/hold"},
    "claimAgain": {"owner": OWNER},
    "recase": {"display": "$response.body#/display"},
    "rename": {"to": "JaneDoe", "owner": OWNER},
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Complete the document: the bodies of links, the codes of each response, which are the names of its examples, and
    the array of a body of JSON lines."""
    components = raw_schema["components"]
    for name, body in BODIES.items():
        components["links"][name]["requestBody"] = body
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if "$ref" in response:
                    response = components["responses"][response["$ref"].rpartition("/")[2]]
                if lines := response.get("content", {}).get(LINES):
                    lines["schema"] = {"type": "array", "items": lines["schema"]}
                problem = response.get("content", {}).get("application/problem+json")
                if problem and "allOf" not in problem["schema"]:
                    codes = {"enum": list(problem["examples"])}
                    here = {"properties": {"status": {"const": int(status)}, "code": codes}}
                    problem["schema"] = {"allOf": [problem["schema"], here]}


@schemathesis.deserializer(LINES)
def deserialize_lines(context, response):
    """Read a body of JSON lines as an array; before_load_schema() has changed the schema to that of an array."""
    return [json.loads(line) for line in response.content.split(b"\n") if line]


def whole(value):
    """Write integers without a fraction, as the contract demands: to JSON Schema 60.0 and 60 are the same integer."""
    if isinstance(value, dict):
        return {name: whole(member) for name, member in value.items()}
    if isinstance(value, list):
        return [whole(element) for element in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    case.body = whole(case.body)
