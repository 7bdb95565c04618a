import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import counterfoil
from bank import PROGRAM, STUBS, request, serve


class ServerTest(unittest.TestCase):
    def test_a_server_is_started_serves_and_is_stopped(self):
        with serve("counterfoil", "roundup") as server:
            self.assertEqual(server.seed, 7)
            self.assertEqual(server.version()["banks"], ["counterfoil", "roundup"])
            self.assertEqual(request(server.bank_addresses["counterfoil"] + "/v1/atms"), 200)
            self.assertIsNone(server.exit_status)
        self.assertEqual(server.exit_status, 0)
        server.stop()
        with self.assertRaises(counterfoil.UnreachableError):
            server.version()

    def test_a_server_ends_while_it_holds_a_request(self):
        with serve("counterfoil") as server:
            bank = server.session()
            bank.faults.set("hang")
            hanging = subprocess.Popen([sys.executable, "-c", f"import urllib.request as r; r.urlopen('{bank.base_url}/v1/atms')"],
                                       stderr=subprocess.DEVNULL)
            self.addCleanup(hanging.wait)
            bank.journal.wait_for_exchange(path="/v1/atms")
        self.assertEqual(server.exit_status, 0)

    def test_a_server_that_does_not_start_says_why(self):
        with self.assertRaisesRegex(counterfoil.StartError, "roundap"):
            serve("roundap")
        with self.assertRaisesRegex(counterfoil.StartError, "cannot run /no/counterfoil: No such file"):
            serve(program="/no/counterfoil")

    def test_the_error_of_a_start_has_no_admin_token(self):
        for arguments in (["--admin-token", "open-sesame"], ["--admin-token=open-sesame"]):
            with self.assertRaisesRegex(counterfoil.StartError, r"--admin-token[ =]\*\*\* --drain 1s: ") as raised:
                serve("roundap", arguments=[*arguments, "--drain", "1s"], admin_token="open-sesame")
            self.assertNotIn("open-sesame", str(raised.exception))

    def test_a_server_that_is_never_ready_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "silent")
            program.write_text('#!/bin/sh\necho $$ >"$0.pid"\nexec tail -f /dev/null\n')
            program.chmod(0o755)
            started = pathlib.Path(f"{program}.pid")
            # On a busy machine the program may be ended before its first line.
            for seconds in (0.5, 10, 120):
                with self.assertRaisesRegex(counterfoil.StartError, f"found no ready line after {seconds} s"):
                    serve(program=str(program), timeout=seconds)
                if started.exists() and started.read_text():
                    break
            with self.assertRaises(ProcessLookupError):
                os.kill(int(started.read_text()), 0)

    def test_a_server_outlives_no_script_that_forgets_it(self):
        script = f"import counterfoil\nserver = counterfoil.serve('counterfoil', program={PROGRAM!r}, stubs={STUBS!r})\nprint(server.pid)"
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(ended.stdout), 0)

    def test_a_server_outlives_no_script_that_is_ended(self):
        script = (f"import counterfoil, sys\nserver = counterfoil.serve('counterfoil', program={PROGRAM!r}, stubs={STUBS!r})\n"
                  "print(server.bank_address, flush=True)\nsys.stdin.read()")
        for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(sent=sent), subprocess.Popen(
                [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            ) as runner:
                host, _, port = runner.stdout.readline().strip().removeprefix("http://").partition("/")[0].partition(":")
                with socket.create_connection((host, int(port)), timeout=300) as connection:
                    runner.send_signal(sent)
                    # The server's end closes the connection.
                    self.assertEqual(connection.recv(1), b"")
                self.assertEqual(runner.wait(300), -sent)

    def test_a_handler_of_the_programs_own_stays(self):
        own = signal.signal(signal.SIGTERM, lambda *_: None)
        self.addCleanup(signal.signal, signal.SIGTERM, own)
        handler = signal.getsignal(signal.SIGTERM)
        with serve("counterfoil"):
            self.assertIs(signal.getsignal(signal.SIGTERM), handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with serve("counterfoil"):
            self.assertNotEqual(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)
        self.assertEqual(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)

    def test_a_running_server_is_found_by_the_environment(self):
        with serve("counterfoil", admin_token="open-sesame") as server:
            there = {"COUNTERFOIL_ADMIN": server.admin_address, "COUNTERFOIL_ADMIN_TOKEN": "open-sesame"}
            with mock.patch.dict(os.environ, there):
                other = counterfoil.connect()
            self.assertEqual(other.session("counterfoil").bank, "counterfoil")
            with self.assertRaises(counterfoil.AdminError) as rejected:
                counterfoil.connect(server.admin_address, token="wrong")
            self.assertEqual(rejected.exception.status, 401)
            other.shutdown()

    def test_a_server_that_does_not_run_is_named(self):
        with self.assertRaisesRegex(counterfoil.UnreachableError, "GET /__admin/health: no response from http://127.0.0.1:1"):
            counterfoil.connect("http://127.0.0.1:1")

    def test_another_server_is_distinguished(self):
        with serve("roundup") as server, self.assertRaisesRegex(counterfoil.AdminError, "found no problem details, but: ") as wrong:
            counterfoil.connect(server.bank_address)
        self.assertEqual((wrong.exception.status, wrong.exception.title), (404, "Not Found"))

    def test_the_server_lists_what_it_has(self):
        with serve("counterfoil", "roundup") as server:
            self.assertEqual([bank["name"] for bank in server.banks()], ["counterfoil", "roundup"])
            self.assertIn("lose-reply", [kind["kind"] for kind in server.fault_kinds()])
            self.assertIn("maintenance", [outage["name"] for outage in server.outages()])
            self.assertEqual([session["id"] for session in server.sessions()], ["counterfoil", "roundup"])
            self.assertIn("counterfoil_exchanges_total", server.metrics())
            self.assertEqual(server.session().id, "counterfoil")


if __name__ == "__main__":
    unittest.main()
