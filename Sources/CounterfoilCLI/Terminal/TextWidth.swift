extension Character {
    /// The number of a terminal's columns that the character fills: 2 if it is wide (Unicode Standard Annex #11, and emoji), else 1.
    var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") ? 2 : 1
        }
    }
}

extension String {
    /// The number of columns that the text fills, if it is one line.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text in at most `limit` columns; `…` stands for what was cut off.
    func clipped(toColumns limit: Int) -> String {
        guard columns > limit else { return self }
        var text = ""
        var used = 1
        for character in self {
            used += character.columns
            if used > limit { break }
            text.append(character)
        }
        return limit > 0 ? text + "…" : ""
    }
}
