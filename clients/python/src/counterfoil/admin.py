"""One call of the admin API: JSON over HTTP or HTTPS."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import urllib.parse
from typing import Any, Mapping, Optional

from .errors import AdminError, CounterfoilError, UnreachableError

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[^\s/?#@\[\]\\]+\]|[^\s/?#@:\[\]\\]+)(?::(?P<port>[0-9]*))?"
    r"(?P<path>(?:/(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*)*)", re.ASCII | re.IGNORECASE)


def without_none(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that have a value."""
    return {name: value for name, value in members.items() if value is not None}


class AdminAPI:
    """The admin API of one server. Safe to use from several threads: each call has a connection of its own."""

    def __init__(self, address: str, token: Optional[str] = None, timeout: float = 30.0):
        """
        - address: such as `http://127.0.0.1:8081`; a path is kept, such as that of `https://bank.example/nodes/n2`. The authorities of
          certificates are those of Python's `ssl` module, such as of SSL_CERT_FILE.
        - token: sent as `Authorization: Bearer …`; None if the server requires none. No redirect is followed.
        - timeout: seconds for which a call waits for each part of the response.
        """
        parts = _ADDRESS.fullmatch(address)
        if not parts or int(parts["port"] or 0) > 65_535:
            shown = re.sub(r"^([a-z][a-z0-9+.-]*://)?.*@", r"\1…@", address, flags=re.DOTALL | re.IGNORECASE)
            raise CounterfoilError(f"found the address {shown}, expected one such as http://127.0.0.1:8081, without user, query and fragment")
        if token and not re.fullmatch("[ -~]+", token):
            # The error of `http.client` would show it.
            raise CounterfoilError("found a line break or a character beyond ASCII in the admin token, expected one line of ASCII text")
        scheme, self._prefix = parts["scheme"].lower(), parts["path"].rstrip("/")
        self.address = f"{scheme}://{parts['host']}{':' + parts['port'] if parts['port'] else ''}{self._prefix}"
        self._tls = ssl.create_default_context() if scheme == "https" else None
        self._host, self._port = parts["host"].strip("[]"), int(parts["port"] or (443 if self._tls else 80))
        self._token, self._timeout = token, timeout

    def get(self, *path: str, query: Optional[Mapping[str, Any]] = None, longer: float = 0.0) -> Any:
        """The object that the call returns. `longer` is added to the timeout, in seconds."""
        return self.call("GET", path, query=query, longer=longer)

    def post(self, *path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        return self.call("POST", path, body=body)

    def put(self, *path: str, body: Mapping[str, Any]) -> Any:
        return self.call("PUT", path, body=body)

    def delete(self, *path: str) -> None:
        self.call("DELETE", path)

    def call(
        self, method: str, path: tuple[str, ...], *, query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None, longer: float = 0.0,
    ) -> Any:
        """Sends a request and returns the JSON of the response, or its text if it is not JSON; None if there is no body.

        Each part of the path is percent-encoded, so an id may contain any character. Members of `query` and `body` that are None are
        left out. Raises `AdminError` if the server rejects the call, and `UnreachableError` if it does not respond.
        """
        target = "/".join(["/__admin", *(urllib.parse.quote(part, safe="") for part in path)])
        name = f"{method} {target}"
        # A list would answer for an empty name, and a proxy removes dots.
        for part in path:
            if part in ("", ".", ".."):
                raise CounterfoilError(f"{name}: found {f'the name {part!r}' if part else 'an empty name'}, expected the id of a session, a rule or the like")
        words = {key: str(value).lower() if isinstance(value, bool) else value for key, value in without_none(query or {}).items()}
        if words:
            target += "?" + urllib.parse.urlencode(words, quote_via=urllib.parse.quote)
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(without_none(body), ensure_ascii=False, allow_nan=False).encode()
        connection = self._connection(self._timeout + longer)
        try:
            connection.request(method, self._prefix + target, body=content, headers=headers)
            response = connection.getresponse()
            return _result(name, response.status, response.getheader("Content-Type") or "", response.read())
        except (OSError, http.client.HTTPException) as error:
            raise UnreachableError(f"{name}: no response from {self.address}: {error or type(error).__name__}") from error
        finally:
            connection.close()

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)


def _result(call: str, status: int, media_type: str, content: bytes) -> Any:
    is_json = media_type.partition(";")[0].strip() in ("application/json", "application/problem+json")
    text = content.decode("utf-8", "replace")
    if 200 <= status < 300:
        try:
            return None if not content else json.loads(text) if is_json else text
        except ValueError:
            raise CounterfoilError(f"{call}: found no valid JSON, but: {text[:500]}") from None
    try:
        problem = json.loads(text) if is_json else {}
    except ValueError:
        problem = {}
    if not isinstance(problem, dict) or "detail" not in problem:
        problem = {"title": http.client.responses.get(status, ""), "detail": f"found no problem details, but: {text[:500]}"}
    raise AdminError(call, status, problem)
