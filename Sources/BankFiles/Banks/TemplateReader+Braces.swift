import BankModel

extension TemplateReader {
    /// Warns of a text with `{query.state}` or the like in it, which is sent with its braces: texts are not templates.
    func warnOfBraces(_ node: Node) {
        guard let text = node.scalar, let braces = text.firstMatch(of: #/\{[A-Za-z_][A-Za-z0-9_.:-]*\}/#) else { return }
        loader.complaints.warn(
            "found `\(braces.output)` inside a text, which is sent unchanged, expected a directive as the whole value, such as "
                + "{query: state} (or `{literal: …}`, for literal braces)", at: node.place)
    }
}
