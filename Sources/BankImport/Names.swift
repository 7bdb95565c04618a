/// Gives each thing a name of its own, made of letters, digits and hyphens.
struct Names {
    private var taken: Set<String> = []

    /// A name made from the text; with a number behind it where it is taken.
    mutating func name(for text: String) -> String {
        let base = slug(text)
        var name = base
        var count = 1
        while !taken.insert(name).inserted {
            count += 1
            name = "\(base)-\(count)"
        }
        return name
    }
}

/// The text in small letters, all that is no letter or digit a hyphen, at most 60 characters; `unnamed` if nothing is left.
package func slug(_ text: String) -> String {
    let words = text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let joined = words.joined(separator: "-").prefix(60)
    let trimmed = joined.hasSuffix("-") ? joined.dropLast() : joined
    return trimmed.isEmpty ? "unnamed" : String(trimmed)
}
