import BankModel

/// Faults that leave a response complete, but send it, or other bytes, at an unexpected time.
extension StubBank.Fault {
    /// Sends interim responses before the final one.
    ///
    /// - Parameters:
    ///   - status: 100, 102 or 103.
    ///   - count: the number of interim responses, from 1 to 100.
    public static func earlyHints(_ status: Int = 103, count: Int = 1) -> Self {
        Self(kind: .earlyHints, ["status": .string(String(status)), "count": .int(count)])
    }

    /// Sends a response before the request's body has ended. Nothing is executed, and a request without a body is unchanged.
    ///
    /// - Parameters:
    ///   - status: the status code, from 200 to 599.
    ///   - body: the body, sent as plain text; nil for none.
    ///   - drains: true to read and drop the rest of the request and keep the connection, false to end it.
    public static func earlyReply(_ status: Int = 413, body: String? = nil, drains: Bool = false) -> Self {
        let text = body.map { [("body", JSON.string($0))] } ?? []
        return Self(
            kind: .earlyReply, object: JSONObject([("status", .int(status)), ("then", .string(drains ? "drain" : "close"))] + text))
    }

    /// Sends bytes after a whole response, on a connection that stays open. HTTP/1.1 only.
    public static func surplus(_ bytes: Surplus = .sameResponse) -> Self {
        switch bytes {
        case .sameResponse: Self(kind: .surplus)
        case .reply(let status, let body):
            Self(kind: .surplus, object: JSONObject([("status", .int(status))] + (body.map { [("body", .string($0))] } ?? [])))
        case .bytes(let text): Self(kind: .surplus, ["bytes": .string(text)])
        }
    }

    /// The bytes after a whole response.
    public enum Surplus: Sendable, Hashable {
        /// The response once more.
        case sameResponse
        /// Another whole response; a body is sent as plain text.
        case reply(Int, body: String? = nil)
        /// These bytes.
        case bytes(String)
    }
}
