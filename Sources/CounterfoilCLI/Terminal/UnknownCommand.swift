import ArgumentParser
import BankModel

/// A command line that names a command that there is not.
struct UnknownCommand {
    /// The longest list of names that is shown in a message.
    private static let shownNames = 8
    /// Commands of which another does the work, each with that one.
    private static let elsewhere = [
        "counterfoil import openapi": "`counterfoil new bank NAME --openapi FILE` makes a bank from a description",
        "counterfoil import swagger": "`counterfoil new bank NAME --openapi FILE` makes a bank from a description",
        "counterfoil start": "`counterfoil serve` starts the banks", "counterfoil init": "`counterfoil new bank NAME` makes a bank",
        "counterfoil mock": "`counterfoil serve` starts the banks", "counterfoil version": "`counterfoil --version` shows the version",
        "counterfoil proxy": "`counterfoil judge --through URL` and `counterfoil record` forward to a real bank",
    ]

    /// Tools and formats whose files no import reads.
    private static let unread: Set<String> = [
        "mockoon", "json-server", "mockserver", "mountebank", "prism", "insomnia", "bruno", "hoppscotch", "http", "curl", "graphql", "soap",
        "wsdl", "asyncapi", "raml",
    ]

    /// The commands before it, such as `counterfoil fault`.
    let parent: String
    let name: String
    /// The names that stand where it stands.
    let known: [String]

    /// Looks for the first word that is not a command; nil if each word before the first option is one, or an argument of one.
    ///
    /// - Parameters:
    ///   - arguments: the command line, without the program's own name.
    ///   - root: the program.
    init?(_ arguments: [String], below root: any ParsableCommand.Type) {
        var command = root
        var parent = root.configuration.commandName ?? ""
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            guard !argument.hasPrefix("-"), !subcommands.isEmpty, argument != "help" else { return nil }
            guard let next = subcommands.first(where: { $0.configuration.commandName == argument }) else {
                self.parent = parent
                name = argument
                known = subcommands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
                return
            }
            command = next
            parent += " \(argument)"
        }
        return nil
    }

    /// The error, and the command that may be meant.
    var message: Message {
        let expected = known.count > UnknownCommand.shownNames ? "one that `\(parent) --help` lists" : oneOf(known)
        return Message(
            "found the command `\(name)`, expected \(expected)",
            hint: UnknownCommand.elsewhere["\(parent) \(name)"]
                ?? (parent == "counterfoil import" && UnknownCommand.unread.contains(name)
                    ? "no import reads its files; `counterfoil record --provider URL` learns a bank from requests to a server" : nil)
                ?? nearestName(to: name, among: known).map { "did you mean `\(parent) \($0)`?" })
    }
}
