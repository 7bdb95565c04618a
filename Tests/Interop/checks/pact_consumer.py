"""pact_consumer FOLDER: the pacts of a consumer `app` of a provider `shop`, as pact-python writes them: v2.json, v3.json, v4.json."""
import pathlib
import sys

from pact import Pact, match


def write(folder, version):
    pact = Pact("app", "shop").with_specification(f"V{version}")
    (
        pact.upon_receiving("the accounts")
        .given("there are accounts")
        .with_request("GET", "/accounts")
        .with_header("Accept", "application/json")
        .with_query_parameter("page", "1")
        .will_respond_with(200)
        .with_header("Cache-Control", "no-store")
        .with_body({"accounts": match.each_like({"id": match.like("a1"), "balance": match.regex("12.30", regex=r"^-?\d+\.\d+$")}, min=1)})
    )
    (
        pact.upon_receiving("one account of any id")
        .with_request("GET", match.regex("/accounts/a1", regex=r"^/accounts/[^/]+$"))
        .will_respond_with(200)
        .with_body({"id": match.like("a1")})
    )
    (
        pact.upon_receiving("a sign-in")
        .with_request("POST", "/login")
        .with_body({"user": "ava", "password": match.like("right")})
        .will_respond_with(200)
        .with_body({"token": match.like("t1"), "expires": match.like(900)})
    )
    (
        pact.upon_receiving("a payment")
        .with_request("POST", "/payments")
        .with_header("Idempotency-Key", match.regex("k-1", regex=r"^k-.*$"))
        .with_body({"to": "p1", "amount": "1.00"})
        .will_respond_with(201)
        .with_body({"id": match.like("pay-1"), "state": "accepted"})
    )
    (
        pact.upon_receiving("several payees")
        .with_request("POST", "/payees")
        .with_header("Accept", "application/json, text/plain")
        .with_body(match.each_like({"name": match.like("Ben"), "iban": match.regex("DE1", regex=r"^DE\d+$")}, min=1))
        .will_respond_with(202)
    )
    pact.upon_receiving("what is not there").with_request("GET", "/nothing").will_respond_with(404)
    pact.upon_receiving("a removal").with_request("DELETE", "/payees/p1").will_respond_with(204)
    pact.upon_receiving("words").with_request("GET", "/words").will_respond_with(200).with_body("all is well", "text/plain")
    written = folder / f"written-{version}"
    written.mkdir(parents=True)
    pact.write_file(written)
    (written / "app-shop.json").rename(folder / f"v{version}.json")


if __name__ == "__main__":
    for number in (2, 3, 4):
        write(pathlib.Path(sys.argv[1]), number)
