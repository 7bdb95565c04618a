/// A sequence of `name=value`: a form, a query, a path's parameters, a header's.
extension SecretFields {
    struct PairSigns {
        /// A name begins after one of these.
        let starts: [UInt8]
        /// A secret value ends at one of these; in an ambiguous text all of it is redacted.
        let ends: [UInt8]
        /// Further characters that end a value which is not secret.
        let softEnds: [UInt8]

        static let form = PairSigns(starts: Array("&;?#\r\n".utf8), ends: Array("&".utf8), softEnds: Array(";\r\n".utf8))
        static let path = PairSigns(starts: Array("/;&?".utf8), ends: Array("/;&".utf8), softEnds: [])
        static let header = PairSigns(starts: Array(" \t,;&?#<\"(".utf8), ends: Array(" \t,;&>\")".utf8), softEnds: [])
    }

    func pairs(_ bytes: ArraySlice<UInt8>, _ signs: PairSigns, depth: Int, _ edits: inout Edits) {
        let plainEnds = signs.ends + signs.softEnds
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let end = bytes[position...].firstIndex { $0 == UInt8(ascii: "=") || signs.starts.contains($0) } ?? bytes.endIndex
            guard end < bytes.endIndex, bytes[end] == UInt8(ascii: "=") else {
                // A part without a sign may contain the sign escaped.
                look(into: bytes, position..<end, depth: depth, &edits)
                position = end + 1
                continue
            }
            // A name of many words is a sentence.
            let isName = bytes[position..<end].count { $0 == 0x20 || $0 == UInt8(ascii: "+") } <= 2
            let isSecretValue = isName && isSecret(bytes[position..<end])
            let value = SecretFields.value(bytes, behind: end + 1, isSecretValue ? signs.ends : plainEnds, signs)
            if !isSecretValue {
                look(into: bytes, value, depth: depth, &edits)
            } else if !value.isEmpty {
                let plain = Escapes.removed(Array(bytes[value]), plusIsSpace: true) ?? Array(bytes[value])
                edits.replace(value, with: mark(plain))
            }
            // A value is not searched beyond where the next name begins: else a text of many pairs would take quadratic time.
            position = value.upperBound + 1
        }
    }

    /// A part may be a form, an address or JSON, percent-encoded or not.
    private func look(into bytes: ArraySlice<UInt8>, _ part: Range<Int>, depth: Int, _ edits: inout Edits) {
        guard SecretFields.mayNest(bytes[part]) else { return }
        let text = Array(bytes[part])
        let plain = Escapes.removed(text, plusIsSpace: true)
        guard let clean = blanked(nested: plain ?? text, depth: depth + 1) else { return }
        edits.replace(part, with: plain == nil ? clean : Array(percentEncoded(String(decoding: clean, as: UTF8.self)).utf8))
    }

    /// - Parameter ends: what ends the value, unless it is in quotes.
    private static func value(_ bytes: ArraySlice<UInt8>, behind start: Int, _ ends: [UInt8], _ signs: PairSigns) -> Range<Int> {
        if start < bytes.endIndex, bytes[start] == UInt8(ascii: "\""), signs.starts.contains(UInt8(ascii: "\"")) {
            return start + 1..<(bytes[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.endIndex)
        }
        return start..<(bytes[start...].firstIndex { ends.contains($0) } ?? bytes.endIndex)
    }
}

/// Bodies of several parts (RFC 7578), each with a head that names it.
extension SecretFields {
    func multipart(_ bytes: ArraySlice<UInt8>, depth: Int, _ edits: inout Edits) {
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard line.count > 2 else { return }
        var start = line.endIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstRange(of: [0x0A] + line)?.lowerBound ?? bytes.endIndex
            part(bytes[start..<end], depth: depth, &edits)
            start = min(bytes.endIndex, end + 1 + line.count)
        }
    }

    /// - Parameter bytes: from the end of the boundary's line to the next boundary.
    private func part(_ bytes: ArraySlice<UInt8>, depth: Int, _ edits: inout Edits) {
        var (lineStart, isSecretPart) = (bytes.startIndex, false)
        while let feed = bytes[lineStart...].firstIndex(of: 0x0A) {
            let line = bytes[lineStart..<feed].filter { $0 != 0x0D }
            lineStart = feed + 1
            // The first line is the rest of the boundary's own line.
            if line.isEmpty, feed > bytes.startIndex + 1 { break }
            isSecretPart = isSecretPart || SecretFields.names(inLine: line).contains { isSecret($0[...]) }
        }
        var end = bytes.endIndex
        if end > lineStart, bytes[end - 1] == 0x0D { end -= 1 }
        guard end > lineStart else { return }
        let value = Array(bytes[lineStart..<end])
        if isSecretPart {
            edits.replace(lineStart..<end, with: mark(value))
        } else if let clean = blanked(nested: value, depth: depth + 1) {
            edits.replace(lineStart..<end, with: clean)
        }
    }

    /// The values of `name=` and `name*=` in a header's line, quoted or not.
    private static func names(inLine line: [UInt8]) -> [[UInt8]] {
        line.split { $0 == UInt8(ascii: ";") }.compactMap { piece in
            let pair = piece.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard pair.count == 2 else { return nil }
            let key = String(decoding: pair[0], as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" }
            guard key == "name" || key == "name*" else { return nil }
            let text = pair[1].filter { $0 != UInt8(ascii: "\"") && !$0.isBlank }
            // `UTF-8''…` (RFC 8187 §3.2.1).
            return key == "name" ? Array(text) : Array(text.split(separator: UInt8(ascii: "'")).last ?? [])
        }
    }
}
