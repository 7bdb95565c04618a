import BankEngine
import BankModel
import Foundation
import StubServer
import TestServer
import Testing

/// The command of an exchange, run by a shell: the bank receives the same request again.
@Suite struct CurlLineTests {
    /// Bodies that a shell or curl could misinterpret.
    static let bodies: [[UInt8]] =
        [
            "@/etc/passwd", "@-", "@", "it's \"here\" $HOME `id` \\ ! #", "one\ntwo\r\nthree\n", "-d x", "--next", "%s %d %% \\n \\0",
            "a=b&c=<d>",
            "\u{1B}[2J\tx\u{7}", "\u{202E}é\u{1F511}", "{\"a\": [1, 2]}", " ", "\n",
        ].map { Array($0.utf8) } + [[0], [0x61, 0, 0x31, 0x32, 0xFF, 0xFE, 0x80, 0x25, 0x27, 0x5C], Array(0...255)]

    @Test(arguments: bodies)
    func `the body is sent again byte for byte`(_ body: [UInt8]) async throws {
        try await compare { client in
            let head = ["POST /v1/nothing HTTP/1.1", "Host: bank", "Content-Type: text/plain", "Content-Length: \(body.count)"]
            await client.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        }
    }

    static let requests = [
        request("GET /v1/clock?a=[1-3]&b={x,y}&c=$x'\"`;|"), request("GET /v1/../v1/./clock/.."),
        request("GET /v1//clock?x=@/etc/passwd"),
        request("HEAD /v1/clock?a=1"), request("OPTIONS /v1/clock"), request("DELETE /v1/clock", headers: ["Accept: a/b"], body: "@x"),
        request("GET /v1/clock", body: "a body of a GET"),
        request("PATCH /v1/clock", headers: ["Content-Type: a/b", "User-Agent: me"], body: "@/etc/hostname"),
        request(
            "GET /v1/clock",
            headers: [
                "X-At: @/etc/passwd", "X-Quote: it's \"$HOME\" `id` \\", "X-Empty:", "X-Two: 1", "X-Two: 2", "X-End: a;", "Accept:",
            ]),
    ]

    @Test(arguments: requests)
    func `the request is sent again as it was`(_ text: String) async throws {
        try await compare(isHead: text.hasPrefix("HEAD")) { client in await client.send(text) }
    }

    @Test func `a token is the shell's variable`() async throws {
        try await compare(token: { try $0.token() }) { client, token in await client.send(payment("1.00", key: "it's", token: token)) }
    }

    @Test func `parts missing in the command are reported`() async throws {
        try await withAdmin { admin in
            let token = try admin.stub.token()
            _ = try await admin.stub.ask(
                request(
                    "GET /v1/clock?password=x&n=\(token)",
                    headers: ["Cookie: a=b", "X-Auth-Token: \(token)", "X-Odd: \u{202E}x", "Authorization: Basic YTpi"]))
            _ = try await admin.stub.till.ended(1)

            let curl = try #require(try await admin.call("GET /sessions/till/journal/1").json["curl"])

            #expect(
                curl["left_out"]?.array?.compactMap(\.string)
                    == ["Cookie", "X-Auth-Token", "X-Odd", "Authorization", "the secrets in the address"])
        }
    }

    private func compare(isHead: Bool = false, _ send: (RawClient) async -> Void) async throws {
        try await compare(isHead: isHead, token: { _ in "" }) { client, _ in await send(client) }
    }

    /// Sends a request, runs the command from the journal, and compares the two requests.
    private func compare(isHead: Bool = false, token: (Stub) throws -> String, _ send: (RawClient, String) async -> Void) async throws {
        try await withAdmin { admin in
            let (client, token) = (try admin.stub.client(), try token(admin.stub))
            await send(client, token)
            _ = try #require(await client.response(isHead: isHead))
            _ = try await admin.stub.till.ended(1)
            let curl = try #require(try await admin.call("GET /sessions/till/journal/1").json["curl"])
            let line = try #require(curl["line"]?.string)
            #expect(curl["left_out"]?.array?.isEmpty == true, "\(line)")
            #expect(!line.unicodeScalars.contains { $0.isControl && $0 != "\n" }, "\(line)")

            try await run("set -- ; token='\(token)'\n\(line)")

            let entries = try await admin.stub.till.ended(2)
            try #require(entries.count == 2, "\(line)")
            let (first, again) = (entries[0], entries[1])
            #expect(again.method == first.method, "\(line)")
            #expect(again.path == first.path, "\(line)")
            #expect(again.query == first.query, "\(line)")
            #expect(again.bodySHA256 == first.bodySHA256, "\(line)")
            #expect(again.bodyBytes == first.bodyBytes, "\(line)")
            #expect(sent(again) == sent(first), "\(line)")
            #expect(again.token == first.token)
        }
    }

    /// Headers that are neither curl's own nor a connection's.
    private func sent(_ entry: JournalEntry) -> [JournalEntry.Header] {
        entry.requestHeaders.filter { !["host", "content-length", "connection"].contains($0.name.lowercased()) }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }

    private func run(_ script: String) async throws {
        _ = try await FinishedProgram("/bin/sh", ["-c", script])
    }
}
