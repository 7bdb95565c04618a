import BankModel
import CYaml

/// The events of a YAML text, in its order, as libyaml finds them (YAML 1.1).
///
/// libyaml comes with Yams, whose own nodes would be made only to be copied into ours: a third of the time to a bank's first
/// answer (docs/decisions/libraries.md).
final class YAMLEvents {
    enum Event {
        case scalar(String, quoted: Bool, anchor: String?)
        case listStart(anchor: String?)
        case listEnd
        case mappingStart(anchor: String?)
        case mappingEnd
        /// Repeats the node with that anchor.
        case alias(String)
        case documentStart
        case streamEnd
        /// The start of the stream, or the end of a document.
        case other
    }

    private let file: String
    /// On the heap: libyaml keeps pointers into it.
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    private let text: UnsafeBufferPointer<UInt8>

    /// - Parameters:
    ///   - text: in UTF-8; must outlive the events.
    ///   - file: the file's name in positions.
    init(_ text: UnsafeBufferPointer<UInt8>, file: String) {
        self.file = file
        self.text = text
        parser.initialize(to: yaml_parser_t())
        yaml_parser_initialize(parser)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event, and where it begins.
    ///
    /// - Throws: what is wrong with the text, which has no further events then.
    func next() throws(Complaint) -> (event: Event, position: SourcePosition) {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw complaint }
        defer { yaml_event_delete(&event) }
        return (YAMLEvents.event(event), position(event.start_mark))
    }

    private static func event(_ event: yaml_event_t) -> Event {
        let data = event.data
        switch event.type {
        case YAML_SCALAR_EVENT:
            let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
            let isPlain = data.scalar.style == YAML_PLAIN_SCALAR_STYLE
            return .scalar(String(decoding: bytes, as: UTF8.self), quoted: !isPlain, anchor: text(data.scalar.anchor))
        case YAML_SEQUENCE_START_EVENT: return .listStart(anchor: text(data.sequence_start.anchor))
        case YAML_SEQUENCE_END_EVENT: return .listEnd
        case YAML_MAPPING_START_EVENT: return .mappingStart(anchor: text(data.mapping_start.anchor))
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        case YAML_ALIAS_EVENT: return .alias(text(data.alias.anchor) ?? "")
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_STREAM_END_EVENT: return .streamEnd
        default: return .other
        }
    }

    private static func text(_ pointer: UnsafePointer<UInt8>?) -> String? { pointer.map { String(cString: $0) } }

    private func position(_ mark: yaml_mark_t) -> SourcePosition {
        SourcePosition(file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    /// Why there is no next event.
    private var complaint: Complaint {
        let found = parser.pointee
        let problem = found.problem.map { String(cString: $0) } ?? "more than the memory holds"
        guard found.error == YAML_SCANNER_ERROR || found.error == YAML_PARSER_ERROR else {
            return Complaint(
                YAMLEvents.words(for: problem, nil) ?? "found \(problem), expected YAML", at: position(ofByte: found.problem_offset))
        }
        let position = self.position(found.problem_mark)
        guard !problem.hasPrefix("Maximum nesting level") else {
            return Complaint("found more than 1000 levels, expected at most \(JSON.maximumDepth) levels of nesting", at: position)
        }
        if problem == "could not find expected ':'" {
            return Complaint("found a line without `:`, expected a key and its value", at: self.position(found.context_mark))
        }
        if let words = YAMLEvents.words(for: problem, character(at: found.problem_mark)) { return Complaint(words, at: position) }
        let start = found.context_mark.line < found.problem_mark.line ? " that begins in line \(found.context_mark.line + 1)" : ""
        let hint = found.context.map { " (\(YAMLEvents.place(String(cString: $0)))\(start))" } ?? ""
        return Complaint(message(problem, at: found.problem_mark) + hint, at: position)
    }

    /// What libyaml found and expected.
    private func message(_ problem: String, at mark: yaml_mark_t) -> String {
        if problem == "did not find expected key" { return "found another indentation, expected a key indented as the others" }
        if problem == "found unexpected end of stream" { return "found the end of the text, expected the closing quote" }
        guard let unmet = ["did not find expected ", "did not find the expected "].first(where: problem.hasPrefix) else {
            return "found \(problem.trimmingPrefix("found ")), expected YAML"
        }
        let expected = problem.dropFirst(unmet.count)
        guard let character = self.character(at: mark) else { return "found the end of the text, expected \(expected)" }
        let isLineEnd = character == "\n" || character == "\r"
        return "found \(isLineEnd ? "the end of the line" : "`\(character)`"), expected \(expected)"
    }

    /// libyaml's words for what it was reading, in plain words.
    private static func place(_ context: String) -> String {
        switch context {
        case "while parsing a flow mapping": "in a mapping with braces"
        case "while parsing a flow sequence": "in a list with brackets"
        case "while parsing a block mapping": "in a mapping"
        case "while parsing a block collection": "in a list"
        case "while scanning a quoted scalar": "in a quoted text"
        default: context
        }
    }

    /// The usual mistakes in plain words; nil for others, which libyaml's words describe.
    ///
    /// - Parameter character: the one at the position of the problem.
    private static func words(for problem: String, _ character: Unicode.Scalar?) -> String? {
        switch problem {
        case "found character that cannot start any token" where character != "\t":
            character.map { "found `\($0)`, expected a value: a text that begins with this character needs quotes" }
        case "found character that cannot start any token", "found a tab character that violates indentation":
            "found a tab, expected spaces: YAML has no tabs in an indentation"
        case "mapping values are not allowed in this context":
            "found a `:` where no value can begin, expected a key with the indentation of its neighbours, or quotes around a text with `: `"
        case "block sequence entries are not allowed in this context":
            "found a `-` where no list can begin, expected it on a line of its own"
        case "control characters are not allowed": "found a control character, expected none"
        default: nil
        }
    }

    /// The character at a mark, which counts characters; nil at the end of the text.
    private func character(at mark: yaml_mark_t) -> Unicode.Scalar? {
        String(decoding: text, as: UTF8.self).unicodeScalars.dropFirst(Int(mark.index)).first
    }

    private func position(ofByte offset: Int) -> SourcePosition {
        let before = text.prefix(offset)
        let line = before.lastIndex(of: UInt8(ascii: "\n")).map { before[($0 + 1)...] } ?? before
        let column = String(decoding: line, as: UTF8.self).unicodeScalars.count + 1
        return SourcePosition(file: file, line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column)
    }
}
