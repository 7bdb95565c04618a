"""rejections: mistakes that must be rejected, each clearly and with nothing half done."""
import subprocess

from parts import Failure, ask, call, expect, os_environment
from sessions import FORM, LOGIN, pay


def hold(fleet):
    steps = [default_sessions, foreign_sessions, unproved_tokens, lost_sessions, other_settings, one_state_file]
    for step in steps:
        step(fleet)
    return "rejected: one key to three default sessions, a session of another node, a DPoP token without a proof, a session that is gone, PUT with other settings, two nodes on one state file"


def names(response, words, at):
    """The response's problem has each of the words."""
    missing = [word for word in words if word not in response.body.decode(errors="replace")]
    if missing:
        raise Failure(f"{at}: found {response}, expected that it has {' and '.join(repr(word) for word in missing)}")


def default_sessions(fleet):
    """One key that names no session is booked by none of the nodes; before, each of three booked it."""
    for place in [*fleet.nodes, *fleet.proxies]:
        at = f"a payment without a session at {getattr(place, 'name', None) or place.kind}"
        names(expect(pay(place.bank, "", "cf_counterfoil_0_guessed", "thrice", 500), 421, at=at), ["session"], at)
        at = f"a sign-in without a session at {getattr(place, 'name', None) or place.kind}"
        expect(ask(place.bank, "POST", "/oauth/token", LOGIN, FORM), 421, at=at)


def foreign_sessions(fleet):
    """A session's id is rejected by the other nodes, which say whose it is (RFC 9110 §15.5.20)."""
    session = next(session for session in fleet.sessions if session.node == "n1")
    other = fleet.nodes[1]
    before = call(fleet.nodes[0].admin, "GET", f"/sessions/{session.id}/ledger").json()
    for what, response in {
        "a payment by path": pay(other.bank, f"/s/{session.id}", session.token, "astray", 500),
        "a payment by header": pay(other.bank, "", "cf_x", "astray", 500, {"X-Counterfoil-Session": session.id}),
        "a payment by token": pay(other.bank, "", session.token, "astray", 500),
        "a look by the admin API": call(other.admin, "GET", f"/sessions/{session.id}"),
        "a reset by the admin API": call(other.admin, "POST", f"/sessions/{session.id}/reset"),
        "a PUT by the admin API": call(other.admin, "PUT", f"/sessions/{session.id}", {"bank": "counterfoil"}),
    }.items():
        at = f"{what} of {session.id} at {other.name}"
        names(expect(response, 421, at=at), ["n1"], at)
    after = call(fleet.nodes[0].admin, "GET", f"/sessions/{session.id}/ledger").json()
    if after["movements"] != before["movements"]:
        raise Failure(f"{session.id}: found the movements {after['movements']} after requests to {other.name}, expected {before['movements']}")


def unproved_tokens(fleet):
    """A token in the scheme DPoP leads to its session, which misses the proof (RFC 9449 §7.1); any other node would return 421."""
    for proxy in fleet.proxies:
        for session in fleet.sessions[:9]:
            for scheme in ("DPoP", "dpop"):
                at = f"{scheme} with the token of {session.id} through {proxy.kind}"
                response = ask(proxy.bank, "GET", "/v1/accounts", headers={"Authorization": f"{scheme} {session.token}"})
                if not expect(response, 401, at=at).headers.get("WWW-Authenticate", "").startswith("DPoP "):
                    raise Failure(f"{at}: found WWW-Authenticate: {response.headers.get('WWW-Authenticate')}, expected the scheme DPoP")


def lost_sessions(fleet):
    """An id with the node's own prefix that is not there: 404, and since when the node runs."""
    for proxy in fleet.proxies:
        for what, response in {
            "by path": ask(proxy.bank, "GET", "/s/n2-nowhere/v1/accounts"),
            "by the admin API": call(proxy.admin, "GET", "/sessions/n2-nowhere"),
        }.items():
            at = f"the session n2-nowhere {what} through {proxy.kind}"
            names(expect(response, 404, at=at), ["n2", "since"], at)


def other_settings(fleet):
    """PUT twice: the same settings give what is there, others are rejected and change nothing."""
    settings = {"bank": "counterfoil", "seed": 11}
    for proxy in fleet.proxies:
        path = f"/sessions/n3-twice-{proxy.kind}"
        at = f"PUT {path} through {proxy.kind}"
        made = expect(call(proxy.admin, "PUT", path, settings), 201, at=at).json()
        again = expect(call(proxy.admin, "PUT", path, settings), 200, at=f"{at}, the same again").json()
        expect(call(proxy.admin, "PUT", path, settings | {"seed": 12}), 409, at=f"{at}, with another seed")
        after = call(proxy.admin, "GET", path).json()
        if [one["seed"] for one in (made, again, after)] != [11, 11, 11]:
            raise Failure(f"{at}: found the seeds {[one['seed'] for one in (made, again, after)]} when made, put again, and after a rejection; expected 11")
        expect(call(proxy.admin, "DELETE", path), 204, at=f"DELETE {path} through {proxy.kind}")


def one_state_file(fleet):
    """A second process of the same name on the same state file ends before it serves, and the first goes on."""
    node = fleet.nodes[0]
    ready = fleet.folder / "twin.ready"
    command = [str(ready) if word == str(node.ready) else word for word in node.command]
    for option in ("--port", "--admin-port", "--tls-port"):
        command[command.index(option) + 1] = "0"
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, env=os_environment(node.environment))
    if done.returncode == 0 or node.state.name not in done.stderr or ready.exists():
        raise Failure(f"a second {node.name} on {node.state.name}: found status {done.returncode}, ready {ready.exists()} and «{done.stderr}», expected an error that names the file")
    expect(ask(node.admin, "GET", "/readyz"), 200, at=f"{node.name}, after a second one was rejected")
