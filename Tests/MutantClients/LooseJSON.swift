import BankClient
import BankModel

/// A reader of JSON as people write one in an afternoon: it knows no depth, takes the last of two members of one name,
/// passes over commas too many, and never looks at what follows the first value.
struct LooseJSON {
    private let bytes: [UInt8]
    private var index = 0

    /// - Throws: ``ClientFailure`` `decode` for what even it cannot read.
    static func read(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        var reader = LooseJSON(bytes: response.body)
        return try reader.value()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func value() throws(ClientFailure) -> JSON {
        skip(UInt8.isSpace)
        switch peek {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return try text()
        default:
            let start = index
            skip { !$0.isSpace && !",]}".utf8.contains($0) }
            return try scalar(start)
        }
    }

    private mutating func object() throws(ClientFailure) -> JSON {
        index += 1
        var members: [(key: String, value: JSON)] = []
        while true {
            skip { $0.isSpace || $0 == UInt8(ascii: ",") }
            if take(UInt8(ascii: "}")) { return .object(JSONObject(members)) }
            let name = try text().string ?? ""
            skip { $0.isSpace || $0 == UInt8(ascii: ":") }
            members.append((name, try value()))
        }
    }

    private mutating func array() throws(ClientFailure) -> JSON {
        index += 1
        var elements: [JSON] = []
        while true {
            skip { $0.isSpace || $0 == UInt8(ascii: ",") }
            if take(UInt8(ascii: "]")) { return .array(elements) }
            elements.append(try value())
        }
    }

    private mutating func text() throws(ClientFailure) -> JSON {
        let start = index
        guard take(UInt8(ascii: "\"")) else { throw .mutant(.decode) }
        while let byte = peek, byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
        index += 1
        return try scalar(start)
    }

    private func scalar(_ start: Int) throws(ClientFailure) -> JSON {
        guard start < index, index <= bytes.count, let value = try? JSON(parsing: bytes[start..<index]) else { throw .mutant(.decode) }
        return value
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skip(_ isPassed: (UInt8) -> Bool) { while let byte = peek, isPassed(byte) { index += 1 } }
}

extension UInt8 {
    fileprivate var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
    fileprivate static let isSpace: @Sendable (UInt8) -> Bool = { $0.isSpace }
}
