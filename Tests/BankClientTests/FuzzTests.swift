import BankModel
import Foundation
import Testing

@testable import BankClient

/// Any bytes from a server become an answer or a ``ClientFailure``: never a crash, never an endless loop.
///
/// Most bytes are parsed as libcurl's are: lines of the head, pieces of the body, the validation of the whole, then the
/// bank's adapter. Every 17th mutant goes through a socket and libcurl itself.
/// `COUNTERFOIL_SOAK=1` in the environment makes 10,000 mutants 100,000.
@Suite(.timeLimit(.minutes(10)))
struct FuzzTests {
    @Test func `the answers that are mutated are right ones`() async throws {
        for seed in FuzzSeed.all {
            #expect(try await FuzzTests.read(seed.bytes, as: seed) == nil, "\(seed.bank): \(seed.body)")
        }
    }

    @Test(arguments: FuzzSeed.all.indices)
    func `a damaged document of the corpus is decode to every call`(_ index: Int) async throws {
        let seed = FuzzSeed.all[index]
        let documents = try FuzzTests.corpus()
        #expect(documents.count > 50)

        for (name, body) in documents {
            let failure = try await FuzzTests.read(FuzzSeed.answer(status: seed.status, body), as: seed)
            // The outcome of a payment that may have been made is unknown, whatever is unreadable in its answer.
            #expect(failure == .decode || failure == .outcomeUnknown, "\(name) to \(seed.bank)")
        }
    }

    @Test func `mutants of right answers end as answers or failures`() async throws {
        try await SocketServer.serving(.raw("", .fin)) { server in
            try await mutants(through: Wire(server: server, transport: transport(Wire.limits)))
        }
    }

    private func mutants(through wire: Wire) async throws {
        let count = CancellingTests.isSoak ? 100_000 : 10_000
        var random = SeededGenerator(seed: 5)
        var (answers, answersByWire) = (0, 0)
        var failures: [ClientError: Int] = [:]
        let damaged = try FuzzTests.corpus().map(\.body)

        for number in 0..<count {
            let seed = FuzzSeed.all[number % FuzzSeed.all.count]
            var bytes: [UInt8]
            switch number % 3 {
            // The length is correct again, so that the adapters get the body.
            case 0: bytes = FuzzSeed.answer(status: seed.status, FuzzTests.mutant(Array(seed.body.utf8), &random))
            case 1: bytes = FuzzTests.mutant(seed.bytes, &random)
            default:
                let body = damaged.randomElement(using: &random) ?? []
                bytes = FuzzSeed.answer(status: seed.status, FuzzTests.mutant(body, &random))
            }
            if number.isMultiple(of: 50) { bytes = FuzzTests.mutant(bytes, &random) }
            let isByWire = number.isMultiple(of: 17)
            let received = isByWire ? await wire.receive(bytes) : FuzzTests.received(bytes)
            if let failure = try await FuzzTests.read(received, as: seed) {
                failures[failure, default: 0] += 1
            } else {
                answers += 1
                answersByWire += isByWire ? 1 : 0
            }
        }

        #expect(answers > count / 20, "the mutants are still like enough to answers to be read")
        #expect(answersByWire > count / 17 / 20)
        #expect(failures[.decode, default: 0] > count / 4, "\(failures)")
        #expect(failures[.timeout] == nil, "the server has always ended, so nobody waits for more")
    }

    /// Answers that go through a socket.
    private struct Wire {
        /// Far beyond the needs of a slow machine: no mutant makes the client wait.
        static let limits = TransportLimits(connect: .seconds(300), total: .seconds(300))
        let server: SocketServer
        let transport: CurlTransport

        /// The outcome of the bytes when a server writes them and then ends.
        func receive(_ bytes: [UInt8]) async -> ScriptedTransport.Outcome {
            server.answer(with: SocketServer.Response(bytes: bytes, end: .fin))
            do throws(TransportFailure) {
                let response = try await transport.send(HTTPRequest("GET", server.url))
                #expect(FuzzTests.isPiece(response.body, of: bytes) || FuzzTests.isPiece(Array("chunked".utf8), of: bytes))
                return .success(response)
            } catch {
                return .failure(error)
            }
        }
    }

    /// True if those bytes occur in the others, in sequence.
    private static func isPiece(_ piece: [UInt8], of whole: [UInt8]) -> Bool { Data(whole).range(of: Data(piece)) != nil || piece.isEmpty }

    private static func read(_ bytes: [UInt8], as seed: FuzzSeed) async throws -> ClientError? {
        try await read(received(bytes), as: seed)
    }

    /// The failure of the seed's call with that answer; nil if it succeeds.
    ///
    /// - Throws: any error that is not a ``ClientFailure``.
    private static func read(_ outcome: ScriptedTransport.Outcome, as seed: FuzzSeed) async throws -> ClientError? {
        let bank = try await Bank(seed.bank) { _, _ in outcome }
        do {
            try await seed.read(bank.client)
            return nil
        } catch let failure as ClientFailure {
            return failure.error
        }
    }

    /// The bytes as libcurl delivers them: line by line up to the empty one, then the rest in two pieces.
    private static func received(_ bytes: [UInt8]) -> ScriptedTransport.Outcome {
        var receipt = CurlReceipt(limits: TransportLimits())
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(rest[...end])
            rest = rest[(end + 1)...]
            guard line.withUnsafeBufferPointer({ receipt.append(headLine: $0) }) else { break }
            if line == [13, 10] || line == [10] { break }
        }
        for piece in [rest.prefix(rest.count / 2), rest.suffix(rest.count - rest.count / 2)] where !piece.isEmpty {
            guard Array(piece).withUnsafeBufferPointer({ receipt.append(body: $0) }) else { break }
        }
        if let tooLarge = receipt.tooLarge { return .failure(TransportFailure(.tooLarge, tooLarge, mayHaveLeft: true)) }
        do throws(TransportFailure) {
            // Bytes made by hand are in no coding that libcurl has undone.
            let request = HTTPRequest("GET", "http://127.0.0.1/", headers: ["Accept-Encoding": "identity"])
            return .success(try receipt.handOver(speaksHTTP2: false, redirect: nil, packedBytes: 0).response(to: request))
        } catch {
            return .failure(error)
        }
    }

    private static let tokens: [[UInt8]] =
        [
            "\r\n", "\r\n\r\n", "\0", "{", "[", "]", "}", "\"", "\\u", "\\ud800", "null", "-", "1e999", "9223372036854775808", ":", ",",
            "<br/>", "\u{FEFF}",
            "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "HTTP/1.1 100 \r\n\r\n", "0000-00-00T00:00:00Z", "XTS",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], Array(repeating: UInt8(ascii: "["), count: 3000)]

    /// One or two changes: a byte flipped, a piece lost, doubled or moved, a token inserted, the end truncated.
    private static func mutant(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let position = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, position + Int.random(in: 1...20, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where position < bytes.count: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(position..<end)
            case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 3: bytes.insert(contentsOf: bytes[position..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 4: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: position)
            case 5 where Bool.random(using: &random): bytes.removeSubrange(position...)
            default: break
            }
        }
        return bytes
    }

    /// Files of the stub's corpus of damaged JSON, by name.
    private static func corpus() throws -> [(name: String, body: [UInt8])] {
        let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Stubs/corpus")
        let files = try ["json", "json-extended", "json-utf8"].flatMap {
            try FileManager.default.contentsOfDirectory(at: corpus.appending(path: $0), includingPropertiesForKeys: nil)
        }
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.map {
            ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0)))
        }
    }
}
