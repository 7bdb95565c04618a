/// The text in lines of at most so many characters, broken at blanks; a word that is longer stands in a line of its own.
///
/// - Parameters:
///   - first: what the first line begins with.
///   - indent: what the others begin with.
func wrapped(_ text: String, to width: Int = 78, first: String = "", indent: String = "") -> [String] {
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
