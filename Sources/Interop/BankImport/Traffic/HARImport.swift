package import BankModel

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
