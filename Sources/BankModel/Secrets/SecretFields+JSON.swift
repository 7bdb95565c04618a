/// JSON and similar text: barewords and single quotes, several values in a row, a truncated value.
extension SecretFields {
    func json(_ bytes: ArraySlice<UInt8>, depth: Int, _ edits: inout Edits) {
        var (position, open) = (bytes.startIndex, 0)
        while position < bytes.endIndex {
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                open -= 1
                position += 1
                guard open <= 0, let next = bytes[position...].firstIndex(where: { !$0.isBlank }) else { continue }
                // The rest is another value, or not JSON at all.
                if !"{[\",".utf8.contains(bytes[next]) { return pairs(bytes[next...], .form, depth: depth, &edits) }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let end = SecretFields.end(ofText: bytes, at: position)
                let inside = position + 1..<max(position + 1, end.isClosed ? end.end - 1 : end.end)
                if let value = SecretFields.value(bytes, behind: end.end) {
                    position = redact(bytes, named: bytes[inside], at: value, &edits)
                } else {
                    look(into: bytes, inside, depth: depth, &edits)
                    position = end.end
                }
            case let byte where open > 0 && SecretFields.isWord(byte):
                let end = bytes[position...].firstIndex { !SecretFields.isWord($0) } ?? bytes.endIndex
                if let value = SecretFields.value(bytes, behind: end) {
                    position = redact(bytes, named: bytes[position..<end], at: value, &edits)
                } else {
                    position = end
                }
            default: position += 1
            }
        }
    }

    /// Redacts a value, if its name is a secret's.
    ///
    /// - Returns: the index at which to continue.
    private func redact(_ bytes: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, at value: Int, _ edits: inout Edits) -> Int {
        guard isSecret(name), value < bytes.endIndex else { return value }
        let isText = bytes[value] == UInt8(ascii: "\"") || bytes[value] == UInt8(ascii: "'")
        let end = SecretFields.end(ofValue: bytes, at: value)
        let text = bytes[value..<end]
        if isText ? text.count <= 2 : text.elementsEqual("null".utf8) { return end }
        let inside = isText ? Array(text.dropFirst().dropLast()) : Array(text)
        let quote = UInt8(ascii: "\"")
        edits.replace(value..<end, with: [quote] + mark(Escapes.removed(inside, plusIsSpace: false) ?? inside) + [quote])
        return end
    }

    /// A text may contain a form or other JSON.
    private func look(into bytes: ArraySlice<UInt8>, _ inside: Range<Int>, depth: Int, _ edits: inout Edits) {
        guard SecretFields.mayNest(bytes[inside]) else { return }
        let text = Array(bytes[inside])
        guard let clean = blanked(nested: Escapes.removed(text, plusIsSpace: false) ?? text, depth: depth + 1) else { return }
        edits.replace(inside, with: Array(JSON.string(String(decoding: clean, as: UTF8.self)).bytes.dropFirst().dropLast()))
    }

    /// The start of the value whose name ends there; nil if no colon follows.
    private static func value(_ bytes: ArraySlice<UInt8>, behind name: Int) -> Int? {
        guard let colon = bytes[name...].firstIndex(where: { !$0.isBlank }), bytes[colon] == UInt8(ascii: ":") else { return nil }
        return bytes[(colon + 1)...].firstIndex { !$0.isBlank } ?? bytes.endIndex
    }

    /// The index after the closing quote of the text that begins there.
    private static func end(ofText bytes: ArraySlice<UInt8>, at start: Int) -> (end: Int, isClosed: Bool) {
        var position = start + 1
        while position < bytes.endIndex, bytes[position] != bytes[start] { position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1 }
        return position < bytes.endIndex ? (position + 1, true) : (bytes.endIndex, false)
    }

    private static func end(ofValue bytes: ArraySlice<UInt8>, at start: Int) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return end(ofText: bytes, at: start).end
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var (position, open) = (start, 0)
            while position < bytes.endIndex {
                switch bytes[position] {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): position = end(ofText: bytes, at: position).end
                case UInt8(ascii: "{"), UInt8(ascii: "["): (position, open) = (position + 1, open + 1)
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    (position, open) = (position + 1, open - 1)
                    if open == 0 { return position }
                default: position += 1
                }
            }
            return bytes.endIndex
        default:
            return bytes[start...].firstIndex { ",}]".utf8.contains($0) || $0 == 0x0A } ?? bytes.endIndex
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80 || "_$-.".utf8.contains(byte)
    }
}
