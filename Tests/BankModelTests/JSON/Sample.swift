import Testing

/// A text of the corpus: its subject and its bytes.
struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// The value in compact form; for valid samples.
    let compact: String

    init(_ name: String, _ text: String, compact: String? = nil) {
        self.name = name
        bytes = Array(text.utf8)
        self.compact = compact ?? text
    }

    init(_ name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        compact = ""
    }

    var testDescription: String { name }
}

/// The text between quotation marks, as bytes of a JSON string that need not be UTF-8.
func quoted(_ bytes: UInt8...) -> [UInt8] { [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")] }

/// A number of nested arrays.
func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
