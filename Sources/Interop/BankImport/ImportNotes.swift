import BankModel

/// Collects what could not be converted, and what could not be read.
final class ImportNotes {
    private(set) var warnings: [ImportWarning] = []
    let complaints = Complaints()
    /// Whether a text may stand for a number, and a number or truth value for a text, as Jackson takes them.
    private let coercesScalars: Bool

    init(coercingScalars: Bool = false) { coercesScalars = coercingScalars }

    /// Notes something that cannot be converted.
    func warn(_ effect: ImportWarning.Effect, _ piece: LocatedJSON, _ reason: String) {
        warnings.append(
            ImportWarning(file: piece.file, item: piece.item, path: piece.path, found: piece.json.text, reason: reason, effect: effect))
    }

    /// Notes something that cannot be converted, and returns nil.
    func nothing<Value>(_ effect: ImportWarning.Effect, _ piece: LocatedJSON, _ reason: String) -> Value? {
        warn(effect, piece, reason)
        return nil
    }

    /// Complains of something that the other tool could not read either, and returns nil.
    func wrong<Value>(_ piece: LocatedJSON, expected: String) -> Value? {
        complaints.add("found \(piece.json.kindName), expected \(expected)", at: SourcePosition(file: piece.file, path: piece.path))
        return nil
    }

    /// The rejection of an import that gives nothing: what could not be converted, each with its position, and then what is missing.
    func rejection(_ text: String, at position: SourcePosition) -> ComplaintsError {
        ComplaintsError(
            warnings.map { Complaint("\($0.item): \($0.path): \($0.reason)", at: SourcePosition(file: $0.file)) } + [
                Complaint(text, at: position)
            ])
    }

    /// Notes every member of which nothing is known here.
    func unknown(_ piece: LocatedJSON, known: Set<String>, _ effect: ImportWarning.Effect) {
        for (key, value) in piece.members where !known.contains(key) && value.json != .null {
            warn(effect, value, "`\(key)` has no effect here")
        }
    }

    /// The text; a complaint if it is none.
    func text(_ piece: LocatedJSON) -> String? {
        if coercesScalars, piece.json.number != nil || piece.json.bool != nil { return piece.json.plainText }
        return piece.json.string ?? wrong(piece, expected: "a text")
    }

    /// The whole number; a complaint if it is none.
    func int(_ piece: LocatedJSON) -> Int? { coerced(piece)?.int64.map { Int($0) } ?? wrong(piece, expected: "a whole number") }

    /// The number; a complaint if it is none.
    func number(_ piece: LocatedJSON) -> JSONNumber? { coerced(piece) ?? wrong(piece, expected: "a number") }

    private func coerced(_ piece: LocatedJSON) -> JSONNumber? {
        if coercesScalars, let text = piece.json.string { return JSONNumber(text) }
        return piece.json.number
    }

    /// The truth value, false if it is missing.
    func flag(_ piece: LocatedJSON?) -> Bool {
        guard let piece else { return false }
        return piece.json.bool ?? (piece.json.string == "true")
    }

    /// The file's JSON; a complaint with line and column if it is none.
    ///
    /// - Parameter root: the root's location: `$`, or nothing for JSON Pointers.
    func json(_ file: ImportFile, root: String = "$") -> LocatedJSON? {
        // Tools on Windows write one; a parser may ignore it (RFC 8259 §8.1).
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = file.bytes.starts(with: mark) ? Array(file.bytes.dropFirst(mark.count)) : file.bytes
        do throws(JSONError) { return LocatedJSON(json: try JSON(parsing: bytes), file: file.path, path: root) } catch {
            let position = SourcePosition(file: file.path, line: error.line, column: error.column)
            // What a parser expects, a value, does not help with a file that is not JSON.
            let expected = OtherFile.isNoJSON(bytes) ? "JSON" + OtherFile.remark(on: bytes) : error.expected
            complaints.add(found: error.found, expected: expected, at: position)
            return nil
        }
    }
}
