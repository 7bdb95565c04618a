package import BankModel

extension JSON {
    /// The JSON of an image: in the packed form of ``ImageWriter``, or as JSON text, which older versions wrote.
    ///
    /// - Throws: ``ImageError`` for bytes that are neither; a damaged file may contain anything.
    package init(image bytes: [UInt8]) throws(ImageError) {
        if bytes.first == ImageTag.format {
            var unpacker = ImageUnpacker(bytes)
            self = try unpacker.image()
            return
        }
        do throws(JSONError) { try self.init(parsing: bytes) } catch {
            throw ImageError(path: "", found: "\(error.found) (line \(error.line), column \(error.column))", expected: error.expected)
        }
    }
}

/// Reads the packed form of an image.
private struct ImageUnpacker {
    private let bytes: [UInt8]
    private var offset = 1
    private var depth = 0
    /// The texts that the image numbers itself.
    private var numbered: [String] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func image() throws(ImageError) -> JSON {
        let value = try value(try byte())
        guard offset == bytes.count else { throw wrong("\(bytes.count - offset) bytes after the value", "none", at: offset) }
        return value
    }

    private mutating func value(_ tag: UInt8) throws(ImageError) -> JSON {
        switch tag {
        case ImageTag.null: return .null
        case ImageTag.no: return false
        case ImageTag.yes: return true
        case ImageTag.int:
            let bits = try varint()
            return .int(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case ImageTag.number:
            let start = offset
            let text = try literal()
            guard let number = JSONNumber(text) else { throw wrong("\(text.prefix(40))", "a number", at: start) }
            return .number(number)
        case ImageTag.array: return .array(try elements())
        case ImageTag.object: return .object(try members())
        default: return .string(try text(tag))
        }
    }

    private mutating func elements() throws(ImageError) -> [JSON] {
        try descend()
        defer { depth -= 1 }
        var elements: [JSON] = []
        while true {
            let tag = try byte()
            if tag == ImageTag.end { return elements }
            elements.append(try value(tag))
        }
    }

    private mutating func members() throws(ImageError) -> JSONObject {
        try descend()
        defer { depth -= 1 }
        var members: [(key: String, value: JSON)] = []
        while true {
            let tag = try byte()
            if tag == ImageTag.end { return JSONObject(members) }
            let name = try text(tag)
            members.append((name, try value(try byte())))
        }
    }

    private mutating func text(_ tag: UInt8) throws(ImageError) -> String {
        let start = offset - 1
        switch tag {
        case ImageTag.text: return try literal()
        case ImageTag.numberedText:
            let text = try literal()
            numbered.append(text)
            return text
        case ImageTag.laterWord: return try word(UInt64(ImageTag.words).addingReportingOverflow(try varint()).partialValue, start)
        case ImageTag.firstWord...: return try word(UInt64(tag - ImageTag.firstWord), start)
        default: throw wrong("the tag \(tag)", "the tag of a text", at: start)
        }
    }

    private func word(_ number: UInt64, _ start: Int) throws(ImageError) -> String {
        let own = UInt64(ImageTag.firstOwnNumber)
        if number < ImageWord.texts.count { return ImageWord.texts[Int(number)] }
        guard number >= own, number - own < numbered.count else {
            throw wrong("the text of number \(number)", "the number of an earlier text", at: start)
        }
        return numbered[Int(number - own)]
    }

    private mutating func literal() throws(ImageError) -> String {
        let start = offset
        let length = try varint()
        guard length <= bytes.count - offset else { throw wrong("\(bytes.count - offset) bytes of a text", "\(length)", at: start) }
        defer { offset += Int(length) }
        guard let text = String(validating: bytes[offset..<(offset + Int(length))], as: UTF8.self) else {
            throw wrong("bytes that are not UTF-8", "a text", at: start)
        }
        return text
    }

    private mutating func varint() throws(ImageError) -> UInt64 {
        let start = offset
        var number: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            let next = try byte()
            guard shift < 63 || next <= 1 else { break }
            number |= UInt64(next & 0x7F) << UInt64(shift)
            if next < 0x80 { return number }
        }
        throw wrong("a number without an end", "one of 64 bits", at: start)
    }

    private mutating func byte() throws(ImageError) -> UInt8 {
        guard offset < bytes.count else { throw wrong("the end", "more bytes", at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    private mutating func descend() throws(ImageError) {
        guard depth < JSON.maximumDepth else { throw wrong("level \(depth + 1)", "at most \(JSON.maximumDepth) levels", at: offset) }
        depth += 1
    }

    private func wrong(_ found: String, _ expected: String, at offset: Int) -> ImageError {
        ImageError(path: "byte \(offset)", found: found, expected: expected)
    }
}
