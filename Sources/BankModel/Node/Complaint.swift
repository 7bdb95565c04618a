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

    package var description: String { "\(position): \(isWarning ? "warning: " : "")\(message)".inOneLine }
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

/// A reading that failed, with every complaint, in the order of files and lines.
package struct ComplaintsError: Error, Sendable, CustomStringConvertible {
    package let complaints: [Complaint]

    package init(_ complaints: [Complaint]) { self.complaints = complaints }

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
