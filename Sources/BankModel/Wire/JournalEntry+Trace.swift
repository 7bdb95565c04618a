extension JournalEntry {
    /// The request's position in a distributed trace, by its `traceparent` header (W3C Trace Context §3.2); nil without a valid one.
    package var traceparent: String? {
        let values = requestHeaders.filter { $0.name.lowercased() == "traceparent" }.map(\.value)
        guard values.count == 1, let value = values.first, JournalEntry.isTraceparent(value) else { return nil }
        return value
    }

    /// Whether the text is version, trace id, parent id and flags in small hexadecimal digits. A later version may have more behind them.
    private static func isTraceparent(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ isHexadecimal($0, count: $1) }) else { return false }
        let isNamed = [parts[1], parts[2]].allSatisfy { id in id.contains { $0 != "0" } }
        return isNamed && parts[0] != "ff" && (parts[0] != "00" || parts.count == 4)
    }

    private static func isHexadecimal(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
