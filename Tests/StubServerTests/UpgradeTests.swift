import BankEngine
import BankModel
import Foundation
import StubServer
import TestServer
import Testing

/// A request for another protocol is answered in this one, and so are all that follow (RFC 9110 §7.8).
@Suite struct UpgradeTests {
    private let asking = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"]

    @Test(arguments: ["/v1/clock", "/v1/document.json"]) func `the next request is answered`(path: String) async throws {
        try await withStub { stub in
            let client = try stub.client()

            for _ in 1...3 {
                await client.send(request("GET \(path)", headers: asking))
                #expect(await client.response()?.status == 200)
            }
            await client.send(request("GET \(path)"))

            #expect(await client.response()?.status == 200)
            #expect(try await stub.till.ended(4).map(\.requestOnConnection) == [1, 2, 3, 4])
        }
    }

    @Test(arguments: ["\r\nContent-Length: 2\r\n\r\n{}", "\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-End: 1\r\n\r\n"])
    func `a pipelined request behind a body is answered`(body: String) async throws {
        try await withStub { stub in
            let client = try stub.client()
            let post = "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket" + body

            await client.send(post + post + request("GET /v1/clock"))

            #expect(await client.responses(3).map { $0?.status } == [404, 404, 200])
        }
    }

    @Test func `ten megabytes behind it are read and answered`() async throws {
        try await withStub { stub in
            let client = try stub.client()
            await client.send(request("GET /v1/clock", headers: asking))
            #expect(await client.response()?.status == 200)
            let post =
                "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 1_000_000)

            // Each is answered before the next one is sent: none of it is buffered.
            for _ in 1...10 {
                await client.send(post)
                try #require(await client.response()?.status == 404)
            }
            #expect(await stub.heldHalfBytes(reach: 0))
        }
    }

    @Test func `the admin port goes on too`() async throws {
        try await withAdmin { admin in
            let head = "HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
            let (get, post) = (
                "GET /__admin/health \(head)\r\n", "POST /__admin/sessions/till/reset \(head)Content-Length: 2\r\n\r\n{}"
            )

            let responses = await admin.responses(to: [get, post, get])
            let pipelined = await admin.responses(to: [post + get, ""])

            #expect(responses.map(\.status) == [200, 204, 200])
            #expect(pipelined.map(\.status) == [204, 200])
        }
    }

    /// Many clients send the upgrade first, on a connection that is used again.
    @Test(arguments: [false, true]) func `curl asks for HTTP/2 twice on one connection`(ofAdmin: Bool) async throws {
        try await withAdmin { admin in
            let address = ofAdmin ? "http://127.0.0.1:\(admin.port)/__admin/health" : "\(admin.stub.server.address)/v1/clock"

            let curl = try await Curl(["--http2", address], url: address, saying: ["http_code", "num_connects"])

            #expect(curl.exit == 0)
            #expect(curl.written == ["200", "0"])
        }
    }

    @Test func `curl asks for HTTP/2 twice under TLS`() async throws {
        try await withSecureStub { stub, ca in
            let address = try #require(stub.server.tlsAddress) + "/v1/clock"
            let curl = try await Curl(
                ["--cacert", ca, "--http1.1", "-H", "Connection: Upgrade", "-H", "Upgrade: h2c", address], url: address,
                saying: ["http_code", "num_connects"])

            #expect(curl.exit == 0)
            #expect(curl.written == ["200", "0"])
        }
    }

    @Test(.enabled(if: Java.isThere, "there is no Java on this machine"))
    func `Java's client asks ten times on one connection`() async throws {
        try await withAdmin { admin in
            for address in ["\(admin.stub.server.address)/v1/clock", "http://127.0.0.1:\(admin.port)/__admin/health"] {
                let printed = try await Java.run(Java.tenRequests, address)

                #expect(printed == Array(repeating: "200", count: 10).joined(separator: " "))
            }
            #expect(try Set(admin.stub.till.journal().entries.map(\.connection)).count == 1)
        }
    }
}

/// Java's own client, run from one file.
private enum Java {
    private static let program = "/usr/bin/java"

    /// On macOS the program is there without a Java too: then it only shows where to get one.
    static var isThere: Bool {
        FileManager.default.isExecutableFile(atPath: program) && !FileManager.default.fileExists(atPath: "/usr/libexec/java_home")
    }

    /// Asks ten times and prints the statuses. On a busy machine a virtual machine that has just started takes half a minute for the first
    /// request: the limit is only there so that the test ends.
    static let tenRequests = """
        class Ten {
            public static void main(String[] words) throws Exception {
                var client = java.net.http.HttpClient.newHttpClient();
                var statuses = new java.util.ArrayList<String>();
                for (int i = 0; i < 10; i++) {
                    var request = java.net.http.HttpRequest.newBuilder(java.net.URI.create(words[0]))
                        .timeout(java.time.Duration.ofMinutes(10)).build();
                    statuses.add("" + client.send(request, java.net.http.HttpResponse.BodyHandlers.ofString()).statusCode());
                }
                System.out.print(String.join(" ", statuses));
            }
        }
        """

    /// - Returns: what it prints.
    static func run(_ source: String, _ word: String) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "Ten-\(UUID().uuidString).java")
        defer { try? FileManager.default.removeItem(at: file) }
        try source.write(to: file, atomically: true, encoding: .utf8)
        return String(decoding: try await FinishedProgram(program, [file.path, word]).output, as: UTF8.self)
    }
}
