"""pact_verify [--no-states] READY PACT...: verifies pacts with Pact's own verifier against a server of Counterfoil's.

READY is what `counterfoil serve --ready-file` wrote. A pact's provider is a bank served there, and its session the bank's own; it is
asked for provider states, as anyone may do it: POST /__admin/sessions/BANK/provider-state.
"""
import json
import sys

from pact import Verifier


def main(arguments):
    has_states = "--no-states" not in arguments
    ready, *pacts = [argument for argument in arguments if argument != "--no-states"]
    with open(ready, encoding="utf-8") as file:
        addresses = json.load(file)
    failed = False
    for path in pacts:
        with open(path, encoding="utf-8") as file:
            pact = json.load(file)
        bank = pact["provider"]["name"]
        verifier = Verifier(bank, host="127.0.0.1").add_transport(url=addresses["banks"][bank]).add_source(path)
        verifier = verifier.follow_redirects(False).set_error_on_empty_pact().set_coloured_output(enabled=False)
        if has_states:
            verifier = verifier.state_handler(f"{addresses['admin']}/__admin/sessions/{bank}/provider-state", body=True)
        try:
            verifier.verify()
            print(f"✔ {path}: {len(pact['interactions'])} interactions")
        except RuntimeError as error:
            failed = True
            print(f"✘ {path}: {error}")
            print(verifier.output(strip_ansi=True))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
