package import BankModel

/// Known failures: lines of `pattern  # reason, until 2027-01-01`.
package struct KnownFailing: Sendable {
    package var lines: [Line]

    /// One known failure.
    package struct Line: Sendable, Hashable {
        /// A glob over instances' names; invariants may have the names that they had before 1.0.
        package let pattern: String
        package var reason: String
        /// The last day on which it applies.
        package var until: CivilDate
        package var number: Int
        /// The pattern with present names: it is compared with thousands of names.
        fileprivate let presentPattern: String

        package init(pattern: String, reason: String, until: CivilDate, number: Int) {
            self.pattern = pattern
            presentPattern = Invariant.presentName(pattern)
            self.reason = reason
            self.until = until
            self.number = number
        }
    }

    package init(lines: [Line] = []) { self.lines = lines }

    /// Reads a file. Empty lines and lines that begin with `#` are skipped; reason and date are required.
    package init(_ text: String, file: String, _ complaints: Complaints) {
        lines = []
        // A CRLF is one character; a byte order mark of Windows is no part of the first pattern.
        let plain = text.unicodeScalars.first == "\u{FEFF}" ? text.dropFirst() : text[...]
        for (index, raw) in plain.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = raw.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            let position = SourcePosition(file: file, line: index + 1, column: 1)
            let parts = line.split(separator: "#", maxSplits: 1)
            let note = parts.count == 2 ? parts[1].trimmed : ""
            let words = note.split(separator: " ")
            let date = words.last.flatMap { CivilDate(String($0)) }
            let written = words.dropLast(2).joined(separator: " ")
            let reason = (written.hasSuffix(",") ? written.dropLast() : written[...]).trimmed
            let isDated = words.dropLast().last == "until" && !reason.isEmpty
            if isDated, date == nil, let day = words.last {
                complaints.add(
                    found: "the day `\(clipped(String(day), to: 80))`", expected: "one that exists, such as 2027-01-01", at: position)
                continue
            }
            guard let date, isDated, let pattern = parts.first else {
                complaints.add(found: "`\(clipped(line, to: 80))`", expected: "`pattern  # reason, until 2027-01-01`", at: position)
                continue
            }
            lines.append(Line(pattern: pattern.trimmed, reason: reason, until: date, number: index + 1))
        }
    }

    /// The line that covers a result, or the instance in which an invariant was broken; none whose last day has passed.
    package func line(for name: String, on today: CivilDate) -> Line? {
        let names = [name] + [KnownFailing.instance(of: name)].compactMap(\.self)
        return lines.first { line in today <= line.until && names.contains(where: line.matches) }
    }

    /// The lines whose last day has passed.
    package func expired(on today: CivilDate) -> [Line] { lines.filter { $0.until < today } }

    /// `pay.a@toy[by=x]` of `invariant.bounded@toy in pay.a[by=x]`; nil for a name that is not an invariant's.
    static func instance(of name: String) -> String? {
        guard name.hasPrefix(Invariant.prefix), let at = name.firstIndex(of: "@"), let position = name.firstRange(of: " in "),
            // The name may be out of a report file, with both in any order.
            at < position.lowerBound
        else { return nil }
        let bank = name[name.index(after: at)..<position.lowerBound]
        let contract = name[position.upperBound...]
        let id = contract.prefix { $0 != "[" }
        return "\(id)@\(bank)\(contract.dropFirst(id.count))"
    }

    /// The lines that match none of the names.
    package func unmatched(among names: [String]) -> [Line] {
        lines.filter { !names.contains(where: $0.matches) }
    }

    /// The number of days for which a line written from a run applies.
    package static let days = 30
}

extension KnownFailing.Line {
    fileprivate func matches(_ name: String) -> Bool { globMatches(presentPattern, name) }

    /// The note on a line whose last day has passed.
    var expiry: String { "known-failing line \(number) `\(pattern)` expired on \(until): the failures that it covers count again" }
}

extension ReportDocument {
    /// The failures as a file of known failures: a line for each case and bank of which no instance passed, else for each instance. A line
    /// of the run's own file keeps its reason and its date; the reason of a new one is the cause, and it applies for ``KnownFailing/days``.
    package func knownFailing(on today: CivilDate) -> String {
        let until = CivilDate(daysSinceEpoch: today.daysSinceEpoch + KnownFailing.days)
        let failed = results.filter { $0.verdict == .fail }
        let names = Set(failed.map(\.name))
        // A line for a case covers the invariants that were broken in it.
        let named = failed.filter { result in KnownFailing.instance(of: result.name).map { !names.contains($0) } ?? true }
        let lines = named.map { result in
            let reason = result.known?.reason ?? clipped(result.cause?.title ?? result.headline ?? "it fails", to: 200)
            return "\(pattern(for: result))  # \(reason.inOneLine), until \(result.known?.until ?? until)"
        }
        let title = "# Written by `counterfoil test --write-known-failing` on \(today). Give each line your own reason and date."
        return ([title] + distinct(lines)).joined(separator: "\n") + "\n"
    }

    /// `pay.a@toy[*]` if no instance of the case on the bank passed, else the result's name.
    private func pattern(for result: Result) -> String {
        guard !result.parameters.isEmpty, KnownFailing.instance(of: result.name) == nil else { return result.name }
        let same = results.filter { $0.caseID == result.caseID && $0.bank == result.bank }
        return same.count > 1 && same.allSatisfy { $0.verdict != .pass } ? "\(result.caseID)@\(result.bank)[*]" : result.name
    }
}
