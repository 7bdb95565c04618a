/// One error in a file or a request: the position, the finding and the expectation.
package struct Complaint: Error, Sendable, Hashable, CustomStringConvertible {
    package let position: SourcePosition
    /// The whole sentence after the position, such as ``unknown key `ordre`, did you mean `order`?``.
    package let message: String
    /// A warning is reported and does not stop anything.
    package let isWarning: Bool

    package init(_ message: String, at position: SourcePosition, isWarning: Bool = false) {
        self.position = position
        self.message = message
        self.isWarning = isWarning
    }

    /// In one line; a word of the file may be as long as the file, and is shortened.
    package var description: String { "\(position): \(isWarning ? "warning: " : "")\(message.withShortWords(500))".inOneLine }
}

/// Collects the complaints of one reading, so that all errors are reported at once.
package final class Complaints {
    package private(set) var all: [Complaint] = []

    package init() {}

    /// The complaints that are not warnings.
    package var errors: [Complaint] { all.filter { !$0.isWarning } }

    package func add(_ message: String, at position: SourcePosition) { all.append(Complaint(message, at: position)) }

    /// Adds the usual form: the finding and the expectation.
    package func add(found: String, expected: String, at position: SourcePosition) {
        add("found \(found), expected \(expected)", at: position)
    }

    package func warn(_ message: String, at position: SourcePosition) { all.append(Complaint(message, at: position, isWarning: true)) }

    package func add(_ complaint: Complaint) { all.append(complaint) }
}

extension [Complaint] {
    /// As many errors and as many warnings of each file as a user can read; after them one complaint with the number of the others.
    ///
    /// A file of 4 MiB can have 200,000 unknown keys, whose messages take 60 MB.
    package var bounded: [Complaint] {
        let limit = 100
        func group(of complaint: Complaint) -> String { "\(complaint.isWarning) \(complaint.position.file ?? "")" }
        let counts = reduce(into: [String: Int]()) { counts, complaint in counts[group(of: complaint), default: 0] += 1 }
        var listed: [String: Int] = [:]
        return compactMap { complaint in
            let its = group(of: complaint)
            let number = listed[its, default: 0] + 1
            listed[its] = number
            let others = counts[its, default: 0] - limit
            // In the place of a single other one its number would tell less. So what is bounded already stays as it is.
            guard number > limit, others > 1 else { return complaint }
            guard number == limit + 1 else { return nil }
            return Complaint(
                "\(others) more \(complaint.isWarning ? "warnings" : "errors")", at: SourcePosition(file: complaint.position.file),
                isWarning: complaint.isWarning)
        }
    }
}

/// A reading that failed, with its complaints, of each file a bounded number (`bounded`), in the order of files and lines.
package struct ComplaintsError: Error, Sendable, CustomStringConvertible {
    package let complaints: [Complaint]

    package init(_ complaints: [Complaint]) { self.complaints = complaints.bounded }

    package var description: String { complaints.map(\.description).joined(separator: "\n") }
}

extension Complaints {
    /// Reads settings and returns the value, or throws all complaints.
    package static func collecting<Value>(_ read: (Complaints) -> Value?) throws(ComplaintsError) -> Value {
        let complaints = Complaints()
        let value = read(complaints)
        guard let value, complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
        return value
    }
}
