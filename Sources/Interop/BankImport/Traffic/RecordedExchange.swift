package import BankModel

/// One request to an API and the API's response, as a proxy, a browser or a collection recorded it.
package struct RecordedExchange: Sendable {
    /// Names the exchange in reports; unique among the exchanges of an import.
    package var number: Int
    /// The file that has the exchange, or what recorded it, for reports.
    package var file: String
    /// The JSON path of the exchange in its file; empty if there is none.
    package var path = ""
    /// In capitals.
    package var method: String
    /// Absolute and percent-encoded as it was sent, such as `https://api.bank.example/v1/accounts?limit=10`.
    package var url: String
    /// In the order in which they were sent, with duplicates.
    package var requestHeaders: [JournalEntry.Header]
    /// Without content coding; nil if the body is unknown, empty if there was none.
    package var requestBody: [UInt8]?
    package var status: Int
    /// In the order in which they were received, with duplicates.
    package var responseHeaders: [JournalEntry.Header]
    /// Without content coding (gzip), although the headers may name one; nil if the body is unknown, empty if there was none.
    package var responseBody: [UInt8]?
    package var started: Instant
    /// From the start of the request to the end of the response; nil if unknown.
    package var duration: Duration?
    /// The secrets of the request that the names of its fields do not show.
    package var secrets: [String] = []
}

/// Reads HTTP archives (HAR 1.2) as exchanges, for ``TrafficImport``.
package enum HARImport {
    /// The exchanges of all files, and what could not be read.
    ///
    /// - Throws: ``ComplaintsError`` if a file is not JSON or no HAR, or has too many entries.
    package static func read(_ files: [ImportFile]) throws(ComplaintsError) -> (exchanges: [RecordedExchange], warnings: [ImportWarning]) {
        let archive = try ArchiveReader.read(files)
        let notes = Notes()
        for entry in archive.leftOutAt {
            let piece = LocatedJSON(json: .string("an entry"), file: entry.file, item: "exchange \(entry.number)", path: entry.path)
            notes.cannot(.leftOut, piece, "entries that \(entry.reason.rawValue) are not learned")
        }
        for note in archive.notes {
            notes.cannot(.ignored, LocatedJSON(json: "a body", file: files[0].path, item: "content", path: "$"), note)
        }
        let exchanges = archive.entries.compactMap { entry -> RecordedExchange? in
            guard let status = entry.status else {
                let piece = LocatedJSON(json: .string(entry.method), file: entry.file, item: "exchange \(entry.number)", path: entry.path)
                notes.cannot(.leftOut, piece, "it has no response")
                return nil
            }
            func bytes(_ body: ArchiveBody) -> [UInt8]? { body.isMissing ? nil : body.bytes }
            return RecordedExchange(
                number: entry.number, file: entry.file, path: entry.path, method: entry.method,
                url: "\(entry.url.scheme)://\(entry.url.host)\(entry.url.path)\(entry.url.query.map { "?\($0)" } ?? "")",
                requestHeaders: entry.requestHeaders, requestBody: bytes(entry.requestBody), status: status,
                responseHeaders: entry.responseHeaders, responseBody: bytes(entry.responseBody), started: entry.started,
                duration: entry.duration.map { .microseconds($0) })
        }
        return (exchanges, notes.warnings)
    }
}
