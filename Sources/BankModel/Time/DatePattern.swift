/// How an instant is written, in the letters of Java's `SimpleDateFormat` and Unicode's date patterns: `yyyy-MM-dd'T'HH:mm:ss'Z'`.
///
/// The letters are y, M, d, E, H, h, m, s, S, a, Z and X, in UTC and English; text is in single quotes. `epoch` and `unix` are the
/// milliseconds and the seconds since 1970.
package struct DatePattern: Sendable, Hashable {
    package let source: String
    private let pieces: [Piece]

    private enum Piece: Hashable {
        case text(String)
        case letters(Character, Int)
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]
    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    /// The pattern; nil if a letter in it is not one of those.
    package init?(_ source: String) {
        self.source = source
        var pieces: [Piece] = []
        if source == "epoch" || source == "unix" {
            self.pieces = [.letters(source == "epoch" ? "L" : "l", 1)]
            return
        }
        var rest = Substring(source)
        while let character = rest.popFirst() {
            if character == "'" {
                if rest.first == "'" {
                    rest = rest.dropFirst()
                    pieces.append(.text("'"))
                    continue
                }
                guard let end = rest.firstIndex(of: "'") else { return nil }
                pieces.append(.text(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if character.isASCII, character.isLetter {
                guard "yMdEHhmsSaZX".contains(character) else { return nil }
                let count = 1 + rest.prefix { $0 == character }.count
                rest = rest.dropFirst(count - 1)
                pieces.append(.letters(character, count))
            } else {
                pieces.append(.text(String(character)))
            }
        }
        self.pieces = pieces
    }

    /// The instant in this pattern.
    package func text(_ instant: Instant) -> String {
        let (date, second) = (instant.date, instant.nanosecondsOfDay / 1_000_000_000)
        let millisecond = instant.nanosecondOfSecond / 1_000_000
        return pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let literal): text += literal
            case .letters(let letter, let count):
                switch letter {
                case "y": text += count == 2 ? padded(date.year % 100, 2) : padded(date.year, count)
                case "M":
                    let name = DatePattern.months[date.month - 1]
                    text += count > 3 ? name : count == 3 ? String(name.prefix(3)) : padded(date.month, count)
                case "d": text += padded(date.day, count)
                case "E":
                    let name = DatePattern.weekdays[date.weekday]
                    text += count > 3 ? name : String(name.prefix(3))
                case "H": text += padded(second / 3600, count)
                case "h": text += padded((second / 3600 + 11) % 12 + 1, count)
                case "m": text += padded(second / 60 % 60, count)
                case "s": text += padded(second % 60, count)
                case "S": text += padded(millisecond, count)
                case "a": text += second < 43_200 ? "AM" : "PM"
                case "Z": text += "+0000"
                case "L": text += "\(instant.seconds * 1000 + millisecond)"
                case "l": text += "\(instant.seconds)"
                default: text += "Z"
                }
            }
        }
    }
}
