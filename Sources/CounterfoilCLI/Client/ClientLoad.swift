import ArgumentParser
import BankClient
import Foundation
import Platform

/// `counterfoil client load`: the client's transport under load, for `make bench` and `make soak`.
///
/// Not shown in the help: it measures the product, and is not a way to use it.
struct ClientLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Measure the client's transport with GET requests to one URL.",
        discussion: """
            Prints one line of JSON: the number of requests, their duration in seconds, and the bytes in memory (0 without /proc) \
            after a tenth of them and at the end. Any response other than a 200 with a body ends the command with exit code 1.
            Example: counterfoil client load --url http://127.0.0.1:8080/v1/atms --requests 60000 --jobs 64
            """,
        shouldDisplay: false)

    @Option(help: "The URL to request.")
    var url: String

    @Option(help: "Number of requests.")
    var requests = 60_000

    @Option(help: "Number of concurrent requests.")
    var jobs = 64

    func validate() throws {
        guard requests > 0, jobs > 0 else { throw ValidationError("expected at least one request and one job") }
    }

    func run() async throws {
        let transport = CurlTransport()
        let request = HTTPRequest("GET", url)
        let count = LoadCount(requests: requests)
        let began = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for _ in 0..<jobs {
                group.addTask {
                    while count.takeOne() {
                        let response = try await transport.send(request)
                        guard response.status == 200, !response.body.isEmpty else {
                            throw ValidationError("found \(response), expected a 200 with a body")
                        }
                        count.endOne()
                    }
                }
            }
            try await group.waitForAll()
        }
        let report = Report(
            requests: requests, seconds: (ContinuousClock.now - began) / .seconds(1), residentAtTenth: count.residentAtTenth,
            residentAtEnd: LoadCount.resident)
        Output.results.line(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private struct Report: Encodable {
        var requests: Int
        var seconds: Double
        var residentAtTenth: Int
        var residentAtEnd: Int
    }
}

/// How many requests have begun and ended, and how much memory there was after a tenth of them.
private final class LoadCount: Sendable {
    private let requests: Int
    private let state = Locked((begun: 0, ended: 0, residentAtTenth: 0))

    init(requests: Int) { self.requests = requests }

    /// False if all have begun.
    func takeOne() -> Bool {
        state.withLock { state in
            state.begun += 1
            return state.begun <= requests
        }
    }

    func endOne() {
        state.withLock { state in
            state.ended += 1
            if state.ended == (requests + 9) / 10 { state.residentAtTenth = LoadCount.resident }
        }
    }

    /// Bytes.
    var residentAtTenth: Int { state.withLock { $0.residentAtTenth } }

    /// Bytes of this process in memory now; 0 where the system does not report it.
    static var resident: Int { ThisProcess.residentBytes ?? 0 }
}
