import BankModel
import Platform

/// The reason why a stored state or change cannot be decoded.
package struct ImageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The location in the image, as a dotted path; empty for the whole.
    package let path: String
    package let found: String
    package let expected: String

    package var description: String { "\(path.isEmpty ? "" : "at \(path): ")found \(found), expected \(expected)" }
}

/// Reads the members of an image: a session's state or change written as JSON.
struct ImageReader {
    let value: JSON
    let path: String

    init(_ value: JSON, path: String = "") {
        self.value = value
        self.path = path
    }

    func wrong(_ expected: String) -> ImageError {
        ImageError(path: path, found: value.kindName == "an object" ? "an object" : String(value.text.prefix(40)), expected: expected)
    }

    /// The member of that name; nil if it is missing or null.
    subscript(_ name: String) -> ImageReader? {
        guard let member = value[name], member != .null else { return nil }
        return ImageReader(member, path: path.isEmpty ? name : "\(path).\(name)")
    }

    /// The member of that name; throws if it is missing.
    func member(_ name: String) throws(ImageError) -> ImageReader {
        guard let member = self[name] else { throw ImageError(path: path, found: "no \(name)", expected: "one") }
        return member
    }

    /// The members of an object, by name; none for any other value.
    func members() throws(ImageError) -> [(name: String, value: ImageReader)] {
        var members: [(name: String, value: ImageReader)] = []
        for name in value.object?.keys ?? [] { members.append((name, try member(name))) }
        return members
    }

    func elements() throws(ImageError) -> [ImageReader] {
        guard let elements = value.array else { throw wrong("an array") }
        return elements.enumerated().map { ImageReader($1, path: "\(path)[\($0)]") }
    }

    func list<Value>(_ read: (ImageReader) throws(ImageError) -> Value) throws(ImageError) -> [Value] {
        var values: [Value] = []
        for element in try elements() { values.append(try read(element)) }
        return values
    }

    func text() throws(ImageError) -> String {
        guard let text = value.string else { throw wrong("a text") }
        return text
    }

    func int() throws(ImageError) -> Int {
        guard let int = value.int else { throw wrong("a whole number of 64 bits") }
        return Int(int)
    }

    /// A number that can be counted on from.
    func number31() throws(ImageError) -> Int {
        let number = try int()
        guard (0...Int(Int32.max)).contains(number) else { throw wrong("a number of 31 bits") }
        return number
    }

    func int32() throws(ImageError) -> Int32 { Int32(try number31()) }

    /// A number of 64 bits without sign, written as a text.
    func bits() throws(ImageError) -> UInt64 {
        guard let bits = value.string.flatMap({ UInt64($0) }) else { throw wrong("a whole number without sign as a text") }
        return bits
    }

    func instant() throws(ImageError) -> Instant { Instant(nanoseconds: Int64(try int())) }

    func duration() throws(ImageError) -> Duration {
        let digits = value.number?.digits ?? ""
        if let nanoseconds = Int64(digits) { return .nanoseconds(nanoseconds) }
        guard let seconds = Int64(digits.dropLast(9)), let rest = Int64(digits.suffix(9)), seconds.magnitude <= UInt64.max / 1_000_000_000
        else { throw wrong("a whole number of 64 bits and a sign") }
        return .seconds(seconds) + .nanoseconds(seconds < 0 ? -rest : rest)
    }

    func bool() throws(ImageError) -> Bool {
        guard let bool = value.bool else { throw wrong("true or false") }
        return bool
    }

    func texts() throws(ImageError) -> [String] {
        try list { element throws(ImageError) in try element.text() }
    }

    func pair() throws(ImageError) -> (String, String) {
        let texts = try texts()
        guard texts.count == 2 else { throw wrong("two texts") }
        return (texts[0], texts[1])
    }

    /// One of an enumeration's raw values.
    func choice<Choice: RawRepresentable & CaseIterable>(of type: Choice.Type) throws(ImageError) -> Choice
    where Choice.RawValue == String {
        guard let choice = Choice(rawValue: try text()) else { throw wrong(oneOf(Choice.allCases.map(\.rawValue))) }
        return choice
    }

    /// Bytes: a text if they are UTF-8, else `{"hex": "…"}`.
    func bytes() throws(ImageError) -> [UInt8] {
        if let text = value.string { return Array(text.utf8) }
        guard let bytes = BankModel.bytes(hexadecimal: try member("hex").text()) else { throw wrong("pairs of hexadecimal digits") }
        return bytes
    }
}

extension RowID {
    var image: JSON { ["table": .string(table), "key": .string(key)] }

    init(_ image: ImageReader) throws(ImageError) {
        self.init(table: try image.member("table").text(), key: try image.member("key").text())
    }
}

extension JSON {
    /// The JSON of an image.
    ///
    /// - Throws: ``ImageError`` for bytes that are not JSON; a damaged file may contain anything.
    package init(image bytes: [UInt8]) throws(ImageError) {
        do throws(JSONError) { try self.init(parsing: bytes) } catch {
            throw ImageError(path: "", found: "\(error.found) (line \(error.line), column \(error.column))", expected: error.expected)
        }
    }

    /// Bytes as ``ImageReader/bytes()`` reads them.
    static func image(_ bytes: [UInt8]) -> JSON {
        if let text = String(validUTF8: bytes) { return .string(text) }
        return ["hex": .string(hexadecimal(bytes))]
    }

    static func image(_ texts: String...) -> JSON { .array(texts.map(JSON.string)) }

    static func image(_ instant: Instant) -> JSON { .int(instant.nanoseconds) }

    /// The duration in nanoseconds; between two instants they may need 65 bits.
    static func image(_ duration: Duration) -> JSON {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = attoseconds / 1_000_000_000
        guard seconds != 0 else { return .int(nanoseconds) }
        return JSONNumber("\(seconds)\(padded(nanoseconds.magnitude, 9))").map(JSON.number) ?? .null
    }

    /// An object with these members, sorted by name.
    static func sortedImage(_ members: [String: JSON]) -> JSON {
        .object(JSONObject(unique: members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }))
    }
}
