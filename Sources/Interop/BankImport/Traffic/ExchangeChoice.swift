import BankModel

/// Chooses the exchanges with one API among all that were recorded.
struct ExchangeChoice {
    let facts: APIFacts
    /// The host whose exchanges are learned.
    private(set) var host = ""
    private(set) var chosen: [(exchange: RecordedExchange, entry: ArchiveEntry)] = []
    private(set) var hasOtherCredentials = false
    private let notes: Notes

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
    init(_ exchanges: [RecordedExchange], host: String?, notes: Notes) {
        self.notes = notes
        var read: [(exchange: RecordedExchange, entry: ArchiveEntry)] = []
        for exchange in exchanges {
            if let entry = exchange.entry {
                read.append((exchange, entry))
            } else {
                notes.cannot(.leftOut, exchange.located(exchange.method), "its address is not absolute")
            }
        }
        facts = APIFacts(APIDescription(), read.map(\.entry))
        let wanted = host?.lowercased() ?? ExchangeChoice.busiest(read, facts)
        self.host = wanted
        var others: [String: (count: Int, first: RecordedExchange)] = [:]
        for (exchange, entry) in read {
            guard entry.url.host == wanted || entry.url.host.prefix(while: { $0 != ":" }) == wanted else {
                others[entry.url.host, default: (0, exchange)].count += 1
                continue
            }
            if let reason = ExchangeChoice.reason(against: exchange, entry) {
                notes.cannot(.leftOut, exchange.located(exchange.method), reason)
            } else if entry.method != "OPTIONS", entry.method != "HEAD" {
                chosen.append((exchange, entry))
            }
        }
        for (other, found) in others.sorted(by: { $0.key < $1.key }) {
            let piece = LocatedJSON(
                json: .string(other), file: found.first.file, item: "exchange \(found.first.number)", path: found.first.path)
            notes.cannot(.leftOut, piece, "\(counted(found.count, "exchange")) with another host; --host \(other) learns that one")
        }
        hasOtherCredentials = chosen.contains { _, entry in
            facts.token(of: entry) == nil && ["authorization", "cookie", "x-api-key", "api-key"].contains { entry.header($0) != nil }
        }
    }

    /// The host with most exchanges that look like an API's.
    private static func busiest(_ read: [(exchange: RecordedExchange, entry: ArchiveEntry)], _ facts: APIFacts) -> String {
        var counts: [String: Int] = [:]
        for (exchange, entry) in read {
            let isOfAPI = exchange.json != nil || facts.credential(of: entry) != nil || facts.role(of: entry) != nil
            counts[entry.url.host, default: 0] += isOfAPI ? 1000 : 1
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    }

    private static func reason(against exchange: RecordedExchange, _ entry: ArchiveEntry) -> String? {
        if exchange.status == 101 || ["ws", "wss"].contains(entry.url.scheme) { return "WebSockets are not supported" }
        guard methods.contains(entry.method) || ["OPTIONS", "HEAD"].contains(entry.method) else { return "a bank has no such method" }
        guard entry.url.path.utf8.count <= longestPath, exchange.segments.count <= mostSegments else {
            return "the path has more than \(longestPath) bytes or \(mostSegments) segments"
        }
        guard (entry.url.query ?? "").utf8.filter({ $0 == UInt8(ascii: "&") }).count < mostFields else {
            return "the query has more than \(mostFields) fields"
        }
        guard (200...599).contains(exchange.status) else { return "a status is from 200 to 599" }
        guard let body = exchange.responseBody else { return "the recorder left out the response's body" }
        guard body.count <= largest else { return "the response has \(body.count >> 20) MiB, more than \(largest >> 20) MiB" }
        let type = entry.responseHeader("content-type")?.lowercased() ?? ""
        if ["text/html", "text/css", "javascript", "font/", "application/wasm"].contains(where: type.contains) {
            return "the response is a page, a script or a style, not an API's"
        }
        if exchange.status == 304 { return "304 has no body, and the first response is not among the exchanges" }
        return nil
    }

    /// Whether the response issues tokens.
    func isGrant(_ entry: ArchiveEntry, _ exchange: RecordedExchange) -> Bool {
        [.login, .refresh].contains(facts.role(of: entry)) && (200..<300).contains(exchange.status)
    }

    /// Whether a cleaned exchange can be one of a bank's.
    func isOfAPI(_ exchange: RecordedExchange) -> Bool {
        guard exchange.segments.contains(where: { $0 == "." || $0 == ".." }) else { return true }
        notes.cannot(.leftOut, exchange.located(exchange.method), "the path has `.` or `..` in it")
        return false
    }

    /// The header of idempotency keys; nil if they are elsewhere.
    var keyHeader: String? {
        guard case .header(let name)? = facts.key, !facts.isKeyUncertain else { return nil }
        return chosen.lazy.flatMap(\.exchange.requestHeaders).first { $0.name.lowercased() == name }?.name
    }
}

extension RecordedExchange {
    /// The exchange as `judge --har` reads it; nil if its address is not absolute.
    var entry: ArchiveEntry? {
        guard let address = ArchiveURL(url) else { return nil }
        return ArchiveEntry(
            number: number, file: file, started: started, duration: duration.map { Int64($0 / .microseconds(1)) }, method: method,
            url: address,
            httpVersion: "", requestHeaders: requestHeaders, requestBody: requestBody.map(ArchiveBody.bytes) ?? .missing(count: nil),
            status: status, responseHeaders: responseHeaders, responseBody: responseBody.map(ArchiveBody.bytes) ?? .missing(count: nil))
    }
}
