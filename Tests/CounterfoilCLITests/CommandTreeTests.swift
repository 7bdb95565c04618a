import ArgumentParser
import Testing

@testable import CounterfoilCLI

/// The commands of `counterfoil`, by their configurations.
@Suite struct CommandTreeTests {
    private typealias Command = any ParsableCommand.Type

    /// The command and all below it.
    private static func all(below command: Command) -> [Command] {
        [command] + command.configuration.subcommands.flatMap { all(below: $0) }
    }

    /// ArgumentParser computes a name from the type's name, letter by letter, each time that the program starts: three quarters of
    /// the time of `--version`.
    @Test func `every command has a name of its own`() {
        let commands = Self.all(below: Counterfoil.self)

        #expect(commands.count > 40)
        for command in commands {
            #expect(command.configuration.commandName != nil, "\(command)")
        }
    }

    @Test func `names beside each other differ`() {
        for command in Self.all(below: Counterfoil.self) {
            let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
            #expect(Set(names).count == names.count, "\(names)")
        }
    }

    @Test func `a group that can list or show something does so without a subcommand`() {
        let groups = Self.all(below: Counterfoil.self).filter { !$0.configuration.subcommands.isEmpty }
        #expect(groups.count > 5)
        for group in groups {
            let subcommands = group.configuration.subcommands
            let readOnly = ["list", "show"].lazy
                .compactMap { name in subcommands.first { $0.configuration.commandName == name } }.first
            let byDefault = group.configuration.defaultSubcommand?.configuration.commandName
            #expect(byDefault == readOnly?.configuration.commandName, "\(group)")
        }
    }

    @Test func `the program's commands are in groups`() {
        #expect(Counterfoil.configuration.ungroupedSubcommands.isEmpty)
        #expect(Counterfoil.configuration.groupedSubcommands.map(\.name) == ["Bank", "Testing", "Running server", "Other"])
    }

    @Test(arguments: [80, 100, 160])
    func `no help is wider than the terminal`(columns: Int) {
        var widest = 0
        for command in Self.all(below: Counterfoil.self) {
            let help = HelpText.wrapped(Counterfoil.helpMessage(for: command, columns: columns), columns: columns)
            for line in help.split(separator: "\n") where line.contains(" ") {
                // A word that is wider by itself, such as an address, stays whole.
                let words = line.split(separator: " ").map(\.count).max() ?? 0
                #expect(line.count <= max(columns, words), "\(line)")
                widest = max(widest, line.count)
            }
        }
        // The columns count: a long paragraph fills them.
        #expect(widest > columns * 3 / 4)
    }

    /// A paragraph that was broken in the source would be wrapped twice: a short line in its middle.
    @Test func `help is wrapped once`() {
        var examined = 0
        for command in Self.all(below: Counterfoil.self) {
            let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where line.count > 60 {
                #expect(!(next.first?.isLowercase == true && line.last?.isLetter == true && !next.hasPrefix("counterfoil")), "\(line)")
                examined += 1
            }
        }
        #expect(examined > 0)
    }

    @Test(
        arguments: [
            (["serv"], "counterfoil", "serv", "did you mean `counterfoil serve`?"),
            (["falt", "set", "x"], "counterfoil", "falt", "did you mean `counterfoil fault`?"),
            (["fault", "ste", "{}"], "counterfoil fault", "ste", "did you mean `counterfoil fault set`?"),
            (["outage", "begin"], "counterfoil outage", "begin", nil),
            (["start"], "counterfoil", "start", "`counterfoil serve` starts the banks"),
            (
                ["import", "mockoon", "x.json"], "counterfoil import", "mockoon",
                "no import reads its files; `counterfoil record --provider URL` learns a bank from requests to a server"
            ),
            (["version"], "counterfoil", "version", "`counterfoil --version` shows the version"),
        ])
    func `a mistyped command is named with the nearest`(arguments: [String], parent: String, name: String, hint: String?) throws {
        let unknown = try #require(UnknownCommand(arguments, below: Counterfoil.self))

        #expect(unknown.parent == parent)
        #expect(unknown.name == name)
        #expect(unknown.message.hint == hint)
    }

    @Test func `the value of an unknown option is not taken for a second session`() {
        let error = #expect(throws: (any Error).self) { try JournalCommand.parse(["--session", "mine", "--status", "500"]) }

        #expect(error.map { JournalCommand.message(for: $0).contains("Unknown option '--status'") } == true)
    }

    @Test func `an option for a bank that is an argument is explained`() {
        let flaw = "Unknown option '--bank'. Did you mean '--plan'?"

        #expect(ArgumentFlaws.bankOption(flaw, ["serve", "--bank", "roundup"])?.hint?.contains("serve roundup") == true)
        #expect(ArgumentFlaws.bankOption(flaw, ["fault", "set", "--bank", "roundup"]) == nil)
        #expect(ArgumentFlaws.bankOption("Unknown option '--bnak'", ["serve", "--bnak"]) == nil)
    }

    @Test(arguments: [
        ("--user", "--json", true), ("--limit", "--admin", true), ("--prot", "--port", false), ("--until-quite", "--until-quiet", false),
    ])
    func `an option that is another word is not suggested`(option: String, suggestion: String, isLeftOut: Bool) {
        let found = ArgumentFlaws.farOption("Unknown option '\(option)'. Did you mean '\(suggestion)'?")

        #expect(found?.text == (isLeftOut ? "error: Unknown option '\(option)'" : nil))
    }

    @Test func `a short list of commands is shown`() {
        #expect(
            UnknownCommand(["outage", "begin"], below: Counterfoil.self)?.message.error
                == "found the command `begin`, expected list, show, start or stop")
        #expect(
            UnknownCommand(["begin"], below: Counterfoil.self)?.message.error
                == "found the command `begin`, expected one that `counterfoil --help` lists")
    }

    @Test(
        arguments: [
            ["serve", "roundap"], ["--help"], ["fault", "set", "sett"], ["help", "serv"], ["client", "--drive", "x"], [], ["outage"],
        ])
    func `other lines name no unknown command`(arguments: [String]) {
        #expect(UnknownCommand(arguments, below: Counterfoil.self) == nil)
    }
}
