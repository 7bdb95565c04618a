import BankModel

/// Chooses the exchanges with one API among all that were recorded.
struct ExchangeChoice {
    let facts: APIFacts
    /// The host whose exchanges are learned.
    private(set) var host = ""
    private(set) var chosen: [RecordedExchange] = []
    private(set) var hasOtherCredentials = false
    private let notes: ImportNotes

    /// Longer bodies are left out, in bytes.
    private static let largest = 8 << 20
    /// Longer paths, in bytes and in segments, and queries of more fields belong to no bank.
    private static let longestPath = 2048
    private static let mostSegments = 100
    private static let mostFields = 1000
    private static let methods: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// - Parameters:
    ///   - exchanges: in the order of time.
    ///   - host: nil for the one with most requests to an API.
    init(_ exchanges: [RecordedExchange], host: String?, notes: ImportNotes) {
        self.notes = notes
        facts = APIFacts(APIDescription(), exchanges)
        let wanted = host?.lowercased() ?? ExchangeChoice.busiest(exchanges, facts)
        self.host = wanted
        var others: [String: (count: Int, first: RecordedExchange)] = [:]
        for entry in exchanges {
            guard entry.url.host == wanted || hostName(entry.url.host) == wanted else {
                others[entry.url.host, default: (0, entry)].count += 1
                continue
            }
            if let reason = ExchangeChoice.reason(against: entry) {
                notes.warn(.leftOut, entry.located(entry.method), reason)
            } else if entry.method != "OPTIONS", entry.method != "HEAD" {
                chosen.append(entry)
            }
        }
        for (other, found) in others.sorted(by: { $0.key < $1.key }) {
            notes.warn(
                .leftOut, found.first.located(other),
                "\(counted(found.count, "exchange")) with another host; --host \(other) learns that one")
        }
        hasOtherCredentials = chosen.contains { entry in
            facts.token(of: entry) == nil
                && (["authorization", "cookie", "x-api-key", "api-key"].contains { entry.header($0) != nil }
                    || entry.requestHeaders.contains(where: ExchangeCleaner.isCredential))
        }
    }

    /// The host with most exchanges that look like an API's.
    private static func busiest(_ exchanges: [RecordedExchange], _ facts: APIFacts) -> String {
        var counts: [String: Int] = [:]
        for entry in exchanges {
            let isOfAPI = entry.json != nil || facts.credential(of: entry) != nil || facts.role(of: entry) != nil
            counts[entry.url.host, default: 0] += isOfAPI ? 1000 : 1
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    }

    private static func reason(against entry: RecordedExchange) -> String? {
        if entry.status == 101 || ["ws", "wss"].contains(entry.url.scheme) { return "WebSockets are not supported" }
        guard methods.contains(entry.method) || ["OPTIONS", "HEAD"].contains(entry.method) else { return "a bank has no such method" }
        guard entry.url.path.utf8.count <= longestPath, entry.url.segments.count <= mostSegments else {
            return "the path has more than \(longestPath) bytes or \(mostSegments) segments"
        }
        guard (entry.url.query ?? "").utf8.filter({ $0 == UInt8(ascii: "&") }).count < mostFields else {
            return "the query has more than \(mostFields) fields"
        }
        guard (200...599).contains(entry.status ?? 0) else { return "a status is from 200 to 599" }
        guard case .bytes(let body) = entry.responseBody else { return "the recorder left out the response's body" }
        guard body.count <= largest else { return "the response has \(body.count >> 20) MiB, more than \(largest >> 20) MiB" }
        let type = entry.responseHeader("content-type")?.lowercased() ?? ""
        if ["text/html", "text/css", "javascript", "font/", "application/wasm"].contains(where: type.contains) {
            return "the response is a page, a script or a style, not an API's"
        }
        if entry.status == 304 { return "304 has no body, and the first response is not among the exchanges" }
        return nil
    }

    /// Whether the response issues tokens.
    func isGrant(_ entry: RecordedExchange) -> Bool {
        [.login, .refresh].contains(facts.role(of: entry)) && (200..<300).contains(entry.status ?? 0)
    }

    /// Whether a cleaned exchange can be one of a bank's.
    func isOfAPI(_ exchange: RecordedExchange) -> Bool {
        guard exchange.url.segments.contains(where: { $0 == "." || $0 == ".." }) else { return true }
        notes.warn(.leftOut, exchange.located(exchange.method), "the path has `.` or `..` in it")
        return false
    }

    /// The header of idempotency keys; nil if they are elsewhere.
    var keyHeader: String? {
        guard case .header(let name)? = facts.key, !facts.isKeyUncertain else { return nil }
        return chosen.lazy.flatMap(\.requestHeaders).first { $0.name.lowercased() == name }?.name
    }
}

extension ExchangeCleaner {
    /// Whether a request header of a bank's own name, such as `X-Bunq-Client-Authentication`, shows who sends it.
    static func isCredential(_ header: JournalEntry.Header) -> Bool {
        let name = RecordedExchange.plain(header.name)
        guard !["csrf", "xsrf"].contains(where: name.contains) else { return false }
        let isNamed = ["auth", "authentication", "token", "apikey", "subscriptionkey"].contains(where: name.hasSuffix)
        // Shorter ones are words, such as `required`.
        return isNamed && header.value.utf8.count >= 12
    }
}

extension RecordedExchange {
    /// What a sign-in that is not recognised may issue: each member `token` of the response to a request with a password or a one-time code. If
    /// no request sends it, nothing else shows what it is.
    var possibleTokens: [String] {
        guard (200..<300).contains(status ?? 0) else { return [] }
        let asked = requestBody.bytes
        let names =
            JSONText.leaves(asked)?.compactMap(\.path.last) ?? FormFields(String(decoding: asked, as: UTF8.self)).all.map(\.name)
        guard names.contains(where: SecretNames.areForNoAddress) else { return [] }
        let leaves = JSONText.leaves(responseBody.bytes) ?? []
        return leaves.filter { RecordedExchange.plain($0.path.last ?? "") == "token" }.compactMap(\.value.string)
    }
}
