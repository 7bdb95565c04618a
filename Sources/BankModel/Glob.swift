/// Whether the text matches the pattern, in which `*` stands for any text and every other character for itself.
package func globMatches(_ pattern: String, _ text: String) -> Bool {
    let (pattern, text) = (Array(pattern.utf8), Array(text.utf8))
    var (p, t) = (0, 0)
    var retry: (pattern: Int, text: Int)?
    while t < text.count {
        if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
            retry = (p + 1, t)
            p += 1
        } else if p < pattern.count, pattern[p] == text[t] {
            (p, t) = (p + 1, t + 1)
        } else if let (after, start) = retry {
            retry = (after, start + 1)
            (p, t) = (after, start + 1)
        } else {
            return false
        }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
}
