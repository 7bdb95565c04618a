/// Replacements of ranges of a text.
struct Edits {
    private var edits: [(range: Range<Int>, text: [UInt8])] = []

    var isEmpty: Bool { edits.isEmpty }

    /// Adds a replacement after all earlier ones.
    mutating func replace(_ range: Range<Int>, with text: [UInt8]) { edits.append((range, text)) }

    /// The text with all replacements; nil if there are none.
    func made(in bytes: [UInt8]) -> [UInt8]? {
        guard !edits.isEmpty else { return nil }
        var (out, end): ([UInt8], Int) = ([], 0)
        for edit in edits {
            out += bytes[end..<edit.range.lowerBound]
            out += edit.text
            end = edit.range.upperBound
        }
        return out + bytes[end...]
    }
}
