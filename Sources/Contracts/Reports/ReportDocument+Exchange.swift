import BankModel

extension ReportDocument {
    /// One request and its response, as the journal has them: a token is replaced by its id, secret fields are blanked.
    package struct Exchange: Sendable, Hashable {
        /// `#3 GET /v1/accounts token#1 → 401 token-rejected, …`, as in the timeline.
        package var line: String
        /// The request line and the headers; empty if no request was read.
        package var requestHead: [String]
        /// Nil if it is empty.
        package var requestBody: String?
        /// The status line and the headers; empty if no status was sent.
        package var responseHead: [String]
        /// Nil if it is empty.
        package var responseBody: String?
    }

    /// The same run with the exchanges of the results that somebody has to look at.
    ///
    /// - Parameter journals: the journal of each result.
    func withExchanges(_ journals: [[JournalEntry]]) -> ReportDocument {
        var document = self
        for (index, journal) in journals.enumerated() where results[index].needsLooking {
            document.results[index].exchanges = journal.sorted { $0.seq < $1.seq }.map(Exchange.init)
        }
        return document
    }
}

extension ReportDocument.Exchange {
    /// Within the bounds of every report.
    init(_ entry: JournalEntry) {
        func head(_ first: String, _ headers: [JournalEntry.Header]) -> [String] { [first] + headers.map { "\($0.name): \($0.value)" } }
        let version = entry.wireProtocol == .h2 ? "HTTP/2" : "HTTP/1.1"
        let target = entry.path + (entry.query.map { "?\($0)" } ?? "")
        self.init(
            line: Timeline.text(entry), requestHead: entry.method.map { head("\($0) \(target) \(version)", entry.requestHeaders) } ?? [],
            requestBody: Self.text(entry.requestBody),
            responseHead: entry.status.map { head("\(version) \($0)", entry.responseHeaders) } ?? [],
            responseBody: Self.text(entry.responseBody))
        self = bounded
    }

    /// The same exchange with every list and text within ``ReportDocument/Bounds``.
    var bounded: Self {
        typealias Bounds = ReportDocument.Bounds
        func head(_ lines: [String]) -> [String] {
            let more = lines.count > Bounds.headLines ? ["…"] : []
            return lines.prefix(Bounds.headLines - more.count).map { clipped($0, to: Bounds.headLine) } + more
        }
        var exchange = self
        exchange.line = clipped(line, to: Bounds.text)
        exchange.requestHead = head(requestHead)
        exchange.requestBody = requestBody.map { clipped($0, to: Bounds.body) }
        exchange.responseHead = head(responseHead)
        exchange.responseBody = responseBody.map { clipped($0, to: Bounds.body) }
        return exchange
    }

    /// A body as text; a body that is none by its number of bytes.
    private static func text(_ body: [UInt8]) -> String? {
        if body.isEmpty { return nil }
        // The journal may have cut the body within a character, of at most four bytes.
        let text = (0...3).lazy.compactMap { String(validating: body.dropLast($0), as: UTF8.self) }.first
        guard let text, !body.contains(0) else { return "(\(counted(body.count, "byte")) that are not text)" }
        return text
    }
}
