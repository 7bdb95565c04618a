/// The bytes sent in answer to one request, with times in milliseconds: `0 head 200, body 500; 300 body 500, whole`.
///
/// The words: `head` and its status, `interim` and the status of a response before it, `cut` for part of a head, `raw` for bytes that
/// are no part of the response (`again`: those of a second one like it), `body` with a number of bytes (`all` or `half` of the
/// head's length), `whole` if the response is complete, `fin` and `rst` of the connection; on
/// HTTP/2 `reset` with its code, and `goaway` with the last stream.
struct Timeline: Equatable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    private struct Moment: Equatable, Sendable {
        let at: Int
        var words: [String]
    }

    private var moments: [Moment] = []

    init() {}

    init(stringLiteral text: String) {
        for part in text.split(separator: ";") {
            let words = part.drop { $0 == " " }
            let time = words.prefix { $0 != " " }
            for word in words.dropFirst(time.count).split(separator: ",") { add(String(word.drop { $0 == " " }), at: Int(time) ?? -1) }
        }
    }

    var description: String { moments.map { "\($0.at) " + $0.words.joined(separator: ", ") }.joined(separator: "; ") }

    var lastWord: String { moments.last?.words.last ?? "" }

    /// The time of the last word.
    var end: Int? { moments.last?.at }

    func has(_ word: String) -> Bool { moments.contains { $0.words.contains { $0.hasPrefix(word) } } }

    /// Whether any byte leaves at that time or later.
    func goesOn(at time: Int) -> Bool { moments.contains { $0.at >= time } }

    /// Adds a word; bytes of a body that leave at the same time are added up.
    mutating func add(_ word: String, at time: Int) {
        if moments.last?.at != time { moments.append(Moment(at: time, words: [])) }
        let last = moments.count - 1
        if let more = Timeline.bytes(word), let before = moments[last].words.last.flatMap(Timeline.bytes) {
            moments[last].words[moments[last].words.count - 1] = "body \(before + more)"
        } else {
            moments[last].words.append(word)
        }
    }

    private static func bytes(_ word: String) -> Int? { word.hasPrefix("body ") ? Int(word.dropFirst(5)) : nil }

    private func map(_ change: (String, Int) -> (String, Int)) -> Timeline {
        var changed = Timeline()
        for moment in moments {
            for word in moment.words {
                let (word, time) = change(word, moment.at)
                changed.add(word, at: time)
            }
        }
        return changed
    }

    /// The same, with everything that does not wait for a release later.
    func later(by wait: Int, upTo release: Int) -> Timeline { map { ($0, $1 < release ? $1 + wait : $1) } }

    /// The same, with everything at one time.
    func together(at time: Int) -> Timeline { map { word, _ in (word, time) } }

    /// The same on a stream of HTTP/2: its end is a reset of the stream, a little later than the bytes.
    var onAStream: Timeline {
        var hasWritten = false
        return map { word, time in
            defer { hasWritten = true }
            let wait = hasWritten ? 20 : 0
            return switch word {
            case "fin": ("reset 2", time + wait)
            case "rst": ("reset 8", time + wait)
            default: (word, time)
            }
        }
    }

    /// With numbers for `all`, `half` and `again`.
    ///
    /// - Parameters:
    ///   - length: the body's.
    ///   - head: the head's.
    func filled(_ length: Int?, head: Int = 0) -> Timeline {
        guard let length else { return self }
        return map { word, time in
            switch word {
            case "body all": ("body \(length)", time)
            case "body half": ("body \(length / 2)", time)
            case "raw again": ("raw \(head + length)", time)
            default: (word, time)
            }
        }
    }
}
