"""sessions: the sessions of a fleet, each with a balance of its own, and the five routes to them."""
import json
import urllib.parse

from parts import Failure, ask, call, expect

AVAILABLE = 2_491_555  # pence that ava can spend at the beginning
LOGIN = urllib.parse.urlencode({"grant_type": "password", "username": "ava", "password": "correct-horse"})
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def payment(pence):
    amount = {"amount": f"{pence // 100}.{pence % 100:02}", "currency": "GBP"}
    return json.dumps({"from": "ava-gbp", "to": "payee-lark", "amount": amount}).encode()


def pay(base, path, token, key, pence, headers=None):
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key, "Content-Type": "application/json"} | (headers or {})
    return ask(base, "POST", path + "/v1/payments", payment(pence), headers)


class Session:
    """A session, known by its id; `spent` pence left its account, which no other session's has spent."""

    def __init__(self, made, spent):
        self.id, self.node, self.spent = made["id"], made["id"].partition("-")[0], spent
        self.made = made
        self.token = None

    def prepare(self, proxy):
        """Signs in and pays, both by way of a proxy."""
        at = f"{self.id} through {proxy.kind}"
        self.token = self.signed_in(expect(ask(proxy.bank, "POST", f"/s/{self.id}/oauth/token", LOGIN, FORM), 200, at=at), at)
        expect(pay(proxy.bank, f"/s/{self.id}", self.token, "first", self.spent), 201, at=at)

    def signed_in(self, response, at):
        token = response.json().get("access_token", "")
        if not token.startswith(f"cf_{self.id}_"):
            raise Failure(f"{at}: found a token of another session than {self.id}: {token.rpartition('_')[0]}")
        return token

    def holds_balance(self, response, at):
        found = [account["available"]["amount"] for account in response.json().get("accounts", ()) if account["id"] == "ava-gbp"]
        expected = f"{(AVAILABLE - self.spent) // 100}.{(AVAILABLE - self.spent) % 100:02}"
        if found != [expected]:
            raise Failure(f"{at}: found {found} available, expected {expected}, which only {self.id} has")

    # The five routes. Each gives the response, and a function that holds it to be this session's.

    def by_path(self, proxy):
        return ask(proxy.bank, "GET", f"/s/{self.id}/v1/accounts", headers={"Authorization": f"Bearer {self.token}"}), self.holds_balance

    def by_header(self, proxy):
        """A sign-in has no token: the header alone names the session."""
        return ask(proxy.bank, "POST", "/oauth/token", LOGIN, FORM | {"X-Counterfoil-Session": self.id}), self.signed_in

    def by_token(self, proxy):
        return ask(proxy.bank, "GET", "/v1/accounts", headers={"Authorization": f"Bearer {self.token}"}), self.holds_balance

    def by_admin(self, proxy):
        return call(proxy.admin, "GET", f"/sessions/{self.id}/ledger"), self.holds_movement

    def by_node(self, proxy):
        return call(f"{proxy.admin}/nodes/{self.node}", "GET", f"/sessions/{self.id}"), self.is_itself

    ROUTES = {"path": by_path, "header": by_header, "token": by_token, "admin": by_admin, "nodes": by_node}
    OF_BANK = ("path", "header", "token")

    def holds_movement(self, response, at):
        keys = [movement["key"] for movement in response.json()["movements"]]
        if "first" not in keys or len(keys) != len(set(keys)):
            raise Failure(f"{at}: found the keys {keys} in the ledger, expected each once, and among them «first»")
        node = response.headers.get("X-Counterfoil-Node")
        if node != self.node:
            raise Failure(f"{at}: found X-Counterfoil-Node: {node}, expected {self.node}")

    def is_itself(self, response, at):
        found = {key: response.json().get(key) for key in ("id", "seed")}
        if found != {"id": self.id, "seed": self.made["seed"]}:
            raise Failure(f"{at}: found {found}, expected {self.id} with the seed {self.made['seed']}")

    def reach(self, proxy, route):
        """Holds that a route leads here."""
        at = f"{self.id} by {route} through {proxy.kind}"
        response, holds = Session.ROUTES[route](self, proxy)
        holds(expect(response, 200, at=at), at)


def made_by_put(proxy, identifier, settings=None):
    return expect(call(proxy.admin, "PUT", f"/sessions/{identifier}", settings or {"bank": "counterfoil"}), 201, at=f"PUT {identifier} through {proxy.kind}").json()


def made_by_post(proxy, name=None):
    """A session of any node, which gives it its prefix."""
    at = f"POST of the name {name} through {proxy.kind}"
    made = expect(call(proxy.admin, "POST", "/sessions", {"bank": "counterfoil"} | ({"name": name} if name else {})), 201, at=at).json()
    node, hyphen, rest = made["id"].partition("-")
    if not hyphen or node not in ("n1", "n2", "n3", "n4") or name not in (None, rest):
        raise Failure(f"{at}: found the id {made['id']}, expected the name of a node, a hyphen{f' and {name}' if name else ''}")
    return made
