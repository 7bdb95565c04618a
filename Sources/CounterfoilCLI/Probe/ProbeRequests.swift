import BankModel
import ProviderCheck

/// The requests that the probe sends to a bank.
struct ProbeRequests: Sendable {
    let address: ProbeAddress
    /// The session's path, without a slash at its end.
    let prefix: String
    /// The path of a read.
    let example: String
    /// Nil if the bank needs none.
    let token: String?
    /// Nil if the probe knows none for the bank.
    let known: Known?

    /// Requests of one bank that its description does not contain.
    struct Known: Sendable {
        /// A list in pages, with the name of the cursor in responses and in queries.
        let list: String
        let cursorMember: String
        let cursorName: String
        let paymentPath: String
        let payment: String

        static let all: [String: Known] = [
            "counterfoil": Known(
                list: "/v1/accounts/ava-gbp/transactions", cursorMember: "next_cursor", cursorName: "cursor", paymentPath: "/v1/payments",
                payment: #"{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}"#)
        ]
    }

    /// The request for a kind.
    ///
    /// - Parameter cursor: that of the list's second page; nil if unknown.
    func bytes(for kind: ProbeKind, cursor: String?) -> [UInt8] {
        switch kind.request {
        case .payment where known != nil: payment(key: "probe-\(kind.name)")
        case .page where known != nil && cursor != nil: list(cursor: cursor)
        case .payment: head("GET", example, ["Content-Type: application/json"], body: "{}")
        case .read, .page: head("GET", example)
        }
    }

    /// A read that no rule concerns: of the list, if the bank has one, because its response contains the cursor.
    var plain: [UInt8] { known == nil ? head("GET", example) : list(cursor: nil) }

    /// The cursor in the response to ``plain``.
    func cursor(in response: ProbeResponse) -> String? {
        known.flatMap { known in (try? JSON(parsing: response.body))?[known.cursorMember]?.string }
    }

    private func list(cursor: String?) -> [UInt8] {
        head("GET", (known?.list ?? example) + (cursor.map { "?\(known?.cursorName ?? "")=\($0.pathSegment)" } ?? ""))
    }

    private func payment(key: String) -> [UInt8] {
        head(
            "POST", known?.paymentPath ?? example, ["Content-Type: application/json", "Idempotency-Key: \(key)"],
            body: known?.payment ?? "{}")
    }

    private func head(_ method: String, _ path: String, _ lines: [String] = [], body: String = "") -> [UInt8] {
        var all = ["\(method) \(prefix)\(path) HTTP/1.1", "Host: \(address.authority)", "User-Agent: counterfoil-probe/1"]
        all += token.map { ["Authorization: Bearer \($0)"] } ?? []
        all += lines
        if !body.isEmpty { all.append("Content-Length: \(body.utf8.count)") }
        // So the server, or the proxy, ends the connection after the response, and the probe sees all bytes after it.
        all.append("Connection: close")
        return Array((all.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
