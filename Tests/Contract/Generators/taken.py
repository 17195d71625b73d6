"""Reads a claim and refusals with the client that openapi-python-client made. Writes a refusal to the file in argv[1].

The environment has PORT and KEY.
"""

import os
import sys

from handle_registry import AuthenticatedClient, Client
from handle_registry.api.availability import check_availability
from handle_registry.api.handles import claim_handle, show_handle
from handle_registry.models import Availability, ClaimRequest, HandleRecord, OwnedRecord, Problem
from handle_registry.models import ProblemCode, ReasonCode, State
from handle_registry.types import UNSET

address = f"http://127.0.0.1:{os.environ['PORT']}"
anyone = Client(base_url=address)
client = AuthenticatedClient(base_url=address, token=os.environ["KEY"])

claimed = claim_handle.sync("JohnDoe", client=client, body=ClaimRequest(owner="user-1"))
assert isinstance(claimed, OwnedRecord) and claimed.owner == "user-1", claimed
shown = show_handle.sync("johndoe", client=anyone)
assert isinstance(shown, HandleRecord) and shown.display == "JohnDoe" and shown.owner is UNSET, shown
checked = check_availability.sync(client=anyone, handle="johndoe")
assert isinstance(checked, Availability) and checked.reasons[0].code is ReasonCode.TAKEN, checked

answer = claim_handle.sync_detailed("johndoe", client=client, body=ClaimRequest(owner="user-2"))
problem = answer.parsed
assert answer.status_code == 409 and isinstance(problem, Problem), answer
assert problem.code is ProblemCode.TAKEN and problem.status == 409, problem
assert problem.reasons[0].code is ReasonCode.TAKEN and problem.reasons[0].state is State.CLAIMED, problem
assert not problem.additional_properties and not problem.reasons[0].additional_properties, problem
with open(sys.argv[1], "wb") as file:
    file.write(answer.content)

problem = claim_handle.sync("jo", client=client, body=ClaimRequest(owner="user-2"))
assert isinstance(problem, Problem) and problem.reasons[0].length == 2, problem
