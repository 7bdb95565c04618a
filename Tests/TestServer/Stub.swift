import BankCore
package import BankEngine
import BankFiles
package import BankModel
package import EventStore
package import Faults
import Logging
package import StubServer
package import TestBanks
import Testing

/// A server of the small bank on its own port, and requests to it.
package struct Stub: Sendable {
    package let server: StubServer

    /// The bank's default session.
    package var till: BankSession { get throws { try #require(server.registry.session("till")) } }
    package var port: Int { server.address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    package func client(timeoutSeconds: Int = 300) throws -> RawClient { try RawClient(port: port, timeoutSeconds: timeoutSeconds) }

    /// Sends one request on a new connection.
    package func ask(_ request: String) async throws -> RawResponse {
        let client = try client()
        await client.send(request)
        return try #require(await client.response(isHead: request.hasPrefix("HEAD")))
    }

    /// Sends requests one after the other, each on a new connection.
    package func ask(_ requests: [String]) async throws -> [RawResponse] {
        var responses: [RawResponse] = []
        for request in requests { responses.append(try await ask(request)) }
        return responses
    }

    /// The text of a new token.
    package func token(_ login: String = "ann") throws -> String { try till.issueTokens(login: login).access.text }
}

/// A bank read from files in memory.
package func source(_ files: TestFiles = TestFiles(), _ name: String = "till", reload: TestFiles? = nil) throws -> BankSource {
    let loaded = try files.library.load(name)
    return BankSource(bank: loaded.bank, files: []) { try source(reload ?? files, name) }
}

/// A second bank with the same operations.
package func twoBanks() throws -> [BankSource] {
    var files = TestFiles.till
    for (path, text) in TestFiles.till where path.hasPrefix("till/") {
        files["safe/" + path.dropFirst("till/".count)] = text.replacing("bank: till", with: "bank: safe")
    }
    return [try source(TestFiles(files)), try source(TestFiles(files), "safe")]
}

/// Runs a test with a server that is always shut down.
package func withStub(
    _ sources: [BankSource]? = nil, configure: (inout ServerConfiguration) -> Void = { _ in }, _ test: (Stub) async throws -> Void
) async throws {
    var configuration = ServerConfiguration.ofTests
    configure(&configuration)
    let sources = try sources ?? [source()]
    let server = try await StubServer(sources, configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    do {
        try await test(Stub(server: server))
    } catch {
        await server.shutdown(grace: .milliseconds(100))
        throw error
    }
    await server.shutdown(grace: .milliseconds(100))
}

extension ServerConfiguration {
    /// What servers of tests begin with. They wait for clients that a busy machine stops for a minute, in the middle of a request too.
    static var ofTests: ServerConfiguration {
        var configuration = ServerConfiguration(seed: 7)
        configuration.eventLoops = 1
        (configuration.idleTimeout, configuration.headTimeout, configuration.bodyTimeout) = (.seconds(600), .seconds(600), .seconds(600))
        return configuration
    }

    /// Stores all sessions in a state file.
    package mutating func keep(in file: String, _ options: EventStore.Options = EventStore.Options()) {
        openLog = { () throws(StoreError) in try EventStore(file, options: options) }
    }
}

/// For a reader that a busy machine may delay: the server waits for it before a reset, as long as that may take.
package func patient(_ configuration: inout ServerConfiguration) { configuration.drain = .seconds(300) }

/// The time limits that a server has by default: for a test that drives the clock of its connection.
package func defaultTimes(_ configuration: inout ServerConfiguration) {
    let own = ServerConfiguration(seed: 7)
    (configuration.idleTimeout, configuration.headTimeout, configuration.bodyTimeout) = (own.idleTimeout, own.headTimeout, own.bodyTimeout)
}

/// A request of HTTP/1.1.
package func request(
    _ line: String, token: String? = nil, key: String? = nil, headers: [String] = [], body: String = ""
) -> String {
    var lines = ["\(line) HTTP/1.1", "Host: bank"] + headers
    if let token { lines.append("Authorization: Bearer \(token)") }
    if let key { lines.append("Idempotency-Key: \(key)") }
    if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}

/// A payment of ann's.
package func payment(_ amount: String = "1.00", key: String, token: String, prefix: String = "") -> String {
    request("POST \(prefix)/v1/payments", token: token, key: key, body: #"{"from": "a1", "to": "p1", "amount": "\#(amount)"}"#)
}

/// A rule from its JSON form.
package func rule(_ json: String) throws -> Rule {
    let json = try JSON(parsing: Array(json.utf8))
    return try Complaints.collecting { complaints in Rule(Node(json), complaints) }
}

/// A plan from its JSON form.
package func plan(_ json: String, name: String = "storm") throws -> Plan {
    let json = try JSON(parsing: Array(json.utf8))
    return try Complaints.collecting { complaints in Plan(Node(json), name: name, complaints) }
}

extension BankSession {
    /// Freezes its clock, so that only a test advances it.
    package func freeze() throws { try withClock { clock, machine throws(ClockError) in clock.setMode(.frozen, machine: machine) } }

    package func advance(_ duration: Duration) throws {
        try withClock { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
    }

    /// The journal once the condition holds; as it is after five minutes if it never does.
    package func entries(until isReady: @Sendable ([JournalEntry]) -> Bool) async -> [JournalEntry] {
        await watchJournal(within: .seconds(300)) { isReady(journal().entries) }
        return journal().entries
    }

    /// Returns once `count` exchanges and connections are held; false if they are not within five minutes.
    package func holds(_ count: Int) async -> Bool {
        await watchJournal(within: .seconds(300)) { heldCount >= count }
        return heldCount == count
    }

    /// The journal once `count` exchanges have ended.
    package func ended(_ count: Int) async -> [JournalEntry] {
        await entries { $0.count >= count && $0.allSatisfy { $0.durationMicroseconds != nil } }
    }
}
