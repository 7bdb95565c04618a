/// The values in a text of XML. The text is searched, not parsed, so that the secrets of an invalid document are found, too.
enum MarkupText {
    /// An element without elements in it, or an attribute.
    struct Leaf {
        /// Without a namespace's prefix.
        var name: Substring
        /// As it is written, with its entities.
        var value: Substring
    }

    /// The elements and attributes that have a value, in order; none in a text without elements, or in an SVG image.
    static func leaves(_ text: String) -> [Leaf] {
        var leaves: [Leaf] = []
        guard !text.contains("<svg") else { return leaves }
        var name: Substring = ""
        for piece in text.split(separator: "<", omittingEmptySubsequences: false).dropFirst() {
            if piece.hasPrefix("![CDATA[") {
                let value = piece.dropFirst("![CDATA[".count)
                add(name, value[..<(value.firstRange(of: "]]")?.lowerBound ?? value.endIndex)], to: &leaves)
                continue
            }
            guard let end = piece.firstIndex(of: ">"), let first = piece.first, first.isLetter || first == "_" else { continue }
            let tag = piece[..<end]
            let written = tag.prefix { !$0.isWhitespace && $0 != "/" }
            name = local(written)
            readAttributes(tag[written.endIndex...], into: &leaves)
            add(name, piece[piece.index(after: end)...], to: &leaves)
        }
        return leaves
    }

    /// The text with the values that the function gives; it returns nil to keep one.
    static func edited(_ text: String, _ edit: (Leaf) -> String?) -> String {
        var out = ""
        var position = text.startIndex
        for leaf in leaves(text) {
            guard let new = edit(leaf) else { continue }
            out += text[position..<leaf.value.startIndex] + new
            position = leaf.value.endIndex
        }
        return out + text[position...]
    }

    private static func readAttributes(_ text: Substring, into leaves: inout [Leaf]) {
        var rest = text
        while let sign = rest.firstIndex(of: "=") {
            let after = rest[rest.index(after: sign)...].drop(while: \.isWhitespace)
            guard let name = rest[..<sign].split(whereSeparator: \.isWhitespace).last, let quote = after.first, "\"'".contains(quote),
                let close = after.dropFirst().firstIndex(of: quote)
            else { return }
            // An attribute `name` is that of a field, not of a person.
            if local(name).lowercased() != "name" { add(local(name), after.dropFirst()[..<close], to: &leaves) }
            rest = after[after.index(after: close)...]
        }
    }

    private static func local(_ name: Substring) -> Substring { name.split(separator: ":").last ?? name }

    /// Adds the value without the white space around it, if anything is left.
    private static func add(_ name: Substring, _ value: Substring, to leaves: inout [Leaf]) {
        let begun = value.drop(while: \.isWhitespace)
        guard let last = begun.lastIndex(where: { !$0.isWhitespace }) else { return }
        leaves.append(Leaf(name: name, value: begun[...last]))
    }
}
