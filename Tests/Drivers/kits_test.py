"""The driver kits in Python, JavaScript and Java, each with the same small driver: the same lines in, the same lines out.

    python3 -m unittest discover -s Tests/Drivers -p kits_test.py
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

CLIENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients")
START = {"t": "case", "case": "c", "base_url": "http://127.0.0.1:1", "state_dir": "/tmp", "bank": "counterfoil",
         "login": {"user": "ava", "password": "correct-horse"}, "time_zone": "Pacific/Auckland"}

PYTHON = """
import asyncio
import json
import sys
sys.path.insert(0, %r)
from counterfoil_driver import Driver, Failure, Silent, Unsupported, day, major, minor
class Closed(Exception):
    pass
driver = Driver("kit 1", banks=["counterfoil"], features=["together"], open=lambda case: case,
                failure=lambda error: Failure("unavailable", "closed") if isinstance(error, Closed) else None)
@driver.operation
def login(case, step):
    print("noise")
    return {"user": step["user"], "password": step["password"]}
@driver.operation
def balance(case, step):
    return {"balance": major(minor(step["amount"], step["currency"]), step["currency"]), "as_of": day(step["at"], case.time_zone)}
@driver.operation
def accounts(case, step):
    raise Failure.of_status(int(step["status"]))
@driver.operation
def pay(case, step):
    if step["error"] == "called off":
        raise asyncio.CancelledError
    raise Failure(step["error"], "why", sent=step["sent"] == "yes", shown="hidden" not in step)
@driver.operation
def goals(case, step):
    raise Silent
@driver.operation
def atms(case, step):
    raise Unsupported
@driver.operation
def round_up(case, step):
    raise Closed
@driver.operation
def image(case, step):
    raise Closed
@driver.operation
def status(case, step):
    text = json.loads(step["json"])
    if step["as"] == "detail":
        raise Failure("decode", text)
    return {"accounts": [{"name": text}]} if step["as"] == "value" else {text: 1}
@driver.operation
def transactions(case, step):
    found = step.instant("from")
    return {"from": found and int(found.timestamp() * 1000), "to": step.instant("to")}
driver.run()
"""
JAVASCRIPT = """
import { Driver, Failure, Silent, Unsupported, day, major, minor } from %s;
new Driver('kit 1', {
  banks: ['counterfoil'], features: ['together'], open: (start) => start,
  failure: (error) => error instanceof RangeError ? new Failure('unavailable', 'closed') : undefined,
  operations: {
    login(start, { args }) { console.log('noise'); return { user: args.user, password: args.password }; },
    balance: (start, { args: { amount, currency, at } }) => ({ balance: major(minor(amount, currency), currency), as_of: day(at, start.time_zone) }),
    accounts(start, { args }) { throw Failure.ofStatus(Number(args.status)); },
    async pay(start, { args }) { if (args.error === 'called off') throw new DOMException('', 'AbortError'); throw new Failure(args.error, 'why', { sent: args.sent === 'yes', shown: !('hidden' in args) }); },
    goals() { throw new Silent(); },
    atms() { throw new Unsupported(); },
    round_up() { throw new RangeError(); },
    image() { throw new RangeError(); },
    status(start, { args }) {
      const text = JSON.parse(args.json);
      if (args.as === 'detail') throw new Failure('decode', text);
      return args.as === 'value' ? { accounts: [{ name: text }] } : { [text]: 1 };
    },
    transactions: (start, step) => ({ from: step.instant('from')?.getTime(), to: step.instant('to') ?? null }),
  },
}).run();
"""
JAVA = """
import counterfoil.driver.CounterfoilDriver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
public final class Kit {
    public static void main(String[] arguments) throws Exception {
        new CounterfoilDriver<>("kit 1", start -> start).banks("counterfoil").features("together")
            .failures(error -> error instanceof IllegalStateException ? new CounterfoilDriver.Failure("unavailable", "closed") : null)
            .on("login", (start, step) -> {
                System.out.println("noise");
                return Map.of("user", step.get("user"), "password", step.get("password"));
            })
            .on("balance", (start, step) -> Map.of(
                "balance", CounterfoilDriver.major(CounterfoilDriver.minor(step.get("amount"), step.get("currency")), step.get("currency")),
                "as_of", CounterfoilDriver.day(step.get("at"), start.timeZone())))
            .on("accounts", (start, step) -> { throw CounterfoilDriver.Failure.ofStatus(Integer.parseInt(step.get("status"))); })
            .on("pay", (start, step) -> {
                if (step.get("error").equals("called off")) throw new java.util.concurrent.CancellationException();
                var failure = new CounterfoilDriver.Failure(step.get("error"), "why", step.get("sent").equals("yes"));
                throw step.get("hidden") == null ? failure : failure.unshown();
            })
            .on("goals", (start, step) -> { throw new CounterfoilDriver.Silent(); })
            .on("atms", (start, step) -> { throw new CounterfoilDriver.Unsupported(); })
            .on("round_up", (start, step) -> { throw new IllegalStateException(); })
            .on("image", (start, step) -> { throw new IllegalStateException(); })
            .on("status", (start, step) -> {
                String text = (String) CounterfoilDriver.Json.read(step.get("json"));
                if (step.get("as").equals("detail")) throw new CounterfoilDriver.Failure("decode", text);
                return step.get("as").equals("value") ? Map.of("accounts", List.of(Map.of("name", text))) : Map.of(text, 1);
            })
            .on("transactions", (start, step) -> {
                Map<String, Object> view = new HashMap<>();
                view.put("from", step.instant("from").toEpochMilli());
                view.put("to", step.instant("to"));
                return view;
            })
            .run(arguments);
    }
}
"""

# Programs whose sign-in stores a token, prints the folder, and waits.
PYTHON_TRIAL = """
import os
import sys
import threading
sys.path.insert(0, %r)
from counterfoil_driver import Driver
driver = Driver("kit 1", open=lambda case: case)
@driver.operation
def login(case, step):
    with open(os.path.join(case.state_dir, "token"), "w") as file:
        file.write("secret")
    print(case.state_dir, file=sys.stderr, flush=True)
    threading.Event().wait(60)
driver.run()
"""

JAVASCRIPT_TRIAL = """
import { writeFileSync } from 'node:fs';
import { Driver } from %s;
new Driver('kit 1', {
  open: (start) => start,
  operations: {
    async login(start) {
      writeFileSync(`${start.state_dir}/token`, 'secret');
      console.error(start.state_dir);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    },
  },
}).run();
"""

JAVA_TRIAL = """
import counterfoil.driver.CounterfoilDriver;
import java.nio.file.Files;
import java.util.Map;
public final class Trial {
    public static void main(String[] arguments) throws Exception {
        new CounterfoilDriver<>("kit 1", start -> start)
            .on("login", (start, step) -> {
                Files.writeString(start.stateDir().resolve("token"), "secret");
                System.err.println(start.stateDir());
                new java.util.concurrent.CountDownLatch(1).await();
                return Map.of();
            })
            .run(arguments);
    }
}
"""

# Programs that read an address and print the error of the failure.
PYTHON_READER = """
import gzip
import sys
import urllib.request
sys.path.insert(0, %r)
from counterfoil_driver import Failure
try:
    with urllib.request.urlopen(sys.argv[1]) as response:
        gzip.decompress(response.read())
except Exception as error:
    print(Failure.of(error).name)
"""

JAVASCRIPT_READER = """
import { Failure } from %s;
try {
  await (await fetch(process.argv[2])).text();
} catch (error) {
  console.log(Failure.of(error)?.name);
}
"""

JAVA_READER = """
import counterfoil.driver.CounterfoilDriver.Failure;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.zip.GZIPInputStream;
public final class Reader {
    public static void main(String[] arguments) {
        HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
        try (var body = new GZIPInputStream(client.send(request, BodyHandlers.ofInputStream()).body())) {
            body.readAllBytes();
        } catch (Exception error) {
            System.out.println(Failure.of(error).name());
        }
    }
}
"""


@contextlib.contextmanager
def answering(response):
    """The address of a server that sends these bytes as the response to each request, and ends the connection."""
    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.recv(65536)
                    connection.sendall(response)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield "http://127.0.0.1:%d/" % listener.getsockname()[1]


class Kits:
    """The duties of every kit. A class for each runs its driver."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.command = cls.made(cls.folder.name)

    def answers(self, *steps, start=START):
        """The results of these steps, by their numbers; checks the lines around them."""
        lines = [{"t": "hello", "v": 1, "nonce": "n7", "later": []}, start]
        lines += [{"t": "step", "case": "c", "n": n, "op": op, "args": args} for n, (op, args) in enumerate(steps, 1)]
        lines += [{"t": "end", "case": "c"}, {"t": "bye"}]
        run = subprocess.run(
            self.command, input="".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), capture_output=True, text=True, encoding="utf-8", timeout=300, check=True)
        self.said = run.stderr
        found = [json.loads(line) for line in run.stdout.strip("\n").split("\n")]
        hello, ready, *results, ended = found
        self.assertEqual({key: hello[key] for key in ("t", "v", "nonce", "client", "banks", "features")},
                         {"t": "hello", "v": 1, "nonce": "n7", "client": "kit 1", "banks": ["counterfoil"], "features": ["together"]})
        self.assertEqual(set(hello["operations"]), {"login", "balance", "accounts", "pay", "goals", "atms", "round_up", "image", "status", "transactions"})
        self.assertEqual((ready, ended), ({"t": "ready", "case": "c"}, {"t": "ended", "case": "c"}))
        return [result for _, result in sorted((result["n"], result) for result in results)]

    def test_prints_go_to_stderr_and_a_login_has_the_customer_of_the_case(self):
        own, other = self.answers(("login", {}), ("login", {"user": "bën", "password": 'quote " \\ \u2028'}))

        self.assertEqual(own["view"], {"user": "ava", "password": "correct-horse"})
        self.assertEqual(other["view"], {"user": "bën", "password": 'quote " \\ \u2028'})
        self.assertEqual(self.said.count("noise"), 2)

    def test_amounts_and_days_are_exact(self):
        rows = [("12.3", "GBP", "2026-01-12T23:30:00Z"), ("1230", "JPY", "2026-01-12"), ("-0.005", "KWD", "2016-12-31T23:59:60+00:00")]
        found = self.answers(*(("balance", {"amount": amount, "currency": currency, "at": at}) for amount, currency, at in rows))

        self.assertEqual([result["view"]["balance"] for result in found], ["12.30", "1230", "-0.005"])
        self.assertEqual([result["view"]["as_of"] for result in found], ["2026-01-13", "2026-01-12", "2017-01-01"])

    def test_only_the_end_of_june_or_december_has_a_second_60(self):
        days = ["2016-12-31T23:59:60Z", "2015-07-01T01:59:60+02:00"]
        found = self.answers(*(("balance", {"amount": "1", "currency": "GBP", "at": at}) for at in days))
        self.assertEqual([result["view"]["as_of"] for result in found], ["2017-01-01", "2015-07-01"])
        try:
            [odd] = self.answers(("balance", {"amount": "1", "currency": "GBP", "at": "2026-01-18T10:20:60.000Z"}))
        except subprocess.CalledProcessError:  # an error of the language that the driver does not map ends it
            return
        self.assertNotIn("view", odd)

    def test_what_is_no_amount_or_no_instant_is_not_guessed(self):
        for amount, at in [("1e3", "2026-01-12"), ("+1", "2026-01-12"), (".5", "2026-01-12"), ("1", "2026-01-12T24:00:00Z"), ("1", "2026-02-30")]:
            with self.subTest(amount=amount, at=at):
                try:
                    [odd] = self.answers(("balance", {"amount": amount, "currency": "GBP", "at": at}))
                except subprocess.CalledProcessError:  # an error of the language that the driver does not map ends it
                    continue
                self.assertNotIn("view", odd)

    def test_a_status_is_the_error_of_that_name(self):
        names = {204: "decode", 302: "decode", 401: "unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict", 410: "not_found",
                 422: "rejected", 429: "rate_limited", 503: "unavailable"}
        found = self.answers(*(("accounts", {"status": str(status)}) for status in names))

        self.assertEqual([result["error"] for result in found], list(names.values()))

    def test_a_payment_is_unknown_if_a_byte_of_it_may_have_been_sent(self):
        asked = [("timeout", "yes"), ("timeout", "no"), ("unavailable", "yes"), ("conflict", "yes"), ("not_found", "yes"), ("forbidden", "yes"),
                 ("failed", "yes")]
        found = self.answers(*(("pay", {"error": error, "sent": sent}) for error, sent in asked))

        self.assertEqual([result["error"] for result in found],
                         ["outcome_unknown", "timeout", "outcome_unknown", "outcome_unknown", "rejected", "forbidden", "failed"])
        self.assertEqual(found[0]["detail"], "why")

    def test_an_error_of_the_clients_own_has_the_meaning_that_it_is_given(self):
        found = self.answers(("image", {}), ("round_up", {}))

        self.assertEqual([(result["error"], result["detail"]) for result in found], [("unavailable", "closed"), ("outcome_unknown", "closed")])

    def test_half_of_a_surrogate_pair_in_a_view_is_an_error_of_the_bank_and_no_line_has_it(self):
        half, pair = r'"caf\ud83d"', r'"caf\ud83d\ude00"'
        found = self.answers(*(("status", {"json": text, "as": place}) for text in (half, pair) for place in ("value", "name", "detail")))

        self.assertEqual([result.get("error") for result in found], ["decode", "decode", "decode", None, None, "decode"])
        self.assertEqual(found[3]["view"], {"accounts": [{"name": "caf\U0001f600"}]})
        self.assertNotIn("\ud83d", json.dumps(found, ensure_ascii=False))

    def test_an_argument_can_be_read_as_an_instant(self):
        [found] = self.answers(("transactions", {"from": "2026-01-12T09:00:00.250Z"}))

        self.assertEqual(found["view"], {"from": 1768208400250, "to": None})

    def test_a_response_that_breaks_its_protocol_is_decode_and_none_is_offline(self):
        garbled = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 21\r\n\r\nno compressed content"
        length = b"HTTP/1.1 200 OK\r\nContent-Length: three\r\n\r\nabc"
        cut = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        redirect = b"HTTP/1.1 302 Found\r\nLocation: http://[no\r\nContent-Length: 0\r\n\r\n"
        for response, name in [(b"garbage\r\n\r\n", "decode"), (b"HTTP/1.1 2x0 OK\r\n\r\n", "decode"), (garbled, "decode"), (b"", "offline"),
                               (length, "decode"), (cut, "offline"), (cut + b"9\r\n", "offline"), (redirect, "decode")]:
            with self.subTest(response=response), answering(response) as address:
                run = subprocess.run([*self.reader(self.folder.name), address], capture_output=True, text=True, timeout=300)
                self.assertEqual(run.stdout, name + "\n", run.stderr)

    def test_the_folder_of_a_trial_is_removed_before_a_signal_ends_it(self):
        signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

        def notice():
            # A shell that starts these tests in the background has SIGINT ignored.
            for number in signals:
                signal.signal(number, signal.SIG_DFL)
        command = [*self.trial(self.folder.name), "--try", "http://127.0.0.1:1/counterfoil", "login"]
        for number in signals:
            with self.subTest(signal=number), subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=notice) as run:
                self.addCleanup(run.kill)
                folder = run.stderr.readline().strip()
                self.assertEqual(os.listdir(folder), ["token"])
                run.send_signal(number)
                said, error = run.communicate(timeout=60)
                self.assertIn(run.returncode, (-number, 128 + number), error)
                self.assertEqual((said, error), ("", ""))
                self.assertFalse(os.path.exists(folder))

    def test_silence_and_what_is_not_there_are_outcomes(self):
        found = self.answers(("goals", {}), ("atms", {}), ("zzz", {}), ("toString", {}))

        self.assertEqual([result["outcome"] for result in found], ["silent", "unsupported", "unsupported", "unsupported"])

    def test_an_error_that_is_not_shown_is_silence_with_its_name(self):
        [found] = self.answers(("pay", {"error": "timeout", "sent": "yes", "hidden": "yes"}))

        self.assertEqual([found["outcome"], found["error"]], ["silent", "outcome_unknown"])

    def test_a_payment_that_was_called_off_on_its_way_is_unknown(self):
        found = self.answers(("pay", {"error": "called off", "sent": "yes"}), ("pay", {"error": "cancelled", "sent": "yes"}))

        self.assertEqual([result["error"] for result in found], ["outcome_unknown", "cancelled"])


class PythonKitTests(Kits, unittest.TestCase):
    @staticmethod
    def made(folder):
        with open(os.path.join(folder, "kit.py"), "w", encoding="utf-8") as file:
            file.write(PYTHON % os.path.join(CLIENTS, "python/src"))
        return ["python3", "-B", file.name]

    @staticmethod
    def reader(folder):
        with open(os.path.join(folder, "reader.py"), "w", encoding="utf-8") as file:
            file.write(PYTHON_READER % os.path.join(CLIENTS, "python/src"))
        return ["python3", "-B", file.name]

    @staticmethod
    def trial(folder):
        with open(os.path.join(folder, "trial.py"), "w", encoding="utf-8") as file:
            file.write(PYTHON_TRIAL % os.path.join(CLIENTS, "python/src"))
        return ["python3", "-B", file.name]

    def test_json_that_is_nested_too_deep_cannot_be_read_and_any_other_recursion_is_a_bug(self):
        code = ("import json, sys; sys.path.insert(0, %r); from counterfoil_driver import Failure\n"
                "def endless(): endless()\n"
                "for work in (lambda: json.loads('[' * 100000), endless):\n"
                "    try: work()\n"
                "    except RecursionError as error: print(getattr(Failure.of(error), 'name', None))")
        run = subprocess.run(
            ["python3", "-B", "-c", code % os.path.join(CLIENTS, "python/src")], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.stdout, "decode\nNone\n", run.stderr)

    def lines(self, code, *messages, status=0):
        """The lines of a driver with these operations in response to these messages."""
        program = "import sys; sys.path.insert(0, %r)\nfrom counterfoil_driver import Driver\ndriver = Driver('kit 1')\n%s\ndriver.run()"
        run = subprocess.run(
            ["python3", "-B", "-c", program % (os.path.join(CLIENTS, "python/src"), code)], capture_output=True, text=True, timeout=60,
            input="".join(json.dumps(message) + "\n" for message in messages))
        self.assertEqual(run.returncode, status, run.stderr)
        self.said = run.stderr
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_a_limit_of_the_standard_library_is_a_timeout_and_a_body_without_its_end_is_decode(self):
        code = ("import asyncio, concurrent.futures, gzip\n"
                "@driver.operation\ndef accounts(client, step): concurrent.futures.Future().result(0.01)\n"
                "@driver.operation\ndef balance(client, step): asyncio.run(asyncio.wait_for(asyncio.sleep(60), 0.01))\n"
                "@driver.operation\ndef atms(client, step): gzip.decompress(gzip.compress(b'x' * 100)[:20])")
        steps = [{"t": "step", "case": "c", "n": n, "op": op} for n, op in enumerate(["accounts", "balance", "atms"], 1)]
        _, *results, _ = self.lines(code, START, *steps, {"t": "end", "case": "c"})
        self.assertEqual(sorted((result["n"], result["error"]) for result in results), [(1, "timeout"), (2, "timeout"), (3, "decode")])

    def test_an_exit_in_a_step_ends_the_program_and_shows_what_it_printed(self):
        code = "@driver.operation\ndef accounts(client, step):\n  print('noise')\n  sys.exit('no more')"
        [ready] = self.lines(code, START, {"t": "step", "case": "c", "n": 1, "op": "accounts"}, {"t": "end", "case": "c"}, status=70)
        self.assertEqual(ready["t"], "ready")
        self.assertIn("SystemExit: no more", self.said)
        self.assertIn("noise", self.said)

    def test_the_end_of_a_case_does_not_keep_another_waiting(self):
        code = ("import threading; other = threading.Event()\n"
                "@driver.operation\ndef accounts(client, step): return {'waited': other.wait(30)}\n"
                "@driver.operation\ndef balance(client, step): other.set(); return {}")
        found = self.lines(
            code, START, {**START, "case": "d"}, {"t": "step", "case": "c", "n": 1, "op": "accounts"}, {"t": "end", "case": "c"},
            {"t": "step", "case": "d", "n": 1, "op": "balance"}, {"t": "bye"})
        self.assertIn({"t": "result", "case": "c", "n": 1, "outcome": "ok", "view": {"waited": True}}, found)
        self.assertEqual(found[-1], {"t": "ended", "case": "c"})

    def test_an_instant_beyond_the_years_of_python_is_a_value_error(self):
        code = ("import sys; sys.path.insert(0, %r); from zoneinfo import ZoneInfo; from counterfoil_driver import day\n"
                "try: day(sys.argv[1], ZoneInfo(sys.argv[2]))\nexcept ValueError: print('rejected')")
        for at, zone in [("0001-01-01T00:00:00+14:00", "UTC"), ("9999-12-31T23:59:59-01:00", "UTC"), ("0001-01-01T00:00:00Z", "America/New_York")]:
            with self.subTest(at=at):
                run = subprocess.run(
                    ["python3", "-B", "-c", code % os.path.join(CLIENTS, "python/src"), at, zone], capture_output=True, text=True, timeout=60)
                self.assertEqual(run.stdout, "rejected\n", run.stderr)


@unittest.skipUnless(shutil.which("node"), "found no node")
class JavaScriptKitTests(Kits, unittest.TestCase):
    @staticmethod
    def made(folder):
        with open(os.path.join(folder, "kit.mjs"), "w", encoding="utf-8") as file:
            file.write(JAVASCRIPT % json.dumps(os.path.abspath(os.path.join(CLIENTS, "js/src/counterfoil-driver.mjs"))))
        return ["node", file.name]

    @staticmethod
    def reader(folder):
        with open(os.path.join(folder, "reader.mjs"), "w", encoding="utf-8") as file:
            file.write(JAVASCRIPT_READER % json.dumps(os.path.abspath(os.path.join(CLIENTS, "js/src/counterfoil-driver.mjs"))))
        return ["node", file.name]

    def test_a_redirection_that_cannot_be_followed_is_decode(self):
        for location in (b"/", b"ftp://127.0.0.1/"):
            response = b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % location
            with self.subTest(location=location), answering(response) as address:
                run = subprocess.run([*self.reader(self.folder.name), address], capture_output=True, text=True, timeout=300)
                self.assertEqual(run.stdout, "decode\n", run.stderr)

    def test_a_body_that_is_not_in_its_coding_is_decode(self):
        for coding in (b"gzip", b"deflate", b"br"):
            body = bytes.fromhex("1b7f00f825c2a2d1004a8e3b99")
            response = b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s" % (coding, len(body), body)
            with self.subTest(coding=coding), answering(response) as address:
                run = subprocess.run([*self.reader(self.folder.name), address], capture_output=True, text=True, timeout=300)
                self.assertEqual(run.stdout, "decode\n", run.stderr)

    @staticmethod
    def trial(folder):
        with open(os.path.join(folder, "trial.mjs"), "w", encoding="utf-8") as file:
            file.write(JAVASCRIPT_TRIAL % json.dumps(os.path.abspath(os.path.join(CLIENTS, "js/src/counterfoil-driver.mjs"))))
        return ["node", file.name]


@unittest.skipUnless(shutil.which("javac"), "found no javac")
class JavaKitTests(Kits, unittest.TestCase):
    @staticmethod
    def made(folder):
        with open(os.path.join(folder, "Kit.java"), "w", encoding="utf-8") as file:
            file.write(JAVA)
        sources = os.path.join(CLIENTS, "java/src/main/java")
        subprocess.run(["javac", "-encoding", "UTF-8", "-sourcepath", sources, "-d", folder, file.name], check=True)
        return ["java", "-cp", folder, "Kit"]

    @staticmethod
    def reader(folder):
        with open(os.path.join(folder, "Reader.java"), "w", encoding="utf-8") as file:
            file.write(JAVA_READER)
        return ["java", "-cp", folder, file.name]

    @staticmethod
    def trial(folder):
        with open(os.path.join(folder, "Trial.java"), "w", encoding="utf-8") as file:
            file.write(JAVA_TRIAL)
        return ["java", "-cp", folder, file.name]

    def test_a_failure_in_the_wrapper_of_a_future_or_a_stream_is_found(self):
        code = """
            import counterfoil.driver.CounterfoilDriver.Failure;
            import java.io.UncheckedIOException;
            import java.net.http.HttpTimeoutException;
            import java.util.concurrent.CompletionException;
            import java.util.concurrent.ExecutionException;
            public final class Wrapped {
                public static void main(String[] arguments) {
                    HttpTimeoutException late = new HttpTimeoutException("late");
                    System.out.println(Failure.of(new ExecutionException(new CompletionException(late))).name());
                    System.out.println(Failure.of(new UncheckedIOException(late)).name());
                    System.out.println(Failure.of(new CompletionException(new IllegalStateException())));
                }
            }
        """
        self.assertEqual(self.printed("Wrapped", code), ["timeout", "timeout", "null"])

    def test_a_call_that_took_too_long_is_neither_an_interrupt_nor_offline(self):
        code = """
            import counterfoil.driver.CounterfoilDriver.Failure;
            import java.io.InterruptedIOException;
            import java.net.SocketTimeoutException;
            import java.nio.channels.ClosedByInterruptException;
            public final class Late {
                public static void main(String[] arguments) {
                    System.out.println(Failure.of(new InterruptedIOException("timeout")).name());
                    System.out.println(Failure.of(new SocketTimeoutException("Read timed out")).name());
                    System.out.println(Failure.of(new InterruptedIOException("interrupted")).name());
                    System.out.println(Failure.of(new ClosedByInterruptException()).name());
                }
            }
        """
        self.assertEqual(self.printed("Late", code), ["timeout", "timeout", "cancelled", "cancelled"])

    def test_a_failure_needs_no_detail_and_a_status_can_have_one(self):
        code = """
            import counterfoil.driver.CounterfoilDriver.Failure;
            public final class Details {
                public static void main(String[] arguments) {
                    System.out.println(new Failure("timeout").getMessage());
                    System.out.println(Failure.ofStatus(404).getMessage().replace(' ', '_'));
                    System.out.println(Failure.ofStatus(404, "no payee").getMessage().replace(' ', '_'));
                }
            }
        """
        self.assertEqual(self.printed("Details", code), ["timeout", "status_404", "status_404:_no_payee"])

    def test_a_value_that_json_does_not_have_is_a_bug_and_no_line_has_it(self):
        code = """
            import counterfoil.driver.CounterfoilDriver.Json;
            import java.net.URI;
            import java.util.List;
            public final class Values {
                public static void main(String[] arguments) {
                    for (Object value : new Object[] {URI.create("app:/page"), Double.NaN, new String[0], 1.5, true}) {
                        try {
                            System.out.println(Json.text(List.of(value)));
                        } catch (IllegalArgumentException error) {
                            System.out.println("rejected");
                        }
                    }
                }
            }
        """
        self.assertEqual(self.printed("Values", code), ["rejected", "rejected", "rejected", "[1.5]", "[true]"])

    def printed(self, name, code):
        """The words that a program beside the kit prints."""
        with open(os.path.join(self.folder.name, name + ".java"), "w", encoding="utf-8") as file:
            file.write(code)
        run = subprocess.run(["java", "-cp", self.folder.name, file.name], capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout.split()


if __name__ == "__main__":
    unittest.main()
