import BankModel

/// Gives each thing a distinct name, made of letters, digits and hyphens.
struct Names {
    private var taken: Set<String>
    /// The last number that was put behind each name.
    private var counts: [String: Int] = [:]

    /// - Parameter taken: names that are there already.
    init(taken: Set<String> = []) { self.taken = taken }

    /// A name made from the text; with a number behind it where it is taken.
    mutating func name(for text: String) -> String { unique(slug(text), separator: "-") }

    /// The text; with a number behind it where it is taken.
    mutating func unique(_ base: String, separator: String) -> String {
        var name = base
        while !taken.insert(name).inserted {
            counts[base, default: 1] += 1
            name = "\(base)\(separator)\(counts[base, default: 1])"
        }
        return name
    }

    /// The text as it is, if it could be a name in our files and is not taken; else a name made from it.
    mutating func kept(_ text: String) -> String {
        let isName = (1...60).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_".utf8.contains($0) }
        return isName && taken.insert(text).inserted ? text : name(for: text)
    }
}

/// The text in small letters, all that is not a letter or digit a hyphen, at most 60 characters; `unnamed` if nothing is left.
package func slug(_ text: String) -> String {
    let words = text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let joined = words.joined(separator: "-").prefix(60)
    let trimmed = joined.hasSuffix("-") ? joined.dropLast() : joined
    return trimmed.isEmpty ? "unnamed" : String(trimmed)
}
