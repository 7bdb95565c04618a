"""Addresses of the admin API: behind a proxy that ends TLS, below a path, redirected, and rejected."""

import contextlib
import http.server
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from unittest import mock

import counterfoil


class Proxy(http.server.BaseHTTPRequestHandler):
    """Answers every call with a version, or with a redirect, and records the path and the token."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.calls.append((self.path, self.headers["Authorization"]))
        content = self.server.content
        self.send_response(307 if self.server.elsewhere else self.server.status)
        if self.server.elsewhere:
            self.send_header("Location", self.server.elsewhere + self.path)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words):
        """Prints nothing."""


class Listener(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that does not trust the certificate ends the handshake, which is no error of the test."""


class AddressTest(unittest.TestCase):
    def proxy(self, certificate=None, elsewhere=None, status=200, content='{"banks": ["counterfoil"]}'):
        """A proxy at a free port, with TLS if it has a certificate."""
        server = Listener(("127.0.0.1", 0), Proxy)
        server.calls, server.elsewhere, server.status, server.content = [], elsewhere, status, content.encode()
        server.address = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake is in the thread of the connection.
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        return server

    def certificate(self):
        """A file with a key and its certificate for 127.0.0.1, which no authority has signed."""
        if not shutil.which("openssl"):
            self.skipTest("found no openssl, which makes the certificate")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = str(pathlib.Path(folder.name, "proxy.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=proxy", "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "keyUsage=digitalSignature,keyCertSign",
                        "-keyout", file, "-out", file], check=True, capture_output=True)
        return file

    def test_a_server_is_reached_through_tls(self):
        certificate = self.certificate()
        proxy = self.proxy(certificate)
        with mock.patch.dict(os.environ, SSL_CERT_FILE=certificate):
            server = counterfoil.connect(proxy.address + "/nodes/n%32/", token="open-sesame")
        self.assertEqual(server.admin_address, proxy.address + "/nodes/n%32")
        self.assertEqual(server.version()["banks"], ["counterfoil"])
        self.assertEqual(proxy.calls, [(f"/nodes/n%32/__admin/{call}", "Bearer open-sesame") for call in ("health", "version")])

    def test_a_certificate_that_is_not_trusted_gets_no_token(self):
        certificate = self.certificate()
        proxy = self.proxy(certificate)
        with self.assertRaisesRegex(counterfoil.UnreachableError, "no response from https://127.0.0.1:.* certificate verify failed"):
            counterfoil.connect(proxy.address, token="open-sesame")
        with mock.patch.dict(os.environ, SSL_CERT_FILE=certificate), self.assertRaisesRegex(counterfoil.UnreachableError, "localhost"):
            counterfoil.connect(proxy.address.replace("127.0.0.1", "localhost"), token="open-sesame")
        self.assertEqual(proxy.calls, [])

    def test_a_tls_handshake_is_not_waited_for_without_end(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as silent:
            with self.assertRaisesRegex(counterfoil.UnreachableError, "timed out"):
                counterfoil.connect(f"https://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2)

    def test_the_path_of_an_address_is_kept(self):
        proxy = self.proxy()
        for path, kept in {"": "", "/": "", "/nodes/n2": "/nodes/n2", "/a/../b%2Fc//": "/a/../b%2Fc"}.items():
            server = counterfoil.connect(proxy.address + path)
            self.assertEqual(server.admin_address, proxy.address + kept)
            self.assertEqual(proxy.calls.pop(), (kept + "/__admin/health", None))

    def test_no_redirect_gets_the_token(self):
        other = self.proxy()
        proxy = self.proxy(elsewhere=other.address)
        with self.assertRaises(counterfoil.AdminError) as redirected:
            counterfoil.connect(proxy.address, token="open-sesame")
        self.assertEqual(redirected.exception.status, 307)
        self.assertEqual((len(proxy.calls), other.calls), (1, []))

    def test_a_response_of_another_server_is_an_error_of_this_library(self):
        problem = '{"title": "Forbidden", "detail": "no", "errors": %s}'
        for errors in ('{"token": ["is missing"]}', "null", '"none"', "[1, null, {}]"):
            with self.assertRaises(counterfoil.AdminError) as rejected:
                counterfoil.connect(self.proxy(status=403, content=problem % errors).address)
            self.assertEqual((rejected.exception.detail, rejected.exception.details, rejected.exception.place), ("no", [], None))
        with self.assertRaises(counterfoil.AdminError) as cut:
            counterfoil.connect(self.proxy(status=502, content='{"detail').address)
        self.assertEqual((cut.exception.status, cut.exception.detail), (502, 'found no problem details, but: {"detail'))
        with self.assertRaisesRegex(counterfoil.CounterfoilError, 'GET /__admin/health: found no valid JSON, but: {"banks'):
            counterfoil.connect(self.proxy(content='{"banks').address)

    def test_an_address_that_is_none_is_rejected(self):
        for address in ("127.0.0.1:8081", "ftp://127.0.0.1", "https://", "http://127.0.0.1:x", "http://127.0.0.1:65536",
                        "http://127.0.0.1/?a=b", "http://127.0.0.1/#a", "http://127.0.0.1/a b", "http://127.0.0.1/é", "http://127.0.0.1/%zz"):
            with self.assertRaises(counterfoil.CounterfoilError) as rejected:
                counterfoil.connect(address)
            self.assertEqual(
                str(rejected.exception),
                f"found the address {address}, expected one such as http://127.0.0.1:8081, without user, query and fragment")

    def test_a_user_in_an_address_is_not_repeated(self):
        for address, shown in {"https://ava:secret@bank.example/x": "https://…@bank.example/x",
                               "http://secret@bank.example": "http://…@bank.example",
                               "ava:secret@bank.example": "…@bank.example", "http://ava:sec/ret@secret@h:1": "http://…@h:1"}.items():
            with self.assertRaisesRegex(counterfoil.CounterfoilError, f"^found the address {shown}, expected one such as ") as rejected:
                counterfoil.connect(address)
            self.assertIsNone(rejected.exception.__context__)

    def test_a_token_that_cannot_be_sent_is_not_repeated(self):
        for token in ("open-sesame\n", "open\rsesame", "open-sésame"):
            with self.assertRaisesRegex(counterfoil.CounterfoilError, "^found a line break or a character beyond ASCII in the admin token, ") as rejected:
                counterfoil.connect("http://127.0.0.1:1", token=token)
            self.assertIsNone(rejected.exception.__context__)


if __name__ == "__main__":
    unittest.main()
