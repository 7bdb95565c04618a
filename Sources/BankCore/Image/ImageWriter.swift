import BankModel

/// Writes images, which ``ImageReader`` reads: JSON text, member by member.
///
/// Every command of a durable session is encoded while others wait for it, and every checkpoint encodes everything: the bytes
/// are appended directly, without a tree of values, at a fifth of the cost.
struct ImageWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a member or element precedes the next one in the same object or array.
    private var isFollowing = false

    /// - Parameter capacity: the expected number of bytes.
    init(capacity: Int = 2048) { bytes.reserveCapacity(capacity) }

    // MARK: objects and arrays

    mutating func object(_ body: (inout ImageWriter) -> Void) { nested(UInt8(ascii: "{"), UInt8(ascii: "}"), body) }

    mutating func array<Elements: Sequence>(_ elements: Elements, _ write: (Elements.Element, inout ImageWriter) -> Void) {
        nested(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
            for element in elements {
                writer.separate()
                write(element, &writer)
                writer.isFollowing = true
            }
        }
    }

    /// An object whose members' names are data.
    mutating func members<Value>(_ members: [(key: String, value: Value)], _ write: (Value, inout ImageWriter) -> Void) {
        object { writer in
            for member in members {
                writer.separate()
                writer.text(member.key)
                writer.bytes.append(UInt8(ascii: ":"))
                write(member.value, &writer)
                writer.isFollowing = true
            }
        }
    }

    private mutating func nested(_ first: UInt8, _ last: UInt8, _ body: (inout ImageWriter) -> Void) {
        bytes.append(first)
        isFollowing = false
        body(&self)
        bytes.append(last)
        isFollowing = true
    }

    private mutating func separate() { if isFollowing { bytes.append(UInt8(ascii: ",")) } }

    // MARK: members

    /// A member of the object; the closure writes its value.
    mutating func member(_ name: StaticString, _ body: (inout ImageWriter) -> Void) {
        self.name(name)
        body(&self)
        isFollowing = true
    }

    /// Writes a member's name, which needs no escapes.
    private mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        isFollowing = true
    }

    /// A text; nil writes no member.
    mutating func text(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        self.text(text)
    }

    mutating func int(_ name: StaticString, _ number: Int64) {
        self.name(name)
        int(number)
    }

    mutating func instant(_ name: StaticString, _ instant: Instant) { int(name, instant.nanoseconds) }

    /// A value of any kind; nil writes no member.
    mutating func value(_ name: StaticString, _ value: JSON?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    /// Bytes, as ``ImageReader/bytes()`` reads them.
    mutating func octets(_ name: StaticString, _ value: [UInt8]) { self.value(name, .image(value)) }

    // MARK: values

    mutating func text(_ text: String) { JSON.write(text, to: &bytes) }

    mutating func value(_ value: JSON) { value.write(to: &bytes) }

    /// Two texts as an array.
    mutating func pair(_ first: String, _ second: String) {
        bytes.append(UInt8(ascii: "["))
        text(first)
        bytes.append(UInt8(ascii: ","))
        text(second)
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func int(_ number: Int64) {
        var text = String(number)
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }
}
