"""Rules of the contract that JSON Schema cannot express. Schemathesis loads this file."""

import schemathesis


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
