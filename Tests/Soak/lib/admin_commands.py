"""admin_commands: the commands that talk to a running server, with arguments for each (also for Tests/Shell/hostile-admin.sh)."""
import json
import subprocess

from soaking import BOUND, Failure

RULE = '{"fault": {"status": {"status": 503}}, "on": {"role": "accounts"}}'
# Several for a command that prints different things. {file} is a file that the command may write, {golden} what `golden save` wrote.
ARGUMENTS = {
    "judge": [["--for", "100ms"], ["--for", "100ms", "--require", "auth", "--json", "{file}"]],
    "golden save": [["{file}"]], "golden check": [["{golden}"]],
    "session list": [[], ["--json"]],
    "session new": [["counterfoil"], ["counterfoil", "--listen", "--json"]],
    "session reset": [["counterfoil"]], "session snapshot": [["counterfoil"]], "session restore": [["counterfoil"]], "session rm": [["counterfoil"], ["nobody"]],
    "fault list": [[], ["--json"]], "fault set": [[RULE]], "fault rm": [["rule-1"], ["--all"]],
    "outage list": [[], ["--json"]], "outage show": [[], ["brownout"], ["--json"]], "outage start": [["brownout", "--replace"], ["brownout", "--replace", "--json"]], "outage stop": [[]],
    "clock show": [[], ["--json"]], "clock advance": [["1s"], ["1s", "--json"]], "clock set": [["--skew", "1s"], ["--skew", "1s", "--json"]],
    "clock freeze": [[], ["--json"]], "clock run": [[], ["--json"]],
    "tokens list": [[], ["--json"]], "tokens issue": [["--login", "ava"], ["--json"]], "tokens expire": [["token#1"], ["--all"]], "tokens revoke": [["token#1"], ["--all"]],
    "tokens downscope": [["token#1", "--scope", "accounts"]],
    "challenges list": [[], ["--json"]], "challenges approve": [["1"]], "challenges deny": [["1"]],
    "event": [["payment-in", "--account", "ava-gbp", "--amount", "1.00"], ["card-captured", "--json"], ["payment-returns", "--in", "3d"]],
    "schedule": [[], ["--json"], ["--clear"]],
    "webhooks list": [[], ["--json"]], "webhooks add": [["http://127.0.0.1:9/hook"], ["http://127.0.0.1:9/hook", "--json"]],
    "webhooks show": [["webhook-1"], ["webhook-1", "--json"]], "webhooks rm": [["webhook-1"]], "webhooks resend": [["webhook-1"]],
    "webhooks fault": [["webhook-1", "duplicate"]], "webhooks rotate": [["webhook-1"]],
    "journal": [[], ["--unmatched"], ["--keys"], ["--json"], ["--har", "-"], ["--har", "{file}"]],
    "ledger": [[], ["--json"]],
    "probe": [["--kinds", "reset"], ["--kinds", "close", "--limit", "1s"], ["--kinds", "status", "--limit", "1s", "--verbose"]],
}


OF_SESSION = ("challenges", "clock", "event", "fault", "golden", "journal", "judge", "ledger", "outage", "schedule", "tokens", "webhooks")  # with --session, the first request is the command's own


def found(program):
    """All commands with --admin, by the program's own description of its command line."""
    # The trials of the generators shorten BOUND, and a program in Python takes a while to start on a busy machine.
    text = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True, timeout=max(BOUND, 30)).stdout

    def below(command, path):
        if any(name.get("name") == "admin" for argument in command.get("arguments", []) for name in argument.get("names", [])):
            yield " ".join(path)
        for one in command.get("subcommands", []):
            yield from below(one, (*path, one["commandName"]))

    return set(below(json.loads(text)["command"], ()))


def look_complete(program):
    """Each command has arguments here, and nothing here is gone."""
    if odd := found(program) ^ set(ARGUMENTS):
        raise Failure(f"found commands with --admin that this generator has no arguments for, or that are gone: {sorted(odd)}")
