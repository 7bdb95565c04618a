"""admin_commands: the commands that talk to a running server, with arguments for each."""
import re
import subprocess

from soaking import BOUND, Failure

RULE = '{"fault": {"status": {"status": 503}}, "on": {"role": "accounts"}}'
# Several for a command that prints different things. {file} is a file that the command may write.
ARGUMENTS = {
    "judge": [["--for", "1s"], ["--for", "1s", "--require", "auth", "--json", "{file}"]],
    "session list": [[], ["--json"]],
    "session new": [["counterfoil"], ["counterfoil", "--listen", "--json"]],
    "session reset": [["counterfoil"]], "session snapshot": [["counterfoil"]], "session restore": [["counterfoil"]], "session rm": [["counterfoil"], ["nobody"]],
    "fault list": [[], ["--json"]], "fault set": [[RULE]], "fault rm": [["rule-1"], ["--all"]],
    "outage list": [[], ["--json"]], "outage show": [[], ["brownout"], ["--json"]], "outage start": [["brownout", "--replace"], ["brownout", "--replace", "--json"]], "outage stop": [[]],
    "clock show": [[], ["--json"]], "clock advance": [["1s"], ["1s", "--json"]], "clock set": [["--skew", "1s"], ["--skew", "1s", "--json"]],
    "clock freeze": [[], ["--json"]], "clock run": [[], ["--json"]],
    "tokens list": [[], ["--json"]], "tokens issue": [["--login", "ava"], ["--json"]], "tokens expire": [["token#1"], ["--all"]], "tokens revoke": [["token#1"], ["--all"]],
    "tokens downscope": [["token#1", "--scope", "accounts"]],
    "journal": [[], ["--unmatched"], ["--json"], ["--har", "-"], ["--har", "{file}"]],
    "probe": [["--kinds", "close", "--limit", "1s"], ["--kinds", "status", "--limit", "1s", "--verbose"]],
}


def subcommands(text):
    """The names under the headings of subcommands in a help text."""
    return re.findall(r"^  ([a-z][a-z-]*)(?: \(default\))?(?:  |$)", text.partition("SUBCOMMANDS:\n")[2], re.M)


def found(program, path=()):
    """All commands with --admin, read from the help texts of the program."""
    # The trials of the generators shorten BOUND, and a program in Python takes a while to start on a busy machine.
    text = subprocess.run([program, *path, "--help"], capture_output=True, text=True, timeout=max(BOUND, 30)).stdout
    commands = [" ".join(path)] if re.search(r"^  --admin <", text, re.M) and path[:1] != ("serve",) else []
    return commands + [command for name in subcommands(text) for command in found(program, (*path, name))]


def look_complete(program):
    """Each command has arguments here, and nothing here is gone."""
    if odd := set(found(program)) ^ set(ARGUMENTS):
        raise Failure(f"found commands with --admin that this generator has no arguments for, or that are gone: {sorted(odd)}")
