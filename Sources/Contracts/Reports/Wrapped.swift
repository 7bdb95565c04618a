/// The text in lines of at most `width` characters, broken at blanks; a longer word has its own line.
///
/// - Parameters:
///   - first: what the first line begins with.
///   - indent: what the others begin with.
package func wrapped(_ text: String, to width: Int = 78, first: String = "", indent: String = "") -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(whereSeparator: \.isWhitespace) {
        if !isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = indent
            isEmpty = true
        }
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
    }
    return lines + [line]
}
