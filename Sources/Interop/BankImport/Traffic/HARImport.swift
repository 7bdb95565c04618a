package import BankModel

/// Reads HTTP archives (HAR 1.2) as exchanges, for ``TrafficImport``.
package enum HARImport {
    /// The exchanges of all files, and what could not be read.
    ///
    /// - Throws: ``ComplaintsError`` if a file is not JSON or no HAR, or has too many entries.
    package static func read(_ files: [ImportFile]) throws(ComplaintsError) -> (exchanges: [RecordedExchange], warnings: [ImportWarning]) {
        let archive = try ArchiveReader.read(files)
        let notes = ImportNotes()
        for entry in archive.leftOutAt {
            let piece = LocatedJSON(json: .string("an entry"), file: entry.file, item: "exchange \(entry.number)", path: entry.path)
            notes.warn(.leftOut, piece, "entries that \(entry.reason.rawValue) are not learned")
        }
        for note in archive.notes {
            notes.warn(.ignored, LocatedJSON(json: "a body", file: files[0].path, item: "content", path: "$"), note)
        }
        for entry in archive.entries where entry.status == nil {
            notes.warn(.leftOut, entry.located(entry.method), "it has no response")
        }
        return (archive.entries.filter { $0.status != nil }, notes.warnings)
    }
}
