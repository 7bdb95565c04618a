/// Whether a stream gets colours.
enum Colour {
    /// Decides by the environment: `NO_COLOR` (https://no-color.org) goes before `CLICOLOR_FORCE`, and that before `CLICOLOR`
    /// (https://bixense.com/clicolors/).
    ///
    /// - Parameters:
    ///   - isTerminal: whether the stream is a terminal.
    ///   - variable: a variable of the environment; nil if it is not set or empty.
    static func isWanted(isTerminal: Bool, variable: (String) -> String?) -> Bool {
        if variable("NO_COLOR") != nil { return false }
        if let forced = variable("CLICOLOR_FORCE"), forced != "0" { return true }
        if variable("CLICOLOR") == "0" { return false }
        return isTerminal && variable("TERM") != "dumb"
    }
}

/// A colour of text (ECMA-48 §8.3.117, SGR), out of the eight that every terminal lets its user choose.
enum Style: String {
    case red = "1;31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
    case bold = "1"

    func applied(to text: some StringProtocol) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
