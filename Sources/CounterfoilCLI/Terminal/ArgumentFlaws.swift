import BankModel

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

    /// An unknown option for which the parser suggests another word, such as `--json` for `--user`: it has no suggestion then.
    ///
    /// - Parameter message: the parser's, such as `Unknown option '--user'. Did you mean '--json'?`.
    static func farOption(_ message: String) -> Message? {
        let parts = message.split(separator: "'").map(String.init)
        guard parts.count == 5, parts[0] == "Unknown option ", parts[2].hasPrefix(". Did you mean") else { return nil }
        let plain = { (option: String) in String(option.drop { $0 == "-" }) }
        return nearestName(to: plain(parts[1]), among: [plain(parts[3])]) == nil ? Message("Unknown option '\(parts[1])'") : nil
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
