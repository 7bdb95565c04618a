/// Texts from outside on their way to a terminal or a log: nothing in them may control the display.
extension Unicode.Scalar {
    /// Whether it controls a terminal, or the order of neighbouring characters: C0 and DEL, C1 (ECMA-48), the controls of
    /// bidirectional text (Unicode Standard Annex #9) and Unicode's own line ends.
    package var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The text with every control character but line feed and tab as `\u001b`, which is equivalent within a text of JSON.
    package var withoutControls: String {
        guard unicodeScalars.contains(where: \.isEscaped) else { return self }
        var out = ""
        for scalar in unicodeScalars {
            if scalar.isEscaped { out += scalar.escape } else { out.unicodeScalars.append(scalar) }
        }
        return out
    }

    /// As ``withoutControls``, and in one line: a run of line ends and tabs becomes a space.
    package var inOneLine: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var out = ""
        var wasBreak = false
        for scalar in unicodeScalars {
            let isBreak = scalar == "\n" || scalar == "\r" || scalar == "\t"
            if isBreak, !wasBreak { out += " " }
            if !isBreak {
                if scalar.isControl { out += scalar.escape } else { out.unicodeScalars.append(scalar) }
            }
            wasBreak = isBreak
        }
        return out
    }

    /// The text with the first character of each command to a CI as `\u003a`, which is equivalent within a text of JSON.
    ///
    /// The runner of GitHub Actions takes `::` at the beginning of a line for one, white space before it or not, and `##[` anywhere
    /// (actions/runner, `ActionCommand.cs`); Azure Pipelines takes `##vso[` anywhere (azure-pipelines-agent, `Command.cs`), and TeamCity
    /// `##teamcity[`.
    package var withoutCommands: String {
        let (colon, hash) = (UInt8(ascii: ":"), UInt8(ascii: "#"))
        guard zip(utf8, utf8.dropFirst()).contains(where: { $0 == $1 && ($0 == colon || $0 == hash) }) else { return self }
        var out = ""
        var isBeginning = true
        var rest = unicodeScalars[...]
        while let scalar = rest.first {
            let isCommand = (isBeginning && rest.starts(with: "::".unicodeScalars)) || rest.beginsWithServiceMessage
            if isCommand { out += scalar.escape } else { out.unicodeScalars.append(scalar) }
            isBeginning = scalar == "\n" || (isBeginning && scalar.properties.isWhitespace)
            rest.removeFirst()
        }
        return out
    }

    /// The beginning of a text of more Unicode scalars than the limit, and its length: `abc… (3,900,000 characters in all)`.
    package func shortened(to limit: Int) -> String {
        guard unicodeScalars.dropFirst(limit).first != nil else { return self }
        return String(unicodeScalars.prefix(limit)) + "… (\(grouped(unicodeScalars.count)) characters in all)"
    }

    /// A text of a request within a message: its beginning, in one line.
    package var echoed: String { shortened(to: 60).inOneLine }

    /// The text with each word of more Unicode scalars than the limit shortened: what a sentence repeats from outside may be long, and
    /// what it expects stands at its end.
    package func withShortWords(_ limit: Int) -> String {
        guard unicodeScalars.dropFirst(limit).first != nil else { return self }
        return split(separator: " ", omittingEmptySubsequences: false).map { String($0).shortened(to: limit) }.joined(separator: " ")
    }

    /// As ``withoutControls``, with every further line indented by four spaces: none can imitate a line of ours.
    package var indented: String {
        withoutControls.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n    ")
    }
}

extension Substring.UnicodeScalarView {
    /// Whether it begins with `##`, a word of ASCII letters or none, and `[`.
    fileprivate var beginsWithServiceMessage: Bool {
        starts(with: "##".unicodeScalars) && dropFirst(2).drop { $0.isASCII && $0.properties.isAlphabetic }.first == "["
    }
}

/// The number with a comma before every third digit: `3,900,000`.
private func grouped(_ count: Int) -> String {
    let digits = String(count)
    let head = (digits.count - 1) % 3 + 1
    var out = String(digits.prefix(head))
    var rest = digits.dropFirst(head)
    while !rest.isEmpty {
        out += "," + rest.prefix(3)
        rest = rest.dropFirst(3)
    }
    return out
}

extension Unicode.Scalar {
    fileprivate var isEscaped: Bool { isControl && self != "\n" && self != "\t" }

    fileprivate var escape: String { "\\u" + String(hexadecimal(UInt64(value)).suffix(4)) }
}

extension Character {
    /// The number of a terminal's columns that the character fills: 2 if it is wide (Unicode Standard Annex #11, and emoji), else 1.
    package var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") ? 2 : 1
        }
    }
}

extension StringProtocol {
    /// The number of columns that the text fills, if it is one line.
    package var columns: Int { reduce(0) { $0 + $1.columns } }
}
