"""Many concurrent sign-ups."""
import html
import re
from concurrent.futures import ThreadPoolExecutor

from test_flow import handles_of
from test_safety import Visitor


def test_200_concurrent_sign_ups_for_50_names_all_get_a_handle(site, person):
    def sign_up(number):
        account = f"{person}-{number}"
        wanted = f"{person}{'abcdefghijklmnopqrstuvwxyz'[number % 25]}{'ab'[number // 25 % 2]}"
        visitor = Visitor(site, account)
        token = visitor.token
        name = wanted
        for _ in range(20):
            answer = visitor.send("POST", "/handle", {"token": token, "handle": name})
            if answer.status == 303:
                answer = visitor.send("POST", "/name", {"token": token, "name": f"Person {number}"})
                if answer.headers["Location"] == "/done":
                    return account, wanted, name
                answer = visitor.send("GET", answer.headers["Location"])
            # The name was refused because of a held look-alike. It became available when the look-alike was claimed.
            if answer.status == 200 and f">{name} is available.<" in answer.text:
                continue
            offered = re.findall('name="handle" value="([^"]+)" dir', answer.text)
            assert offered, answer.text
            name = html.unescape(offered[number % len(offered)])
        raise AssertionError(f"{account} got no handle")

    with ThreadPoolExecutor(40) as crowd:
        results = list(crowd.map(sign_up, range(200)))
    handles = {name: owner for owner, _, name in results}
    assert len(handles) == 200
    # Each wanted name has one owner. The owner may have got the name as a suggestion.
    assert len({wanted for _, wanted, _ in results} & set(handles)) == 50
    for owner, _, name in results:
        assert handles_of(site, owner) == [(name, "claimed")]
