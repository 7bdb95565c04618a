package import BankModel

/// Failures that are announced: lines of `pattern  # reason, until 2027-01-01`.
package struct KnownFailing: Sendable {
    package var lines: [Line]

    /// One announcement; the pattern is a glob over instances' names.
    package struct Line: Sendable, Hashable {
        package var pattern: String
        package var reason: String
        /// The last day on which it holds.
        package var until: CivilDate
        package var number: Int

        package init(pattern: String, reason: String, until: CivilDate, number: Int) {
            self.pattern = pattern
            self.reason = reason
            self.until = until
            self.number = number
        }
    }

    package init(lines: [Line] = []) { self.lines = lines }

    /// Reads a file. Empty lines and lines that begin with `#` are passed over; reason and date are demanded.
    package init(_ text: String, file: String, _ complaints: Complaints) {
        lines = []
        for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = trimmed(raw)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let place = Place(file: file, line: index + 1, column: 1)
            let parts = line.split(separator: "#", maxSplits: 1)
            let note = parts.count == 2 ? trimmed(parts[1]) : ""
            let words = note.split(separator: " ")
            let date = words.last.flatMap { CivilDate(String($0)) }
            let reason = trimmed(words.dropLast(2).joined(separator: " ").trimmingSuffix(","))
            guard let date, words.dropLast().last == "until", !reason.isEmpty, let pattern = parts.first else {
                complaints.add(found: "`\(clipped(line, to: 80))`", expected: "`pattern  # reason, until 2027-01-01`", at: place)
                continue
            }
            lines.append(Line(pattern: trimmed(pattern), reason: reason, until: date, number: index + 1))
        }
    }

    /// The line that covers an instance on that day; a line whose last day has passed covers nothing.
    package func line(for name: String, on today: CivilDate) -> Line? {
        lines.first { today <= $0.until && globMatches($0.pattern, name) }
    }

    /// The lines that match none of the names.
    package func unmatched(among names: [String]) -> [Line] {
        lines.filter { line in !names.contains { globMatches(line.pattern, $0) } }
    }
}

/// The text without blanks at its ends.
func trimmed(_ text: some StringProtocol) -> String {
    let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    return String(text.drop(while: blank).reversed().drop(while: blank).reversed())
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
