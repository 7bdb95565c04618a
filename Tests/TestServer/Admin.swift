package import BankAdmin
import BankEngine
import BankModel
import Logging
package import StubServer
package import TestBanks
import Testing

/// A server with its admin API running, and calls to it.
package struct Admin: Sendable {
    package let stub: Stub
    package let port: Int

    /// One call on a new connection; `line` is method and path without `/__admin`.
    package func call(_ line: String, _ body: String = "", host: String = "127.0.0.1", headers: [String] = []) async throws -> RawResponse {
        try await ask(Admin.inside(line), body, host: host, headers: headers)
    }

    /// As ``call(_:_:host:headers:)``, for any path.
    package func ask(_ line: String, _ body: String = "", host: String = "127.0.0.1", headers: [String] = []) async throws -> RawResponse {
        try #require(await responses(to: [text(line, body, host: host, headers: headers)]).first)
    }

    /// A HEAD and then another call on the same connection.
    package func call(head line: String, then next: String) async throws -> [RawResponse] {
        await responses(to: [text(Admin.inside(line)), text(Admin.inside(next))])
    }

    private static func inside(_ line: String) -> String { line.replacing(" ", with: " /__admin", maxReplacements: 1) }

    private func text(_ line: String, _ body: String = "", host: String = "127.0.0.1", headers: [String] = []) -> String {
        let head = ["\(line) HTTP/1.1", "Host: \(host)", "Content-Length: \(body.utf8.count)"] + headers
        return head.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// Sends requests one after the other on one connection; missing responses are left out.
    package func responses(to requests: [String]) async -> [RawResponse] {
        guard let client = try? RawClient(port: port) else { return [] }
        return await client.responses(to: requests).compactMap(\.self)
    }
}

/// Runs a test with a server and its admin API, both of which always end.
package func withAdmin(
    token: String? = nil, plans: PlanSource = .none, names: [String] = [], publicURL: String? = nil,
    files: TestFiles = TestFiles(), configure: (inout ServerConfiguration) -> Void = { _ in },
    _ test: (Admin) async throws -> Void
) async throws {
    var configuration = ServerConfiguration.ofTests
    configure(&configuration)
    let admin = try AdminConfiguration(
        port: 0, token: token, plans: plans, hostNames: names.compactMap { HostPattern($0) }, publicURL: publicURL,
        bankHost: configuration.host)
    let server = try await StubServer([source(files)], configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let events = AsyncStream<ServerEvent>.makeStream()
    let run = Task { try await server.run(version: "1.2.3", admin: admin) { events.continuation.yield($0) } }
    var address: String?
    for await case .adminReady(let ready) in events.stream {
        address = ready
        break
    }
    let port = try #require(address?.split(separator: ":").last.flatMap { Int($0) })
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await test(Admin(stub: Stub(server: server), port: port))) } catch { outcome = .failure(error) }
    server.requestEnd()
    try await run.value
    try outcome.get()
}
