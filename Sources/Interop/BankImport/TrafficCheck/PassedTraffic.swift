package import BankCore
package import BankModel

extension APIDescription {
    /// The purpose of a request, as it is stated or found by usual names; nil for most.
    ///
    /// - Parameter origin: such as `https://sandbox.bank.example`.
    package func role(of request: BankRequest, at origin: String) -> Role? {
        guard let url = RecordedURL(origin + request.path + (request.query.map { "?\($0)" } ?? "")) else { return nil }
        return APIFacts(self, []).role(of: RecordedExchange(request.method, url, headers: request.headers, body: request.body))
    }
}

extension ArchiveVerdict {
    /// Checks what passed through a proxy.
    ///
    /// - Parameters:
    ///   - dropped: how many exchanges the proxy has dropped from its memory.
    ///   - origin: the provider's, such as `https://sandbox.bank.example`.
    ///   - suites, isSequential: as for files.
    package init(
        passed: [PassedExchange], dropped: Int = 0, through origin: String, _ description: APIDescription = APIDescription(),
        suites: [String] = [], isSequential: Bool = false
    ) {
        var archive = Archive()
        for exchange in passed {
            guard let entry = RecordedExchange(exchange, origin) else {
                archive.leftOut[.unreadable, default: 0] += 1
                continue
            }
            if exchange.messages.responder == .proxy {
                archive.leftOut[.answeredByProxy, default: 0] += 1
            } else if entry.method == "OPTIONS" {
                archive.leftOut[.preflight, default: 0] += 1
            } else {
                archive.entries.append(entry)
            }
        }
        var description = description
        let host = RecordedURL(origin)?.host ?? origin
        description.hosts = (description.hosts ?? []).filter { $0 != host } + [host]
        self.init(
            ArchiveJournal(archive, description, recorder: .proxy), archive, of: host, dropped: dropped, suites: suites,
            isSequential: isSequential)
    }
}

extension RecordedExchange {
    /// An exchange that passed through a proxy, to learn from; nil for one without a response of the provider, and for one that a fault has
    /// changed.
    package init?(_ passed: PassedExchange, through origin: String) {
        let entry = passed.entry
        guard passed.messages.responder == .bank, !passed.messages.isCut, let status = entry.status, status < 600,
            entry.durationMicroseconds != nil, !entry.faults.contains(where: \.applied)
        else { return nil }
        self.init(passed, origin)
        file = origin
    }

    /// A request alone.
    fileprivate init(_ method: String, _ url: RecordedURL, headers: [JournalEntry.Header], body: [UInt8]) {
        self.init(
            number: 0, file: "", started: Instant(seconds: 0), method: method, url: url, requestHeaders: headers,
            requestBody: .bytes(body), responseHeaders: [], responseBody: .bytes([]))
    }

    /// - Returns: nil for a record without a request, such as that of a refused connection.
    fileprivate init?(_ passed: PassedExchange, _ origin: String) {
        let (seen, messages) = (passed.entry, passed.messages)
        guard let method = seen.method, let url = RecordedURL(origin + messages.target) else { return nil }
        self.init(method, url, headers: messages.requestHeaders, body: messages.requestBody)
        number = seen.seq
        file = url.host
        started = seen.at
        duration = seen.durationMicroseconds
        status = seen.status
        responseHeaders = messages.responseHeaders
        responseBody = messages.plainResponseBody.map { .bytes($0) } ?? .missing(count: nil)
        var journaled = seen
        if messages.isCut { journaled.receipt.end = .rst } else if isUnreadable { journaled.receipt.end = .clientGone }
        self.seen = journaled
    }
}

extension PassedExchange.Messages {
    /// How long a body without its coding may be.
    private static let mostPlainBytes = 4 << 20
    /// How many codings one body may have: each is read on its own, and a head has room for thousands.
    private static let mostCodings = 3

    /// The response's body without its coding; nil if it is not known, or is in a coding that cannot be read.
    fileprivate var plainResponseBody: [UInt8]? {
        guard let responseBody, !responseBody.isEmpty else { return responseBody }
        let codings = responseHeaders.filter { $0.name.lowercased() == "content-encoding" }
            .flatMap { $0.value.lowercased().split(separator: ",") }.map { $0.filter { $0 != " " } }.filter { $0 != "identity" }
        guard codings.count <= Self.mostCodings else { return nil }
        var body = responseBody
        for name in codings.reversed() {
            guard let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name),
                let plain = coding.plain(body, limit: Self.mostPlainBytes)
            else { return nil }
            body = plain
        }
        return body
    }
}
