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
            let text = pair[1].filter { $0 != UInt8(ascii: "\"") && !isBlank($0) }
            // `UTF-8''…` (RFC 8187 §3.2.1).
            return key == "name" ? Array(text) : Array(text.split(separator: UInt8(ascii: "'")).last ?? [])
        }
    }
}
