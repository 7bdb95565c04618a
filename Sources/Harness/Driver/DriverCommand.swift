package import DriverProtocol
import Foundation

/// How a driver is started: a program and its arguments, without a shell.
package struct DriverCommand: Sendable, Hashable {
    /// As it was given.
    package let text: String
    package private(set) var words: [String]
    /// The client's program as it was given, which messages name even where a shell starts it.
    let program: String
    package let kind: Kind
    /// The arguments that look like relative names of files and name none, each with the folder in which it was looked up.
    private var missing: [String: String] = [:]

    /// How the program is driven.
    package enum Kind: Sendable, Hashable {
        /// It reads steps from stdin until that ends.
        case loop
        /// It is run once for each step, and cannot report its abilities.
        case oneShot(Abilities)
    }

    /// The operations and features of a client that cannot declare them itself.
    package struct Abilities: Sendable, Hashable {
        package var operations: [DriverOperation]
        package var features: [DriverFeature]

        package init(operations: [DriverOperation], features: [DriverFeature] = []) {
            self.operations = operations
            self.features = features
        }
    }

    /// Splits a command line by a shell's word rules: blanks, quotes and backslashes; nothing is expanded.
    ///
    /// - Throws: ``DriverCommandError`` for an open quote, a lone backslash at the end, or no word at all.
    package init(_ text: String, _ kind: Kind = .loop) throws(DriverCommandError) {
        self.text = text
        self.kind = kind
        let words = try DriverCommand.split(text)
        self.words = words
        program = words.first ?? ""
        if program.isEmpty { throw .empty }
    }

    /// The command with those arguments made absolute that name a file seen from a folder: a driver runs in a folder of its own.
    ///
    /// - Parameter isFile: whether there is a file, and no folder, at an absolute path.
    package func resolved(in folder: String, isFile: (String) -> Bool) -> DriverCommand {
        var command = self
        for (index, word) in words.enumerated().dropFirst() where !word.isEmpty && !word.hasPrefix("/") && !word.hasPrefix("-") {
            let path = folder + "/" + word
            if isFile(path) {
                command.words[index] = path
            } else if word.contains("/") || word.contains(".") {
                command.missing[word] = folder
            }
        }
        return command
    }

    /// Which of its arguments, named in what the driver wrote, is not a file; nil if it wrote of none.
    package func missingFile(in text: String) -> String? {
        missing.keys.sorted().first { text.contains($0) }.map { name in
            "found no file `\(name)` in \(missing[name] ?? ""), where counterfoil was started"
        }
    }

    /// The command, started by a shell that sets the limit on files and then becomes it: no write can come before.
    func blockingWrites(_ blocks: Bool) -> DriverCommand {
        var command = self
        // The command may start in another folder: a relative path still begins at the folder of the harness.
        if let program = words.first, program.contains("/"), !program.hasPrefix("/") {
            command.words[0] = FileManager.default.currentDirectoryPath + "/" + program
        }
        let limit = blocks ? "ulimit -S -f 0; " : ""
        command.words = ["/bin/sh", "-c", "trap '' XFSZ; \(limit)exec \"$@\"", "sh"] + command.words
        return command
    }

    /// The options of `counterfoil test` that select the kind; empty for the usual one.
    package var optionsText: String {
        guard case .oneShot(let abilities) = kind else { return "" }
        let features = abilities.features.map(\.rawValue).joined(separator: ",")
        return "--one-shot --operations \(abilities.operations.map(\.rawValue).joined(separator: ","))"
            + (features.isEmpty ? "" : " --features \(features)")
    }

    private static func split(_ text: String) throws(DriverCommandError) -> [String] {
        var words: [String] = []
        var word: String?
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t", "\n":
                if let done = word { words.append(done) }
                word = nil
            case "'":
                guard let end = rest.firstIndex(of: "'") else { throw .openQuote("'") }
                word = (word ?? "") + rest[..<end]
                rest = rest[rest.index(after: end)...]
            case "\"":
                word = (word ?? "") + (try quoted(&rest))
            case "\\":
                guard let next = rest.popFirst() else { throw .loneBackslash }
                word = (word ?? "") + String(next)
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// The text up to the closing double quote, within which a backslash escapes only `"`, `\`, `$` and a backtick.
    private static func quoted(_ rest: inout Substring) throws(DriverCommandError) -> String {
        var text = ""
        while let character = rest.popFirst() {
            if character == "\"" { return text }
            if character == "\\", let next = rest.first, "\"\\$`".contains(next) {
                text.append(next)
                rest.removeFirst()
            } else {
                text.append(character)
            }
        }
        throw .openQuote("\"")
    }
}

/// Why a text is not a command line.
package enum DriverCommandError: Error, Sendable, Hashable, CustomStringConvertible {
    case empty
    case openQuote(String)
    case loneBackslash

    package var description: String {
        switch self {
        case .empty: "found an empty command, expected a program and its arguments"
        case .openQuote(let quote): "found an unclosed \(quote), expected the closing one"
        case .loneBackslash: "found a backslash at the end, expected a character after it"
        }
    }
}
