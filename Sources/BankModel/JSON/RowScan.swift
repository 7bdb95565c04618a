import Platform

/// The objects of a large JSON array, found without parsing them, ten times as fast; nil for whatever the parser rejects.
package struct RowScan: Sendable {
    package let bytes: [UInt8]
    /// Each object, from its brace to its brace.
    package private(set) var rows: [Range<Int>] = []
    /// For each requested name, the range of the value in each row; empty if there is none.
    private var columns: [String: [Range<Int>]] = [:]

    /// Scans the array at the path `member`; `names` are the members of its objects that will be requested.
    package init?(_ bytes: [UInt8], at member: [String] = [], columns names: [String]) {
        guard RowScan.isUTF8(bytes) else { return nil }
        self.bytes = bytes
        var found: (rows: [Range<Int>], columns: [[Range<Int>]])?
        bytes.withUnsafeBufferPointer { buffer in
            var skipper = JSONSkipper(buffer, columns: names.map { Array($0.utf8) })
            if skipper.document(at: member[...]) { found = (skipper.rows, skipper.values) }
        }
        guard let found else { return nil }
        rows = found.rows
        for (name, values) in zip(names, found.columns) { columns[name] = values }
    }

    /// The indices at which the elements of the array at that path begin, in JSON that was parsed already; none in anything else.
    package static func elementStarts(_ bytes: [UInt8], at member: [String]) -> [Int] {
        bytes.withUnsafeBufferPointer { buffer in
            var skipper = JSONSkipper(buffer, columns: [], isParsed: true)
            return skipper.document(at: member[...]) ? skipper.rows.map(\.lowerBound) : []
        }
    }

    /// The object at that index, parsed.
    package subscript(_ row: Int) -> JSONObject { (try? JSON(parsing: bytes[rows[row]]))?.object ?? JSONObject() }

    /// The value at a dotted path of a row, as ``JSON/at(_:)`` finds it; nil if any step is missing.
    package func value(_ path: String, _ row: Int) -> JSON? { position(of: path, row).flatMap { try? JSON(parsing: bytes[$0]) } }

    /// As ``value(_:_:)``, for a text without escapes: its bytes, without a copy.
    package func plainBytes(_ path: String, _ row: Int) -> ArraySlice<UInt8>? {
        guard let range = position(of: path, row), range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inner = bytes[range.lowerBound + 1..<range.upperBound - 1]
        return inner.contains(UInt8(ascii: "\\")) ? nil : inner
    }

    private func position(of path: String, _ row: Int) -> Range<Int>? {
        if let column = columns[path], !path.isEmpty {
            if !column[row].isEmpty { return column[row] }
            guard path.utf8.contains(UInt8(ascii: ".")) else { return nil }
        }
        return bytes.withUnsafeBufferPointer { buffer in
            var skipper = JSONSkipper(buffer, columns: [])
            return skipper.value(at: Array(path.utf8)[...], from: rows[row].lowerBound)
        }
    }

    /// Whether the bytes are UTF-8. They are checked in parts, because the check copies them and a table has up to 4 GiB.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            var end = min(rest.startIndex + (1 << 20), bytes.endIndex)
            // No part ends within a character.
            while end < bytes.endIndex, end > rest.startIndex, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            guard end > rest.startIndex, String(validUTF8: rest[..<end]) != nil else { return false }
            rest = rest[end...]
        }
        return true
    }
}
