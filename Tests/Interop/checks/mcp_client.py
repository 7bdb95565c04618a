"""mcp_client PROGRAM FOLDER: drives counterfoil-mcp, started in FOLDER, as an agent does."""

import asyncio
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import counterfoil
from mcp import Client, StdioServerParameters

PROGRAM, FOLDER = sys.argv[1:]
NAMES = ("PATH", "PYTHONPATH", "HOME", "COUNTERFOIL", "COUNTERFOIL_STUBS", "COUNTERFOIL_CONTRACTS", "COUNTERFOIL_HOME")


def started(*arguments, **environment):
    """A client of a new counterfoil-mcp."""
    given = {**{name: os.environ[name] for name in NAMES if name in os.environ}, **environment}
    return Client(StdioServerParameters(command=sys.executable, args=[PROGRAM, *arguments], env=given, cwd=FOLDER), read_timeout_seconds=200)


def get(address, token):
    try:
        asked = urllib.request.Request(address + "/v1/accounts", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


class Tools:
    """The tools of a client, as methods."""

    def __init__(self, client):
        self.client = client

    async def raw(self, tool, /, **arguments):
        return await self.client.call_tool(tool, arguments)

    async def __call__(self, tool, /, **arguments):
        result = await self.raw(tool, **arguments)
        assert not result.is_error, f"{tool}: {result.content}"
        found = result.structured_content
        return found["result"] if set(found) == {"result"} else found

    async def rejected(self, tool, expected, /, **arguments):
        result = await self.raw(tool, **arguments)
        text = " ".join(part.text for part in result.content)
        assert result.is_error and expected in text, f"{tool}: found {text!r}, expected an error with {expected!r}"
        assert "sesame" not in text, text


async def session_of_a_bank():
    """Serve, inject a fault, advance the clock, read the verdict."""
    async with started() as client:
        tools = Tools(client)
        listed = (await client.list_tools()).tools
        assert len(listed) > 20 and all(tool.description for tool in listed), listed
        page = pathlib.Path(os.environ["ROOT"], "docs/agents.md").read_text()
        named = {name for row in re.findall(r"^\|.*\|(.*)\|$", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
        assert {tool.name for tool in listed} == named, f"found {named ^ {tool.name for tool in listed}} on the page or in the server alone"
        served = await tools("start_server", banks=["counterfoil"])
        assert served["admin"].startswith("http://127.0.0.1:") and served["banks"] == ["counterfoil"], served
        await tools.rejected("start_server", "a server is already running", banks=["roundup"])
        assert [bank["name"] for bank in await tools("banks")] == ["counterfoil"]

        bank = await tools("new_session", bank="counterfoil", name="agent", clock="2026-01-12T09:15:00Z")
        assert bank["id"] == "agent" and bank["labels"] == {"by": "counterfoil-mcp"}, bank
        token = (await tools("issue_token", session="agent", login="ava"))["token"]
        assert "status" in {kind["kind"] for kind in await tools("fault_kinds")}
        await tools("set_fault", session="agent", fault={"status": {"status": 503}}, on={"role": "accounts"}, times=1)
        assert [get(bank["base_url"], token) for time in range(2)] == [503, 200]
        assert [rule["fired"] for rule in await tools("faults", session="agent")] == [1]
        assert await tools("faults", session="agent", do="clear") == []

        assert (await tools("clock", session="agent", advance="16m"))["now"] == "2026-01-12T09:31:00.000Z"
        assert get(bank["base_url"], token) == 401
        verdict = await tools("verdict", session="agent", suites=["auth"], sequential=True)
        found = {rule["id"]: rule["verdict"] for rule in verdict["rules"]}
        assert found["auth.token-cleared-on-rejection"] == "pass", found
        assert get(bank["base_url"], token) == 401
        verdict = await tools("verdict", session="agent", suites=["auth"], sequential=True)
        broken = {rule["id"]: rule for rule in verdict["rules"] if rule["verdict"] == "fail"}
        assert "Exchange 4" in broken["auth.token-cleared-on-rejection"]["violations"][0]["headline"], verdict

        entries = (await tools("journal", session="agent", last=2))["entries"]
        assert [entry["status"] for entry in entries] == [401, 401], entries
        assert "curl" in str(await tools("exchange", session="agent", number=1))
        assert (await tools("ledger", session="agent"))["balanced"] is True
        assert {entry["state"] for entry in await tools("tokens", session="agent") if entry["kind"] == "access"} == {"expired"}
        assert (await tools("outage", session="agent", start="maintenance", for_="5m"))["status"]["running"]
        stopped = await tools("outage", session="agent", stop=True)
        assert stopped["status"] is None and "maintenance" in {plan["name"] for plan in stopped["outages"]}, stopped
        # A bank that lives has events; one that does not reports what it has.
        lived = await tools.raw("event", session="agent", event="payment-in", settings={"account": "ava-gbp", "amount": "5.00"})
        assert not lived.is_error or "/events" in str(lived.content), lived
        assert sorted(one["id"] for one in await tools("sessions")) == ["agent", "counterfoil"]
        await tools("end_session", session="agent")
        await tools.rejected("verdict", "there is no session agent", session="agent")
        await tools.rejected("new_session", 'found the bank "roundap", expected counterfoil', bank="roundap")
        await tools.rejected("event", "found account, expected session, event, settings", session="counterfoil", event="payment-in", account="a")
        await tools.rejected("verdict", "found the suite `auht`, expected auth, pay", session="counterfoil", suites=["auht"])
    assert await ended(served["admin"]), "found the server running still, expected it ended with counterfoil-mcp"


async def ended(admin):
    for tries in range(1200):
        try:
            await asyncio.to_thread(counterfoil.connect, admin)
        except counterfoil.UnreachableError:
            return True
        await asyncio.sleep(0.1)
    return False


HANGING = """
import json, os, pathlib, signal, sys, threading
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(__file__).with_name("running").write_text(str(os.getpid()))
hello = json.loads(sys.stdin.readline())
print(json.dumps({"t": "hello", "v": 1, "nonce": hello["nonce"], "client": "hanging 1", "operations": ["login"], "features": []}), flush=True)
threading.Event().wait()
"""


async def interrupted():
    """A signal, and the end of a time limit, leave no process behind."""
    running, file = pathlib.Path(FOLDER, "running"), pathlib.Path(FOLDER, "hanging.py")
    file.write_text(HANGING)
    # On a busy machine the test may be ended before its driver has started.
    for seconds in (3, 30, 120):
        async with started() as client:
            await Tools(client).rejected("test_driver", f"was ended after {seconds} s", driver="hanging.py", bank="counterfoil", timeout=seconds)
        if running.exists() and running.read_text():
            break
    assert await gone(int(running.read_text())), "found the driver running still after the time limit of its test"
    for sent in (signal.SIGTERM, signal.SIGINT):
        is_sent = is_stuck = False
        try:
            async with started() as client:
                tools = Tools(client)
                admin = (await tools("start_server", banks=["counterfoil"]))["admin"]
                running.unlink()
                testing = asyncio.create_task(tools.raw("test_driver", driver="hanging.py", bank="counterfoil"))
                while not running.exists():
                    assert not testing.done(), f"found the test ended before its driver ran: {testing}"
                    await asyncio.sleep(0.1)
                [server] = subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", PROGRAM], capture_output=True, text=True).stdout.split()
                os.kill(int(server), sent)
                is_sent = True
                is_stuck = not (await asyncio.wait({testing}, timeout=60))[0]
                if not is_stuck:
                    await testing
        except Exception:
            # The client's end of the broken connection; an error before the signal is one of this test.
            if not is_sent:
                raise
        assert not is_stuck, f"found counterfoil-mcp running still after signal {sent}"
        assert await ended(admin), f"found the server running still after signal {sent}"
        assert await gone(int(running.read_text())), f"found the driver running still after signal {sent}"


async def gone(process):
    for tries in range(1200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.1)
    return False


async def driver():
    """Write a driver, check it, try it, test it."""
    async with started() as client:
        tools = Tools(client)
        explained = await tools("explain_case", case="pay.key-well-formed")
        assert explained["exit_code"] == 0 and "the client signs in" in explained["output"], explained
        valid = await tools("validate", bank="counterfoil")
        assert valid["exit_code"] == 0, valid
        await tools.rejected("check_driver", "found no driver, expected the path of its file")
        await tools.rejected("check_driver", "found no file", driver="driver/driver.py")
        made = await tools("new_driver", language="python")
        assert made["exit_code"] == 0 and made["folder"] == str(pathlib.Path(FOLDER).resolve() / "driver"), made
        checked = await tools("check_driver", driver="driver/driver.py")
        assert checked["exit_code"] == 0 and "the driver is usable" in checked["output"], checked
        tried = await tools("test_driver", driver="driver/driver.py", bank="counterfoil", compare_only=True)
        assert tried["exit_code"] == 0, tried
        tested = await tools("test_driver", driver="driver/driver.py", bank="counterfoil", filter=["pay.key-well-formed"])
        assert tested["exit_code"] == 0 and "1 passed" in tested["output"], tested
        file = pathlib.Path(FOLDER, "driver/driver.py")
        text = file.read_text()
        broken = text.replace("self.payments.setdefault(", "(lambda key, new: new)(")
        assert broken != text
        file.write_text(broken)
        tested = await tools("test_driver", driver="driver/driver.py", bank="counterfoil", filter=["pay.key-well-formed"])
        assert tested["exit_code"] == 1 and "FAIL  pay.key-well-formed@counterfoil" in tested["output"], tested
        await tools.rejected("test_driver", "was ended after 0.01 s", driver="driver/driver.py", timeout=0.01)


async def boundaries():
    """No path out of the folder, no address but this machine's, no secret in a message."""
    pathlib.Path(FOLDER, "out").symlink_to("/etc")
    outside = pathlib.Path(FOLDER).parent / "elsewhere"
    outside.mkdir()
    async with started() as client:
        tools = Tools(client)
        for path in ("/etc", "../elsewhere", "out", "~"):
            await tools.rejected("validate", "to use another folder, start counterfoil-mcp with --allow FOLDER", stubs=path)
            await tools.rejected("start_server", "--allow FOLDER", stubs=path)
            await tools.rejected("new_driver", "--allow FOLDER", language="python", folder=path + "/driver")
        await tools.rejected("check_driver", "--allow FOLDER", driver="/bin/true")
        for tool, argument in (("validate", "stubs"), ("explain_case", "case")):
            await tools.rejected(tool, "null byte", **{argument: "a\0b"})
        await tools.rejected("end_session", "found an empty name", session="")
        # Nothing but a name is a bank, and nothing becomes an option of the program.
        for bank in ("--stubs=/etc", "../../etc", "-h"):
            await tools.rejected("validate", "expected a name", bank=bank)
        written = outside / "report.html"
        for bank in ("--stubs=/etc", "../../etc", f"--ready-file={written}", "--host=0.0.0.0", "--admin-token=a"):
            await tools.rejected("start_server", "expected a name", banks=["counterfoil", bank])
        assert (await tools("explain_case", case=f"--html={written}"))["exit_code"] == 2 and not written.exists()
        await tools.rejected("test_driver", "--allow FOLDER", driver="out/passwd")
    async with started("--allow", str(outside), "--client", "true") as client:
        tools = Tools(client)
        assert (await tools("new_driver", language="python", folder=str(outside / "driver")))["exit_code"] == 0
        assert (await tools("check_driver"))["exit_code"] == 3
    for address in ("http://192.0.2.1:8081", "http://bank.example:8081", "http://127.0.0.1.example:8081"):
        async with started(COUNTERFOIL_ADMIN=address) as client:
            await Tools(client).rejected("banks", f"found {address} in COUNTERFOIL_ADMIN, expected an address of this machine")
    with counterfoil.serve("counterfoil", admin_token="open-sesame") as server:
        async with started(COUNTERFOIL_ADMIN=server.admin_address, COUNTERFOIL_ADMIN_TOKEN="wrong-sesame") as client:
            await Tools(client).rejected("banks", "401")
        async with started(COUNTERFOIL_ADMIN=server.admin_address, COUNTERFOIL_ADMIN_TOKEN="open-sesame") as client:
            assert [bank["name"] for bank in await Tools(client)("banks")] == ["counterfoil"]
    async with started(COUNTERFOIL="/no/counterfoil") as client:
        await Tools(client).rejected("banks", "cannot run /no/counterfoil: No such file")
        await Tools(client).rejected("validate", "cannot run /no/counterfoil: No such file")


async def main():
    for part in (session_of_a_bank, driver, interrupted, boundaries):
        await part()
        print("✔", part.__doc__.split("\n")[0])


asyncio.run(main())
