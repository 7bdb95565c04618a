import BankModel

/// Writes images, which ``JSON/init(image:)`` reads: JSON in a packed form (see ``ImageTag``).
///
/// Every command of a durable session is encoded while others wait for it, and every checkpoint encodes everything: the bytes
/// are appended directly, without a tree of values.
struct ImageWriter {
    private(set) var bytes: [UInt8] = []
    /// The numbers of the texts that the image has already, besides those of ``ImageWord``.
    private var numbers: [String: Int] = [:]

    /// - Parameter capacity: the expected number of bytes.
    init(capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
        bytes.append(ImageTag.format)
    }

    // MARK: objects and arrays

    mutating func object(_ body: (inout ImageWriter) -> Void) {
        bytes.append(ImageTag.object)
        body(&self)
        bytes.append(ImageTag.end)
    }

    mutating func array<Elements: Sequence>(_ elements: Elements, _ write: (Elements.Element, inout ImageWriter) -> Void) {
        bytes.append(ImageTag.array)
        for element in elements { write(element, &self) }
        bytes.append(ImageTag.end)
    }

    /// An object whose members' names are data.
    mutating func members<Value>(_ members: [(key: String, value: Value)], _ write: (Value, inout ImageWriter) -> Void) {
        object { writer in
            for member in members {
                writer.text(member.key, isName: true)
                write(member.value, &writer)
            }
        }
    }

    // MARK: members

    /// A member of the object; the closure writes its value.
    mutating func member(_ name: ImageWord, _ body: (inout ImageWriter) -> Void) {
        word(Int(name.rawValue))
        body(&self)
    }

    /// A text; nil writes no member.
    mutating func text(_ name: ImageWord, _ text: String?) {
        guard let text else { return }
        member(name) { $0.text(text) }
    }

    mutating func int(_ name: ImageWord, _ number: Int64) { member(name) { $0.int(number) } }

    mutating func instant(_ name: ImageWord, _ instant: Instant) { int(name, instant.nanoseconds) }

    /// A value of any kind; nil writes no member.
    mutating func value(_ name: ImageWord, _ value: JSON?) {
        guard let value else { return }
        member(name) { $0.value(value) }
    }

    /// Bytes, as ``ImageReader/bytes()`` reads them.
    mutating func octets(_ name: ImageWord, _ value: [UInt8]) { self.value(name, .image(value)) }

    // MARK: values

    /// A text, or the name of a member: its number if the image has it already.
    mutating func text(_ text: String, isName: Bool = false) {
        if let number = ImageWord.numbers[text] { return word(number) }
        let length = text.utf8.count
        guard length <= ImageTag.longestNumbered else { return literal(ImageTag.text, text, length) }
        if let number = numbers[text] { return word(ImageTag.firstOwnNumber + number) }
        guard numbers.count < (isName ? ImageTag.numberedNames : ImageTag.numberedValues) else {
            return literal(ImageTag.text, text, length)
        }
        numbers[text] = numbers.count
        literal(ImageTag.numberedText, text, length)
    }

    mutating func value(_ value: JSON) {
        switch value {
        case .null: bytes.append(ImageTag.null)
        case .bool(let flag): bytes.append(flag ? ImageTag.yes : ImageTag.no)
        case .number(let number):
            // Digit for digit: `100`, `100.0` and `-0` are three texts.
            if let int = Int64(number.digits), String(int) == number.digits {
                self.int(int)
            } else {
                literal(ImageTag.number, number.digits, number.digits.utf8.count)
            }
        case .string(let text): self.text(text)
        case .array(let elements): array(elements) { $1.value($0) }
        case .object(let object): members(object.members) { $1.value($0) }
        }
    }

    /// Two texts as an array.
    mutating func pair(_ first: String, _ second: String) {
        bytes.append(ImageTag.array)
        text(first)
        text(second)
        bytes.append(ImageTag.end)
    }

    private mutating func int(_ number: Int64) {
        bytes.append(ImageTag.int)
        // Zigzag: small numbers of either sign have few bits.
        varint(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    private mutating func word(_ number: Int) {
        if number < ImageTag.words {
            bytes.append(ImageTag.firstWord + UInt8(number))
        } else {
            bytes.append(ImageTag.laterWord)
            varint(UInt64(number - ImageTag.words))
        }
    }

    private mutating func literal(_ tag: UInt8, _ text: String, _ length: Int) {
        bytes.append(tag)
        varint(UInt64(length))
        bytes.append(contentsOf: text.utf8)
    }

    /// Seven bits a byte, the lowest first; all but the last byte have the eighth set.
    private mutating func varint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
