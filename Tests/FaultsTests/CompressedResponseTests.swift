import BankEngine
import BankModel
import Faults
import Foundation
import StubServer
import Subprocess
import TestBanks
import TestServer
import Testing

/// Responses are compressed for requests that accept it: curl unpacks them, and receipts count what was written.
@Suite struct CompressedResponseTests {
    private static let text = #"{"text": ""# + String(repeating: "so much to say ", count: 40) + #""}"# + "\n"

    /// The bank with compression and a document that is worth it.
    private static func sources() throws -> [BankSource] {
        var files = TestFiles().replacing("till/bank.yaml", "dialect: terse", with: "dialect: terse\ncompression: [gzip, deflate]")
        files.files["till/document.json"] = text
        return [try source(files)]
    }

    private let plain = Array(CompressedResponseTests.text.utf8)

    private func document(_ accepted: String? = "gzip", _ headers: [String] = []) -> String {
        request("GET /v1/document.json", headers: headers + (accepted.map { ["Accept-Encoding: \($0)"] } ?? []))
    }

    @Test(arguments: ["--http1.1", "--http2-prior-knowledge"]) func `curl unpacks what it asked for`(wire: String) async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            let url = "\(stub.server.address)/v1/document.json"
            for coding in ["gzip", "deflate"] {
                let options = [wire, "--compressed", "-H", "Accept-Encoding: \(coding)"]
                let curl = try await Curl(options, url: url, saying: ["http_code", "size_download"])

                #expect(curl.exit == 0)
                #expect(curl.body == plain)
                let entry = try #require(await stub.till.ended(coding == "gzip" ? 1 : 2).last)
                #expect(curl.written.last == String(entry.receipt.bodyBytes))
                #expect(entry.receipt.bodyBytes < plain.count / 3)
                #expect(entry.responseHeaders.contains { $0.name == "Content-Encoding" && $0.value == coding })
                // The journal has the text: a secret would be redacted there.
                #expect(entry.responseBody == plain)
            }
        }
    }

    @Test(arguments: ContentCoding.allCases) func `Python's zlib unpacks it`(coding: ContentCoding) async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            let response = try await stub.ask(document(coding.rawValue))

            let unpacked = try await Subprocess.run(
                .name("python3"), arguments: Arguments(["-c", CompressedResponseTests.unpacking, Base64.encoded(response.body)]),
                output: .bytes(limit: 1 << 20), error: .string(limit: 1 << 16))

            #expect(unpacked.standardError == "")
            #expect(unpacked.standardOutput == plain)
        }
    }

    /// Complains of a stream that does not end where its bytes end; 47 stands for gzip or the zlib format.
    private static let unpacking = """
        from base64 import b64decode
        from sys import argv, stdout
        from zlib import decompressobj
        stream = decompressobj(47)
        stdout.buffer.write(stream.decompress(b64decode(argv[1])))
        assert stream.eof and not stream.unused_data
        """

    @Test func `the cache keeps the codings apart`() async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            let client = try stub.client()
            func ask(_ accepted: String?) async throws -> RawResponse {
                await client.send(document(accepted))
                return try #require(await client.response())
            }
            for _ in 1...3 {
                let (gzip, deflate, whole) = (try await ask("gzip"), try await ask("deflate;q=0.9, gzip;q=0.1"), try await ask(nil))

                #expect([gzip, deflate, whole].map { $0.header("Content-Encoding") } == ["gzip", "deflate", nil])
                #expect([gzip, deflate, whole].allSatisfy { $0.header("Vary") == "Accept-Encoding" })
                #expect(gzip.body == ContentCoding.gzip.coded(plain))
                #expect(deflate.body == ContentCoding.deflate.coded(plain))
                #expect(whole.body == plain)
            }
            let receipts = try await stub.till.ended(9).map(\.receipt.bodyBytes)
            let counts = [ContentCoding.gzip.coded(plain).count, ContentCoding.deflate.coded(plain).count, plain.count]
            #expect(receipts == counts + counts + counts)
        }
    }

    @Test func `a tag is weak in a coding and known in each`() async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            let (whole, coded) = (try await stub.ask(document(nil)), try await stub.ask(document("gzip")))
            let tag = try #require(whole.header("ETag"))
            #expect(coded.header("ETag") == "W/\(tag)")

            for known in [tag, "W/\(tag)"] {
                for _ in 1...2 {
                    let unchanged = try await stub.ask(document("gzip", ["If-None-Match: \(known)"]))
                    #expect(unchanged.status == 304)
                    #expect(unchanged.header("ETag") == "W/\(tag)")
                    #expect(unchanged.header("Vary") == "Accept-Encoding")
                    #expect(unchanged.header("Content-Encoding") == nil)
                    #expect(try await stub.ask(document(nil, ["If-None-Match: \(known)"])).header("ETag") == tag)
                }
            }
        }
    }

    @Test func `a HEAD's answer states the length of the coded body`() async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            let head = try await stub.ask(request("HEAD /v1/document.json", headers: ["Accept-Encoding: gzip"]))

            #expect(head.contentLength == ContentCoding.gzip.coded(plain).count)
            #expect(head.header("Content-Encoding") == "gzip")
        }
    }

    @Test func `errors are compressed and given responses are not`() async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            let rejected = try await stub.ask(request("GET /v1/accounts", headers: ["Accept-Encoding: gzip"]))
            #expect(rejected.status == 401)
            #expect(rejected.header("Content-Encoding") == "gzip")

            let body = String(repeating: "maintenance ", count: 10)
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 503, "body": "\#(body)"}}}"#))
            let given = try await stub.ask(document())
            #expect(given.text == body)
            #expect(given.header("Content-Encoding") == nil)
        }
    }

    @Test func `a bank without it never compresses`() async throws {
        try await withStub { stub in
            let response = try await stub.ask(document())

            #expect(response.header("Content-Encoding") == nil)
            #expect(response.header("Vary") == nil)
        }
    }

    @Test(arguments: [#"{"truncate": {"at": 20, "framing": "honest"}}"#, #"{"corrupt": {"json": "unclosed"}}"#])
    func `a fault of bytes meets the plain body`(fault: String) async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))

            let response = try await stub.ask(document())

            #expect(response.header("Content-Encoding") == nil)
            #expect(Array(response.body.prefix(20)) == Array(plain.prefix(20)))
            #expect(response.body != plain)
        }
    }

    @Test func `an encoded fault cuts the coded body`() async throws {
        try await withStub(CompressedResponseTests.sources()) { stub in
            let fault = #"{"fault": {"truncate": {"at": 20, "framing": "honest"}, "encoded": true}}"#
            _ = try stub.till.set(rule(fault))

            let response = try await stub.ask(document())
            #expect(response.header("Content-Encoding") == "gzip")
            #expect(response.body == Array(ContentCoding.gzip.coded(plain).prefix(20)))

            let spared = try await stub.ask(document(nil))
            #expect(spared.body == plain)
            let entries = try await stub.till.ended(2)
            #expect(entries.map { $0.fault?.applied } == [true, false])
            #expect(entries.map(\.receipt.bodyBytes) == [20, plain.count])
            #expect(entries.last?.fault?.reason?.contains("not compressed") == true)
        }
    }

    @Test func `an encoded rule is read back as it is written`() throws {
        let first = try rule(#"{"fault": {"truncate": {"at": 5}, "encoded": true, "after": "1s"}}"#)

        #expect(first.setting.isEncoded)
        #expect(try rule(first.json.text).json == first.json)
    }

    @Test(arguments: [#"{"close": {}, "encoded": true}"#, #"{"refuse": {}, "encoded": true}"#])
    func `encoded needs a body`(fault: String) throws {
        #expect(throws: (any Error).self) { try rule(#"{"fault": \#(fault)}"#) }
    }

    @Test(
        arguments: [
            #"{"how": "cut", "bytes": 2097152}"#, #"{"how": "bomb", "at": 5}"#, #"{"how": "unasked", "says": "nothing"}"#,
            #"{"how": "bomb", "bytes": 5}"#, "{}",
        ])
    func `a setting of another way is rejected`(settings: String) throws {
        #expect(throws: (any Error).self) { try rule(#"{"fault": {"gzip": \#(settings)}}"#) }
    }
}
