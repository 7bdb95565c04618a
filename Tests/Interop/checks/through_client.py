"""through_client.py ADDRESS BROKEN: the small client of har_client.html without a browser, at a bank that is reached at ADDRESS.

With BROKEN `yes` it has three mistakes: it sends a rejected token again, retries a payment with a new key and ignores Retry-After.
"""
import http.client
import json
import sys
import time
import urllib.parse
import uuid

address, broken = sys.argv[1], sys.argv[2] == "yes"
# One connection, so that the order of its requests is known.
connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc)
token = None


def call(method, path, body=None, **headers):
    if token and path != "/test/revoke":
        headers["Authorization"] = "Bearer " + token
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    return response.status, response.headers, response.read()


def sign_in():
    global token
    token = None
    form = urllib.parse.urlencode({"grant_type": "password", "username": "ava", "password": "correct-horse-battery"})
    token = json.loads(call("POST", "/oauth/token", form, Content_Type="application/x-www-form-urlencoded")[2])["access_token"]


def accounts():
    if call("GET", "/v1/accounts")[0] != 401:
        return
    time.sleep(0.8)
    if not broken:
        sign_in()
    call("GET", "/v1/accounts")
    if broken:
        sign_in()


def statements():
    status, headers, _ = call("GET", "/v1/statements")
    if status == 429:
        time.sleep(0.7 if broken else int(headers["Retry-After"]) + 0.2)
        call("GET", "/v1/statements")


def pay():
    body = json.dumps({"from": "a-1", "to": "b-2", "amount": {"amount": "5.00", "currency": "GBP"}})
    key = str(uuid.uuid4())
    for _ in range(3):
        if call("POST", "/v1/payments", body, Idempotency_Key=key, Content_Type="application/json")[0] == 201:
            return
        time.sleep(0.3)
        if broken:
            key = str(uuid.uuid4())


sign_in()
accounts()
call("POST", "/test/revoke")
accounts()
statements()
pay()
