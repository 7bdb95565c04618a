/// Mistakes in arguments that the parser does not notice, or does not explain.
enum ArgumentFlaws {
    /// An argument that is not UTF-8: Swift's text of it would name another file.
    static func notUTF8(_ arguments: [String]) -> Message? {
        arguments.first { $0.unicodeScalars.contains("\u{FFFD}") }.map { argument in
            Message("found bytes that are not UTF-8 in the argument `\(argument)`, expected UTF-8", hint: "rename the file")
        }
    }

    /// A value that begins with a minus sign, which the parser takes for another option.
    ///
    /// - Parameter message: the parser's, such as `Missing value for '--port <port>'`.
    static func negativeValue(_ message: String, _ arguments: [String]) -> Message? {
        let start = "Missing value for '"
        guard message.hasPrefix(start) else { return nil }
        let option = String(message.dropFirst(start.count).prefix { $0 != " " && $0 != "'" })
        guard let value = zip(arguments, arguments.dropFirst()).first(where: { $0.0 == option })?.1, value.hasPrefix("-"),
            value.dropFirst().first?.isNumber == true
        else { return nil }
        return Message("found \(option) \(value), expected a value that does not begin with -, or `\(option)=\(value)`")
    }

    /// `--bank` for `serve`, whose banks are arguments.
    ///
    /// - Parameter message: the parser's, such as `Unknown option '--bank'. Did you mean '--plan'?`.
    static func bankOption(_ message: String, _ arguments: [String]) -> Message? {
        let unknown = "Unknown option '--bank'"
        guard message.hasPrefix(unknown), arguments.first == "serve" else { return nil }
        return Message(unknown, hint: "name the bank without an option, such as `counterfoil serve roundup`")
    }
}
