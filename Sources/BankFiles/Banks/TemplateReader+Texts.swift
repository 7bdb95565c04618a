import BankCore
import BankModel

/// The sources of texts that have settings or their own language.
extension TemplateReader {
    func date(_ node: Node) -> ValueSource? {
        let fields = Fields(node, of: DateKeys.schema, complaints)
        let format = fields[DateKeys.format]
        let offset = fields[DateKeys.offset] ?? .zero
        fields.finish()
        guard let format, let text = format.text(complaints) else { return nil }
        guard let pattern = DatePattern(text) else {
            return format.wrong(complaints, "the letters y M d E H h m s S a Z X, text in single quotes, or `epoch` or `unix`")
        }
        return .date(pattern, offset: offset)
    }

    func lacking(_ node: Node) -> ValueSource? {
        guard let words = node.scalar,
            words.split(separator: "{", omittingEmptySubsequences: false).dropFirst().contains(where: { $0.hasPrefix("scope}") })
        else { return node.wrong(complaints, "a text with {scope} in it") }
        return .lacking(words)
    }

    func random(_ node: Node) -> ValueSource? {
        let fields = Fields(node, of: RandomKeys.schema, complaints)
        let (alphabet, length) = (fields[RandomKeys.alphabet]?.text(complaints), fields[RandomKeys.length])
        fields.finish()
        guard let alphabet, let length else { return nil }
        return .random(alphabet: alphabet, length: length)
    }

    func jsonPath(_ text: String, at position: SourcePosition) -> ValueSource? {
        do throws(PatternError) { return .jsonPath(try JSONPath(text)) } catch {
            complaints.add("in the path `\(text)` \(error)", at: position)
            return nil
        }
    }

    /// Warns of a text with `{query.state}` or the like in it, which is sent with its braces: texts are not templates.
    func warnOfBraces(_ node: Node) {
        guard let text = node.scalar, let braces = text.firstMatch(of: #/\{[A-Za-z_][A-Za-z0-9_.:-]*\}/#) else { return }
        loader.complaints.warn(
            "found `\(braces.output)` inside a text, which is sent unchanged, expected a directive as the whole value, such as "
                + "{query: state} (or `{literal: …}`, for literal braces)", at: node.position)
    }
}
