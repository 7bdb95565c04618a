/// The text as it may stand in XML 1.0 and in HTML, in quotes too: the five characters of markup by number or name, and
/// what XML forbids or nobody sees (control characters) as U+FFFD.
func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": out += "&amp;"
        case "<": out += "&lt;"
        case ">": out += "&gt;"
        case "\"": out += "&quot;"
        case "'": out += "&#39;"
        case "\n", "\t": out.unicodeScalars.append(scalar)
        default: out.unicodeScalars.append(isShown(scalar) ? scalar : "\u{FFFD}")
        }
    }
    return out
}

private func isShown(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value != 0x7F && scalar.value != 0xFFFE && scalar.value != 0xFFFF
}
