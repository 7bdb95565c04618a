import BankModel

/// Gives names to what differs from run to run, in the order in which it comes: `key#1`, `id#2`.
struct SequenceNames {
    private var known: [String: [String: String]] = [:]

    /// The name of a value of that kind, which counts from its first occurrence.
    mutating func name(_ kind: String, _ value: String) -> String {
        if let name = known[kind]?[value] { return name }
        let name = "\(kind)#\((known[kind]?.count ?? 0) + 1)"
        known[kind, default: [:]][value] = name
        return name
    }

    /// A token's id in a journal; `unknown` and `empty` belong to no token.
    mutating func token(_ id: String) -> String {
        guard let mark = id.firstIndex(of: "#") else { return id }
        return name(String(id[..<mark]), id)
    }

    /// A text without the numbers of names: those of two versions may differ by one that came before.
    static func uncounted(_ text: String) -> String {
        // Hardly any text has one, and a regular expression takes long to make.
        guard text.utf8.contains(UInt8(ascii: "#")) else { return text }
        return text.replacing(#/\b(id|key|token|refresh|customer)#[0-9]+/#, with: { "\($0.output.1)" })
    }

    // MARK: values

    /// A value of a request by its name, if it differs from run to run: a key, a token's id, a UUID, a time near the request's.
    mutating func named(_ text: String, at now: Instant) -> String {
        if let key = known["key"]?[text] { return key }
        if text.utf8.contains(UInt8(ascii: "#")), text.firstMatch(of: #/^(token|refresh)#[0-9]+$/#) != nil { return token(text) }
        if let time = SequenceNames.time(text, now) { return time }
        // An id may have a prefix, such as `pay-`.
        if text.utf8.count >= 36, isUUID(text.suffix(36)) { return "\(text.dropLast(36))\(name("id", text))" }
        return text.inOneLine
    }

    /// `day-30` for midnight and whole days, `now-5m` for other instants; nil for any other text, and beyond ten years.
    private static func time(_ text: String, _ now: Instant) -> String? {
        let date = CivilDate(text)
        guard let instant = date.map({ Instant($0) }) ?? Instant(rfc3339: text) else { return nil }
        let days = instant.date.daysSinceEpoch - now.date.daysSinceEpoch
        guard abs(days) < 3653 else { return nil }
        if instant == Instant(instant.date) { return "day\(signed(days))" + (date == nil ? "T00:00" : "") }
        // The client's clock may differ a little, and the request takes a moment to arrive.
        let minutes = Int(((instant - now) / .seconds(60)).rounded())
        return minutes == 0 ? "now" : minutes.isMultiple(of: 1440) ? "now\(signed(minutes / 1440))d" : "now\(signed(minutes))m"
    }

    private static func signed(_ number: Int) -> String { number == 0 ? "" : number < 0 ? "\(number)" : "+\(number)" }

    /// The fields of a query or a form, by name.
    mutating func fields(_ text: String, at now: Instant) -> [String] {
        var lines: [String] = []
        for field in text.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { decoded(String($0)) }
            let value = parts.count > 1 ? " = \(named(parts[1], at: now))" : ""
            lines.append("\(parts[0].inOneLine)\(value)")
        }
        return lines.sorted()
    }

    private func decoded(_ text: String) -> String {
        guard let bytes = Escapes.removed(Array(text.utf8), plusIsSpace: true) else { return text }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The body of a request: JSON and forms member by member, anything else by its length.
    mutating func body(_ entry: JournalEntry) -> [String] {
        guard entry.bodyBytes > 0 else { return [] }
        if let json = try? JSON(parsing: entry.requestBody), json.isContainer {
            var lines: [String] = []
            flatten(json, "", entry.at, &lines)
            return lines.sorted()
        }
        let type = entry.requestHeaders.value(of: "content-type") ?? ""
        let text = entry.requestText
        let isForm = type.hasPrefix("application/x-www-form-urlencoded") || type.isEmpty && text.contains("=") && !text.contains("<")
        // A journal has names in place of secrets, so the stored body may be shorter than the one that was sent.
        if isForm, entry.bodyBytes <= JournalEntry.storedBodyBytes { return fields(text, at: entry.at) }
        return ["\(entry.bodyBytes) bytes"]
    }

    private mutating func flatten(_ json: JSON, _ path: String, _ now: Instant, _ lines: inout [String]) {
        switch json {
        case .object(let object) where !object.members.isEmpty:
            // By name: the order of members means nothing, and names count in the order of lines.
            for (key, value) in object.members.sorted(by: { $0.key < $1.key }) {
                flatten(value, path.isEmpty ? key.inOneLine : "\(path).\(key.inOneLine)", now, &lines)
            }
        case .array(let elements) where !elements.isEmpty:
            for (number, element) in elements.enumerated() { flatten(element, "\(path)[\(number)]", now, &lines) }
        case .string(let text): lines.append("\(path) = \(quoted(text, now))")
        default: lines.append("\(path) = \(json.text)")
        }
    }

    private mutating func quoted(_ text: String, _ now: Instant) -> String {
        let named = named(text, at: now)
        return named == text.inOneLine ? JSON.string(text).text : named
    }
}
