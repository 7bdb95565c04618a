"""What the pytest plugin does, in runs of pytest of their own (pytester). COUNTERFOIL and COUNTERFOIL_STUBS name the program and its banks."""

import fnmatch
import os
import pathlib
import re

import counterfoil
import pytest

APP = '''
import threading, urllib.error, urllib.request

def ask(bank, token=None, path="/v1/accounts"):
    """The app under test: one request; returns its status."""
    headers = {"Authorization": "Bearer " + token} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(bank.base_url + path, headers=headers), timeout=20) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return None
'''


#: The plugins of other checks' tools take seconds to load.
OPTIONS = "-p no:cacheprovider -p no:schemathesis -p no:hypothesispytest -p no:pact -p no:anyio"


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs pytest on a file of tests, with the app above in front of them, and prints the same on a developer's machine and in CI."""
    for name in ("CI", "BUILD_NUMBER"):  # pytest repeats whole messages in its summary if one of these is set
        monkeypatch.delenv(name, raising=False)
    pytester.makefile(".ini", pytest=f"[pytest]\naddopts = {OPTIONS}\n")

    def run(tests, *arguments):
        pytester.makepyfile(test_app=APP + tests)
        return pytester.runpytest_subprocess(*arguments)

    return run


def test_the_settings_of_pytest_choose_the_banks_and_the_options_of_the_server(run):
    result = run('''
def test_a_page_of_another_address_may_call_the_bank(bank, counterfoil_server):
    assert [session["id"] for session in counterfoil_server.sessions() if session["id"] != bank.id] == ["counterfoil"]
    preflight = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "GET"}
    with urllib.request.urlopen(urllib.request.Request(bank.base_url + "/v1/accounts", headers=preflight, method="OPTIONS")) as response:
        assert response.headers["Access-Control-Allow-Origin"] == "http://localhost:3000"
''', "-o", "counterfoil_banks=counterfoil", "-o", "counterfoil_arguments=--cors http://localhost:3000")
    result.assert_outcomes(passed=1)


@pytest.fixture
def server():
    with counterfoil.serve("counterfoil", "roundup") as server:
        yield server


def output(result):
    return result.stdout.str() + result.stderr.str()


def test_each_test_has_a_session_that_is_named_and_labelled_after_it_and_removed(run, server, monkeypatch):
    monkeypatch.setenv("COUNTERFOIL_ADMIN", server.admin_address)
    result = run('''
import pytest
@pytest.mark.parametrize("currency", ["EUR", "GBP"])
def test_one(bank, currency, counterfoil_server):
    assert bank.info()["labels"] == {"test": f"test_app.py::test_one-{currency}-"}
    assert bank.id.startswith(f"test-app-py-test-one-{currency.lower()}-"), bank.id
    assert bank.bank == "counterfoil" and len(counterfoil_server.sessions()) == 3

@pytest.mark.bank("roundup", clock="2026-01-12T09:15:00Z", seed=9)
def test_two(bank):
    assert (bank.bank, bank.seed, bank.clock.show()["mode"]) == ("roundup", 9, "frozen")
''', "--strict-markers", "-W", "error")
    result.assert_outcomes(passed=3)
    assert [session["id"] for session in server.sessions()] == ["counterfoil", "roundup"]


def test_the_run_starts_a_server_and_ends_it(run):
    result = run('''
def test_it(bank, counterfoil_server):
    print("pid", counterfoil_server.pid)
    assert ask(bank, bank.tokens.issue()["token"]) == 200
''', "-s")
    result.assert_outcomes(passed=1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(re.search(r"pid (\d+)", output(result))[1]), 0)


JUDGED = '''
import pytest
@pytest.mark.judged("auth", sequential=True)
def test_a_rejected_token_is_forgotten(bank):
    token = bank.tokens.issue()["token"]
    assert ask(bank, token) == 200
    bank.tokens.revoke()
    assert [ask(bank, token) for time in range(TIMES)] == [401] * TIMES
'''


def test_a_judged_test_passes_if_the_app_keeps_the_rules(run):
    run(JUDGED.replace("TIMES", "1")).assert_outcomes(passed=1)


def test_a_judged_test_fails_with_the_verdict(run):
    result = run(JUDGED.replace("TIMES", "2"))
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines([
        r"test_app.py::test_a_rejected_token_is_forgotten: auth.token-cleared-on-rejection",
        r"  Exchange 3 \(GET /v1/accounts\) sent token#1 again .*", r"  why: .*", r"-+ Counterfoil session test-app.*, seed \d+ -+",
        r"#3 GET /v1/accounts → 401"])
    assert output(result).count("auth.token-cleared-on-rejection") == 1 and "During handling" not in output(result)


def test_a_judged_test_without_requests_fails(run):
    result = run('''
import pytest
@pytest.mark.judged("pay")
def test_nothing(bank):
    pass
''')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_app.py::test_nothing: found no rule of pay exercised in 0 requests*"])


def test_a_test_that_fails_is_not_judged_and_shows_its_requests(run):
    result = run('''
import pytest
@pytest.mark.judged("pay")
def test_fails(bank):
    assert ask(bank) == 200
''')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 401 == 200*", "*#1 GET /v1/accounts → 401"])
    assert "found no rule of" not in output(result)


def test_a_test_that_fails_names_the_operation_nearest_to_a_request(run):
    result = run('''
def test_fails(bank):
    assert ask(bank, path="/v1/acounts") == 200
''')
    result.stdout.fnmatch_lines([
        "#1 GET /v1/acounts → 404",
        "#1 matched no operation of the bank; the nearest is GET /v1/accounts: path: found `acounts`, expected `accounts`"])


def test_an_unknown_suite_is_named_before_the_test_runs(run):
    result = run('''
import pytest
@pytest.mark.judged("auht")
def test_typo(bank):
    print("it ran")
''')
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_app.py::test_typo: the marker `judged`: found the suite `auht`, expected auth, pay, *did you mean `auth`?"])
    assert "it ran" not in output(result) and "During handling" not in output(result)


@pytest.mark.parametrize("words, found", [('["auth"]', "['auth']"), ('suites=["auth"]', "suites=")], ids=["a-list", "an-unknown-keyword"])
def test_words_of_the_marker_that_it_does_not_know_are_named_before_the_test_runs(run, words, found):
    result = run(f'''
import pytest
@pytest.mark.judged({words})
def test_typo(bank):
    print("it ran")
''')
    result.assert_outcomes(errors=1)
    assert f"test_app.py::test_typo: the marker `judged`: found {found}, expected " in output(result), output(result)
    assert "it ran" not in output(result) and "Traceback" not in output(result)


def test_the_marker_without_the_fixture_is_named(run):
    result = run('''
import pytest
@pytest.mark.judged("auth")
def test_alone():
    pass
''')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_app.py::test_alone: found the marker `judged` without the fixture `bank`*add `bank` to the test's arguments*"])


HELD = '''
import pytest
def hold(bank):
    bank.faults.set({"delay": {"at_point": "head", "until": "released"}}, on={"role": "atms"})
    threading.Thread(target=lambda: ask(bank, path="/v1/atms"), daemon=True).start()
    bank.journal.wait_for_exchange(role="atms")
    assert ask(bank, bank.tokens.issue()["token"]) == 200
'''


def test_a_judged_test_that_ends_while_requests_are_under_way_fails(run):
    result = run(HELD + '''
@pytest.mark.judged("auth", timeout=0.2)
def test_held(bank):
    hold(bank)
''')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*test_app.py::test_held ended while one request was in progress:", "*#1 GET /v1/atms → 200, in progress",
        "*Wait for the app's requests before the test ends (join its threads)*bank.faults.release()*"])


def test_another_test_that_ends_while_requests_are_under_way_warns(run):
    result = run(HELD + '''
def test_held(bank):
    hold(bank)
''')
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*BankWarning: test_app.py::test_held ended while one request was in progress:"])


def test_a_test_may_remove_its_session(run):
    run("def test_removed(bank):\n    bank.remove()\n", "-W", "error::UserWarning").assert_outcomes(passed=1)


def test_a_judged_test_waits_for_the_end_of_its_requests(run):
    result = run(HELD + '''
@pytest.mark.judged("auth")
def test_held(bank):
    hold(bank)
    threading.Timer(0.5, bank.faults.release).start()
''', "-W", "error::UserWarning")
    result.assert_outcomes(passed=1)


def test_workers_of_xdist_share_one_server_and_nothing_else(run, server, monkeypatch):
    monkeypatch.setenv("COUNTERFOIL_ADMIN", server.admin_address)
    result = run('''
import pytest
@pytest.mark.judged("auth")
@pytest.mark.parametrize("number", range(1, 9))
def test_parallel(bank, number):
    token = bank.tokens.issue()["token"]
    bank.faults.set({"status": {"status": 503}}, on={"role": "accounts"}, times=number)
    assert [ask(bank, token) for time in range(number + 1)] == [503] * number + [200]
    assert len(bank.journal.exchanges()) == number + 1
''', "-n", "2", "-W", "error::UserWarning")
    result.assert_outcomes(passed=8)
    assert len(server.sessions()) == 2


def test_each_worker_starts_its_own_server(run):
    result = run('''
import pathlib, pytest
@pytest.mark.parametrize("number", range(4))
def test_parallel(bank, counterfoil_server, number, worker_id):
    pathlib.Path(f"{worker_id}.{counterfoil_server.pid}.pid").touch()
    assert ask(bank, bank.tokens.issue()["token"]) == 200
''', "-n", "2", "--dist", "each")
    result.assert_outcomes(passed=8)
    workers = dict(path.name.split(".")[:2] for path in pathlib.Path().glob("*.pid"))
    assert sorted(workers) == ["gw0", "gw1"] and len(set(workers.values())) == 2, workers


def test_the_same_test_of_two_runs_on_one_server_says_so_and_works(run, server, monkeypatch):
    monkeypatch.setenv("COUNTERFOIL_ADMIN", server.admin_address)
    other = server.new_session("roundup", name=counterfoil.session_name("test_app.py::test_twice"))
    result = run('''
def test_twice(bank):
    assert bank.bank == "counterfoil" and ask(bank, bank.tokens.issue()["token"]) == 200
''')
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines([f"*test_app.py::test_twice: the server at {server.admin_address} already has the session {other.id}: *session rm {other.id}*"])
    assert other.info()["bank"] == "roundup" and len(server.sessions()) == 3


def test_a_server_that_dies_is_named_with_the_test(run):
    result = run('''
import os, signal
def test_before(bank):
    pass

def test_dies(bank, counterfoil_server):
    os.kill(counterfoil_server.pid, signal.SIGKILL)
    bank.ledger()

def test_later(bank):
    pass
''')
    result.assert_outcomes(passed=1, failed=1, errors=2)
    result.stdout.fnmatch_lines(["*test_app.py::test_dies: the server of this run ended during this test, with status -9; every later test*"])
    result.stdout.fnmatch_lines(["*test_app.py::test_later: the server of this run ended during test_app.py::test_dies, with status -9*"])


def test_a_server_that_ends_during_a_judged_test_is_not_looked_for_at_an_address(run):
    result = run('''
import pytest
@pytest.mark.judged("auth")
def test_ends(bank):
    bank._admin.post("shutdown")
''')
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["*test_app.py::test_ends: the server of this run ended during this test, with status 0; every later test*"])
    assert "COUNTERFOIL_ADMIN" not in output(result)


def test_an_interrupt_that_ends_the_server_too_is_no_error(run):
    result = run('''
def test_interrupted(bank, counterfoil_server):
    counterfoil_server.shutdown()
    assert counterfoil_server.wait() == 0
    raise KeyboardInterrupt
''')
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "Error" not in output(result) and "the server of this run" not in output(result)


def test_a_server_by_address_that_dies_is_named_with_the_test(run, server, monkeypatch):
    monkeypatch.setenv("COUNTERFOIL_ADMIN", server.admin_address)
    result = run('''
def test_dies(bank, counterfoil_server):
    counterfoil_server.shutdown()
''')
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.re_match_lines(["test_app.py::test_dies: .*no response from .*", "Check that the server at COUNTERFOIL_ADMIN is running.*"])


@pytest.mark.parametrize("variable, value, expected", [
    ("COUNTERFOIL", "/no/counterfoil", "cannot run /no/counterfoil: No such file*Put the program `counterfoil` on the path, or its path in COUNTERFOIL, or *"),
    ("PATH", "/no", "cannot run counterfoil: No such file*Put the program `counterfoil` on the path, or its path in COUNTERFOIL, or *"),
    ("COUNTERFOIL_ADMIN", "http://127.0.0.1:1", "no response from http://127.0.0.1:1*Start a server at the address in COUNTERFOIL_ADMIN, or unset it*"),
])
def test_without_a_server_each_test_says_what_to_do(run, monkeypatch, variable, value, expected):
    if variable == "PATH":
        monkeypatch.delenv("COUNTERFOIL")
    monkeypatch.setenv(variable, value)
    result = run('''
def test_one(bank):
    pass

def test_two(bank):
    pass
''')
    result.assert_outcomes(errors=2)
    text = " ".join(output(result).split())
    assert "During handling" not in text
    for test in ("one", "two"):
        assert fnmatch.fnmatch(text, f"*test_app.py::test_{test}: no Counterfoil server: *{expected}"), text


def test_a_program_that_finds_no_banks_is_not_said_to_be_missing(run, monkeypatch):
    monkeypatch.setenv("COUNTERFOIL_STUBS", "no-such-folder")
    result = run("def test_one(bank):\n    pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_app.py::test_one: no Counterfoil server: *it ended with status 2*", "*Correct what the program's output lists.*COUNTERFOIL_STUBS*"])
    assert "Put the program" not in output(result)


def test_no_message_holds_the_token(run, monkeypatch):
    with counterfoil.serve("counterfoil", admin_token="open-sesame") as server:
        monkeypatch.setenv("COUNTERFOIL_ADMIN", server.admin_address)
        tests = '''
def test_it(bank):
    assert not bank
'''
        monkeypatch.setenv("COUNTERFOIL_ADMIN_TOKEN", "wrong-sesame")
        rejected = run(tests)
        monkeypatch.setenv("COUNTERFOIL_ADMIN_TOKEN", "open-sesame")
        taken = run(tests)
    rejected.assert_outcomes(errors=1)
    rejected.stdout.fnmatch_lines(["*test_app.py::test_it: no Counterfoil server: *401*", "*COUNTERFOIL_ADMIN_TOKEN must contain the server's admin token."])
    taken.assert_outcomes(failed=1)
    assert "sesame" not in output(rejected) + output(taken)


def test_an_unknown_bank_is_named(run):
    result = run('''
def test_it(bank):
    pass
''', "-o", "counterfoil_bank=roundap")
    result.assert_outcomes(errors=1)
    result.stdout.re_match_lines([r'.*test_app.py::test_it: .*found the bank "roundap", expected berlin, bins, .*', r".*`counterfoil_bank`.*"])


SHOP = '''
import json, urllib.request

def pay(address, token):
    for attempt in range(2):
        request = urllib.request.Request(address + "/v1/payments", method="POST", headers={{
            "Authorization": "Bearer " + token, "Content-Type": "application/json", "Idempotency-Key": {key}}},
            data=json.dumps({{"from": "ava-gbp", "to": "payee-lark", "amount": {{"amount": "5.00", "currency": "GBP"}}}}).encode())
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                return response.status
        except OSError:
            continue
'''


@pytest.mark.parametrize("key, passed", [('"order-0001"', 1), ('f"order-{attempt:04}"', 0)], ids=["one-key", "a-key-for-each-attempt"])
def test_the_test_of_the_page_steering_passes_for_a_client_that_retries_with_one_key_alone(pytester, key, passed):
    page = pathlib.Path(os.environ["ROOT"], "docs/steering.md").read_text()
    block = re.search(r"## With a test runner\n.*?```py\n(.*?)```", page, re.DOTALL)[1]
    pytester.makepyfile(shop=SHOP.format(key=key), test_shop=block)
    result = pytester.runpytest_subprocess(*OPTIONS.split(), "--strict-markers")
    result.assert_outcomes(passed=passed, failed=1 - passed)
