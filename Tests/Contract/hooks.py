"""What the contract says and JSON Schema has no words for. The file is loaded by Schemathesis."""

import schemathesis


def whole(value):
    """The value with its numbers written as the contract wants them: to JSON Schema 60.0 and 60 are one integer."""
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
