"""Many people at once."""
import html
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from test_flow import handles_of
from test_safety import Visitor


def test_200_people_want_50_names_and_each_gets_one(site, person):
    def sign_up(number):
        who = f"{person}-{number}"
        wanted = f"{person}{'abcdefghijklmnopqrstuvwxyz'[number % 25]}{'ab'[number // 25 % 2]}"
        visitor = Visitor(site, who)
        token = visitor.token
        name, lost = wanted, False
        for _ in range(20):
            answer = visitor.send("POST", "/handle", {"token": token, "handle": name})
            if answer.status == 303:
                answer = visitor.send("POST", "/name", {"token": token, "name": f"Person {number}"})
                if answer.headers["Location"] == "/done":
                    return who, wanted, name, lost
                answer = visitor.send("GET", answer.headers["Location"])
            lost = True
            offered = re.findall('name="handle" value="([^"]+)" dir', answer.text)
            assert offered, answer.text
            name = html.unescape(offered[number % len(offered)])
        raise AssertionError(f"{who} got no handle")

    with ThreadPoolExecutor(40) as crowd:
        results = list(crowd.map(sign_up, range(200)))
    handles = {name: owner for owner, _, name, _ in results}
    assert len(handles) == 200
    winners = Counter(wanted for _, wanted, name, lost in results if name == wanted)
    assert set(winners.values()) == {1} and len(winners) == 50
    for owner, _, name, lost in results:
        assert handles_of(site, owner) == [(name, "claimed")]
