import BankModel

/// JSON whose scalars are replaced in their position, so that white space, the order of members, duplicates and all other digits remain.
enum JSONText {
    /// A text, number, truth value or null.
    struct Leaf {
        /// The members that lead to it, elements of arrays left out.
        var path: [String]
        var value: JSON
    }

    /// The text with replaced scalars; nil if the text is not JSON.
    ///
    /// - Parameters:
    ///   - rename: gives the new name of a member; nil to keep it.
    ///   - replace: gives the new value; nil to keep the bytes as they are.
    static func edited(_ bytes: [UInt8], rename: (String) -> String? = { _ in nil }, _ replace: (Leaf) -> JSON?) -> [UInt8]? {
        guard (try? JSON(parsing: bytes)) != nil else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        // The name of each open container, and whether it is an object.
        var open: [(name: String?, isObject: Bool)] = []
        var name: String?
        var isKey = false
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append((name, byte == UInt8(ascii: "{")))
                isKey = byte == UInt8(ascii: "{")
                if isKey { name = nil }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let last = open.popLast() { name = last.name }
                isKey = false
            case UInt8(ascii: ","): isKey = isKey || open.last?.isObject == true
            case UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: break
            default:
                let end = JSONText.end(of: bytes, at: position)
                let text = Array(bytes[position..<end])
                position = end
                let value = try? JSON(parsing: text)
                if isKey {
                    name = value?.string
                    isKey = false
                    out += name.flatMap(rename).map { JSON.string($0).bytes } ?? text
                } else {
                    let path = open.compactMap { $0.isObject ? $0.name : nil }.filter { !$0.isEmpty } + [name].compactMap(\.self)
                    out += value.flatMap { replace(Leaf(path: path, value: $0)) }?.bytes ?? text
                }
                continue
            }
            out.append(byte)
            position += 1
        }
        return out
    }

    /// Every scalar; nil if the text is not JSON.
    static func leaves(_ bytes: [UInt8]) -> [Leaf]? {
        var leaves: [Leaf] = []
        let text = edited(bytes) { leaf in
            leaves.append(leaf)
            return nil
        }
        return text == nil ? nil : leaves
    }

    private static func end(of bytes: [UInt8], at start: Int) -> Int {
        var position = start + 1
        if bytes[start] == UInt8(ascii: "\"") {
            while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            return min(position + 1, bytes.count)
        }
        while position < bytes.count, !",]} \t\r\n".utf8.contains(bytes[position]) { position += 1 }
        return position
    }
}
