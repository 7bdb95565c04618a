package import BankClient
package import BankCore
import BankEngine
import BankModel
import StubServer

/// A real API as what a session of the stub server sends its requests on to.
package struct ProviderUpstream: Upstream {
    private let baseURL: String
    private let transport: any HTTPTransport

    /// - Parameters:
    ///   - baseURL: without a trailing slash.
    ///   - transport: one that follows no redirect: the client must see it.
    package init(_ baseURL: String, _ transport: any HTTPTransport) {
        self.baseURL = baseURL
        self.transport = transport
    }

    package func reply(to request: BankRequest) async -> Reply {
        var headers = HTTPHeaders()
        // The transport asks for the codings that it can undo; the request's own body goes on as it came, in its coding.
        let ofThisHop = ProviderUpstream.ofOneHop(in: request.headers.lazy.map { ($0.name, $0.value) }).union(["accept-encoding"])
        for header in request.headers where !ofThisHop.contains(header.name.lowercased()) {
            headers.append(header.name, header.value)
        }
        let url = baseURL + request.path + (request.query.map { "?\($0)" } ?? "")
        let call = HTTPRequest(request.method, url, headers: headers, body: request.body.isEmpty ? nil : request.body)
        do throws(TransportFailure) {
            let response = try await transport.send(call)
            // The transport has undone the coding.
            let ofThatHop = ProviderUpstream.ofOneHop(in: response.headers.lines.lazy.map { ($0.name, $0.value) })
                .union(["content-encoding"])
            // The length in a response to HEAD is of the coded body, which the client would not get.
            let statesLength = request.method == "HEAD" && response.headers["Content-Encoding"] == nil
            let kept = response.headers.lines.filter { line in
                let name = line.name.lowercased()
                return !ofThatHop.contains(name) || name == "content-length" && statesLength
            }
            return Reply(
                status: response.status, headers: kept.map { JournalEntry.Header($0.name, own($0.name, $0.value)) }, body: response.body)
        } catch {
            let status = error.error == .timeout ? 504 : 502
            let problem: JSON = [
                "title": "The provider behind the proxy did not respond", "status": .int(status),
                "detail": .string("\(error.error.rawValue): \(error.detail)"),
            ]
            let type = JournalEntry.Header("Content-Type", "application/problem+json")
            return Reply(status: status, headers: [type], body: Array(problem.text.utf8))
        }
    }

    /// A redirect to the provider itself leads through the proxy again.
    private func own(_ name: String, _ value: String) -> String {
        name.lowercased() == "location" && value.hasPrefix(baseURL + "/") ? String(value.dropFirst(baseURL.count)) : value
    }

    /// The headers of a message, in small letters, that are not passed on: those known to be of one connection, and those that its
    /// `Connection` names (RFC 9110 §7.6.1).
    private static func ofOneHop(in headers: some Sequence<(name: String, value: String)>) -> Set<String> {
        headers.reduce(into: ofOneHop) { names, header in
            guard header.name.lowercased() == "connection" else { return }
            for name in header.value.split(separator: ",") { names.insert(name.filter { $0 != " " && $0 != "\t" }.lowercased()) }
        }
    }

    /// Headers that are about one connection or for its proxy (RFC 9110 §7.6.1, §11.7), and those that each side's wire writes itself.
    /// None is passed on.
    private static let ofOneHop: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect", "host", "content-length",
        "date", "proxy-authorization", "proxy-authenticate", "proxy-authentication-info",
    ]
}
