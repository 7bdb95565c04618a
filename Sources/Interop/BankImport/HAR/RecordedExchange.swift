import BankModel

/// One request with its response, as an HTTP archive (HAR 1.2), a collection of examples or a proxy recorded it.
package struct RecordedExchange: Sendable {
    /// Counts the entries of all files, from 1.
    var number: Int
    /// The name of the file, or of what recorded it.
    var file: String
    /// The page that made the request; nil if the recorder does not write it.
    var page: String?
    /// The load of a page that made the request: a tab has many, one after another. Nil if the recorder does not write it.
    var pageLoad: String?
    var started: Instant
    /// The time to the end of the response, in microseconds; nil if the recorder does not write it.
    var duration: Int64?
    var method: String
    var url: RecordedURL
    /// Such as `HTTP/1.1` or `h2`; empty if the recorder does not write it.
    var httpVersion = ""
    var requestHeaders: [JournalEntry.Header]
    var requestBody: RecordedBody
    /// Nil without a response.
    var status: Int?
    var responseHeaders: [JournalEntry.Header]
    var responseBody: RecordedBody
    /// The recorder's name of what went wrong, such as `net::ERR_EMPTY_RESPONSE`.
    var failure: String?
    /// What the request was for, in the words of the Fetch standard, such as `image`; nil if the recorder does not write it.
    var resource: String?
    /// The number of the connection; nil if the recorder does not write it, or numbers something else.
    var connection: String?
    /// What a proxy saw of its times, connection and delivery; nil for a file.
    var seen: JournalEntry?
    /// The JSON path in the file; empty if it is in none.
    var path = ""
    /// The secrets of the request that the names of its fields do not show.
    var secrets: [String] = []

    /// The value of the first request header of that name.
    func header(_ name: String) -> String? { requestHeaders.value(of: name) }

    /// The value of the first response header of that name.
    func responseHeader(_ name: String) -> String? { responseHeaders.value(of: name) }

    /// The end of the response; nil if the recorder does not write it.
    var ended: Instant? { duration.map { started + .microseconds($0) } }

    /// The response as JSON; nil if it is none.
    var json: JSON? { try? JSON(parsing: responseBody.bytes) }

    /// The entry in a report.
    func located(_ call: String) -> LocatedJSON {
        LocatedJSON(json: .string(call), file: file, item: "exchange \(number)", path: path)
    }

    /// The members of the request's JSON, or the fields of its form, that are texts, numbers or truth values.
    var fields: [(name: String, value: String)] {
        if let json = try? JSON(parsing: requestBody.bytes) {
            return json.object?.members.compactMap { name, value in value.isContainer ? nil : (name, value.plainText) } ?? []
        }
        guard requestHeaders.areOfForm else { return [] }
        return FormFields(String(decoding: requestBody.bytes, as: UTF8.self)).all.map { ($0.name, $0.value) }
    }

    /// The value of a field of that name, whatever its case and separators.
    func field(_ names: Set<String>) -> String? { fields.first { names.contains(RecordedExchange.plain($0.name)) }?.value }

    /// The letters and digits of a name, in lower case.
    static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// The last segment of the path, letters and digits only, in lower case.
    var lastSegment: String { RecordedExchange.plain(String(url.path.split(separator: "/").last ?? "")) }
}

extension [JournalEntry.Header] {
    /// Whether they are of a message whose body is a form.
    var areOfForm: Bool { value(of: "content-type")?.lowercased().contains("x-www-form-urlencoded") ?? false }
}

enum RecordedBody: Sendable, Hashable {
    case bytes([UInt8])
    /// The message had a body that the archive lacks; its length, if the archive states it.
    case missing(count: Int?)

    /// The length in bytes; at least 1 for a missing body.
    var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .missing(let count): max(1, count ?? 1)
        }
    }

    var isMissing: Bool { if case .missing = self { true } else { false } }

    /// The bytes; none if the body is missing.
    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// An absolute URL, as far as the rules need it.
struct RecordedURL: Sendable, Hashable {
    var scheme: String
    /// In lower case, with the port if it is not the scheme's own.
    var host: String
    /// Percent-encoded; at least `/`.
    var path: String
    var query: String?
    /// The password before the host, decoded; it is never written.
    var password: String?

    /// The path and the query.
    var address: String { path + (query.map { "?\($0)" } ?? "") }

    /// The segments of the path, decoded.
    var segments: [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            percentDecoded($0, plusIsSpace: false) ?? String($0)
        }
    }

    /// - Returns: nil if the text is not an absolute URL with a host.
    init?(_ text: String) {
        guard let sign = text.firstRange(of: "://"), sign.lowerBound > text.startIndex else { return nil }
        scheme = text[..<sign.lowerBound].lowercased()
        let rest = text[sign.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let sides = authority.split(separator: "@")
        // The name of the user may be empty.
        let user = sides.dropLast().joined(separator: "@").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        password = user.dropFirst().first.map { percentDecoded($0, plusIsSpace: false) ?? String($0) }
        var host = (sides.last.map(String.init) ?? "").lowercased()
        for (name, port) in [("http", ":80"), ("https", ":443"), ("ws", ":80"), ("wss", ":443")]
        where scheme == name && host.hasSuffix(port) {
            host.removeLast(port.count)
        }
        guard !host.isEmpty else { return nil }
        self.host = host
        let target = rest.dropFirst(authority.count)
        let mark = target.firstIndex(of: "?")
        let path = target[..<(mark ?? target.endIndex)]
        self.path = path.isEmpty ? "/" : String(path)
        query = mark.map { String(target[target.index(after: $0)...]) }
    }

    /// Whether the host is the machine that sends, so that nothing goes over a network (W3C Secure Contexts §3.1), or the one on which an
    /// emulator of a phone or a container runs.
    var isLoopback: Bool {
        let name = hostName(host)
        if ["10.0.2.2", "10.0.3.2", "host.docker.internal"].contains(name) { return true }
        let isIPv4 = name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." }
        return isIPv4 || ["localhost", "[::1]"].contains(name) || name.hasSuffix(".localhost")
    }

    /// The last two labels of a host's name, which the hosts of one organisation often have in common.
    static func party(_ host: String) -> String { hostName(host).split(separator: ".").suffix(2).joined(separator: ".") }
}

/// Why an entry of an archive is not checked.
enum LeftOut: String, Sendable, CaseIterable {
    case unreadable = "have no readable URL, method or start"
    case duplicate = "are in the files twice"
    case webSocket = "are WebSockets"
    case tunnel = "are CONNECT requests, which open a tunnel through the proxy"
    case preflight = "are OPTIONS requests, which browsers send by themselves"
    case cached = "were answered by the browser's cache or a service worker"
    case prefetch = "are prefetches"
    case internalRedirect = "are redirects that the browser made up, such as for HSTS"
    case neverSent = "never left the device"
    case resource = "are pages, scripts, images and the like"
    case otherHost = "are to other hosts"
    case answeredByProxy = "the proxy rejected itself, such as writes without --allow-writes"
}
