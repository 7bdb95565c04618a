extension Node {
    /// The text, if this is a scalar.
    package var scalar: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// True for a plain `null`, `~` or an empty value.
    package var isNull: Bool {
        if case .scalar(let text, quoted: false) = content { text.isEmpty || text == "null" || text == "~" } else { false }
    }

    /// The text; a complaint if this is not a scalar, or empty.
    package func text(_ complaints: Complaints, expected: String = "a text") -> String? {
        guard let scalar, !scalar.isEmpty else { return wrong(complaints, expected) }
        return scalar
    }

    /// A whole number within the range.
    package func int(in range: ClosedRange<Int>, _ complaints: Complaints) -> Int? {
        let expected =
            range.upperBound == .max
            ? "a whole number, at least \(range.lowerBound)" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let scalar, let number = Int(scalar), range.contains(number) else { return wrong(complaints, expected) }
        return number
    }

    /// A number within the range; for probabilities and the like, never for money.
    package func double(in range: ClosedRange<Double>, _ complaints: Complaints) -> Double? {
        guard let scalar, let number = Double(scalar), range.contains(number) else {
            return wrong(complaints, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// `true` or `false`.
    package func bool(_ complaints: Complaints) -> Bool? {
        switch scalar {
        case "true": true
        case "false": false
        default: wrong(complaints, "true or false")
        }
    }

    /// A duration such as `250ms`, `30s`, `5m`, `2h`, `1d`, at most 100 years.
    package func duration(_ complaints: Complaints) -> Duration? {
        guard let scalar, let duration = Duration(text: scalar) else {
            return wrong(complaints, Duration.expectedText)
        }
        return duration
    }

    /// As ``duration(_:)``, or negative with a leading minus.
    package func signedDuration(_ complaints: Complaints) -> Duration? {
        guard let scalar, scalar.hasPrefix("-") else { return duration(complaints) }
        guard let duration = Duration(text: String(scalar.dropFirst())) else {
            return wrong(complaints, "a duration such as 30s or -5m, at most 36525d (100 years)")
        }
        return .zero - duration
    }

    /// An instant in RFC 3339.
    package func instant(_ complaints: Complaints) -> Instant? {
        guard let scalar, let instant = Instant(rfc3339: scalar) else {
            return wrong(complaints, "an instant such as 2026-01-12T09:15:00Z")
        }
        return instant
    }

    /// One of a closed set of words.
    package func choice<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type, _ complaints: Complaints) -> Word? {
        if let word = scalar.flatMap(Word.init) { return word }
        return choice(among: Word.allCases.map { $0.rawValue }, complaints).flatMap(Word.init)
    }

    /// One of a list of words; a complaint for any other.
    package func choice(among names: [String], _ complaints: Complaints) -> String? {
        guard let scalar else { return wrong(complaints, oneOf(names)) }
        if names.contains(scalar) { return scalar }
        let hint = didYouMean(scalar, among: names)
        return wrong(complaints, oneOf(names) + hint)
    }

    /// The list's elements; a complaint if this is not a list.
    package func elements(_ complaints: Complaints) -> [Node]? {
        guard case .list(let nodes) = content else { return wrong(complaints, "a list") }
        return nodes
    }

    package func texts(_ complaints: Complaints) -> [String]? {
        elements(complaints)?.compactMap { $0.text(complaints) }
    }

    /// Complains that something else was expected here, and returns nil.
    package func wrong<Value>(_ complaints: Complaints, _ expected: String) -> Value? {
        complaints.add(found: kindName, expected: expected, at: position)
        return nil
    }
}
