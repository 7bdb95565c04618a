"""faulty_sessions: the sessions of the stand-in, beside the bank's own, and what the admin API has of each."""
import json
import re
import time

NEW = re.compile(rb'{"bank": "counterfoil", "name": "([a-z]+|d[0-9-]+)"(, "listen": true)?}')
OWN = "default"


class Sessions:
    """The sessions by name; the payments of each are those of a bank."""

    def __init__(self, bank):
        self.bank, self.banks, self.entries, self.deleted, self.asked = bank, {OWN: bank}, {OWN: 1}, 0, 0

    def answer(self, method, path, headers, body):
        """The response to a request of a session: its path begins with `/s/` and the name."""
        _, _, name, *rest = path.split(b"/")
        name = name.decode("latin-1")
        session = self.banks.get(name)
        if session is None:
            return 404, {}, b""
        self.entries[name] += 1
        if self.bank.defect == "neighbour-503" and self.deleted and rest == [b"v1", b"payments"]:
            self.deleted = 0
            return 503, {"title": "Down for maintenance"}, b""
        if method == b"POST" and rest[:2] == [b"v1", b"nothing"]:
            return 404, {}, b""
        return session.answer(method, b"/" + b"/".join(rest), headers, body)

    def steer(self, call, body):
        """Status and document of an admin call; None if there is no such call."""
        method, _, path = call.partition(" ")
        if path in ("/livez", "/readyz", "/metrics"):
            if self.bank.defect == "waits" and self.asked:
                time.sleep(60)
            return 200, {}
        if call == "POST /sessions" and (new := NEW.fullmatch(body)) and new[1] != b"attacked":
            if self.bank.defect == "create-503" and self.deleted:
                return 503, {}
            self.banks[new[1].decode()], self.entries[new[1].decode()] = type(self.bank)(self.bank.defect), 0
            return 201, {"base_url": f"http://127.0.0.1:{self.bank.port}"}
        parts = path.split("/")
        if len(parts) < 3 or parts[1] != "sessions" or parts[2] not in self.banks:
            return None
        return self._steer(parts[2], " ".join([method, *parts[3:]]))

    def _steer(self, name, call):
        session = self.banks[name]
        if call == "DELETE" and name != OWN:
            del self.banks[name]
            self.deleted += 1
            return 204, None
        if call == "GET ledger":
            return 200, {"balanced": self.bank.defect != "unbalanced", "movements": session.movements}
        if call == "POST reset":
            session.keys, session.movements = {}, []
            return 204, None
        if call in ("GET journal", "GET journal har"):
            return self._journal(name, "har" in call)
        if call in ("POST snapshot", "POST restore", "POST tokens", "POST faults", "POST outage") and name != "attacked":
            return 201, {}
        return None

    def _journal(self, name, is_har):
        """All entries of a session."""
        self.asked += 1
        if self.bank.defect == "memory":
            self.bank.hoard.append(bytearray(b"x" * (60 << 20)))
        if self.bank.defect == "bare-429":
            return 429, {}
        entries = [{"seq": number} for number in range(1, self.entries[name] + 1) if self.bank.defect != "gaps" or number % 7]
        if self.bank.defect == "cut-journal":
            del entries[5:]
        if self.bank.defect == "no-json":
            return 200, "no journal"
        return 200, {"log": {"entries": entries}} if is_har else {"entries": entries, "revision": len(entries)}

    def kept(self):
        """The content of the state file, which `state check` prints."""
        return {"sessions": [{"session": "counterfoil" if name == OWN else name, "movements": len(bank.movements) + (self.bank.defect == "state-disagrees")}
                             for name, bank in self.banks.items()]}
