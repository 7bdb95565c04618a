import ArgumentParser
import BankCore
import BankFiles
import BankImport
import BankModel
import Contracts
import StubServer

/// What an import of recorded exchanges takes besides its files.
struct TrafficOptions: ParsableArguments {
    /// The help text of each command about secrets.
    static let secrets = """
        Tokens, cookies, passwords and keys are never written; names, ids, e-mail addresses, phone, account and card numbers are \
        replaced, the same value always by the same. The result is searched for all of them, and nothing is written if one is found.
        """

    @Option(help: "Output folder; by default NAME-stubs. It must not exist, or be empty, unless --replace is given.")
    var out: String?

    @Option(help: "The bank's name; by default derived from the source.")
    var name: String?

    @Option(help: "Seed of the replacements: the same seed and source give the same files. By default random, and printed.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Keep the values of a member as they are; repeat it for more. Secrets are never kept.", valueName: "field"))
    var keep: [String] = []

    @Option(help: "Amounts of money: `keep` them, or `jitter` them by up to a tenth.")
    var amounts: TrafficImport.Amounts = .kept

    @Option(
        help: ArgumentHelp("Learn only requests for which this bank has no operation, such as mybank or own/mybank.", valueName: "bank"))
    var onMiss: String?

    @Flag(help: "Write into a folder that is not empty; only this bank, its dialect and its plan are replaced.")
    var replace = false

    @OptionGroup
    var importOptions: ImportOptions

    func validate() throws {
        if let name { try ImportCommand.check(name, of: "--name") }
    }

    /// The bank's name and the output folder.
    ///
    /// - Parameter source: the source's name, from which the bank's is derived.
    func target(of source: String) -> (name: String, folder: String) {
        let derived = slug(source)
        let name = name ?? (ImportWireMock.reserved.contains(derived) ? "recorded" : derived)
        return (name, (out ?? "\(name)-stubs").withoutSlash)
    }

    /// The bank of `--on-miss`; nil if it is not given.
    ///
    /// - Parameter stubs: the folder in which a name alone is looked for; nil to find one as `serve` does.
    /// - Throws: all that is wrong with the bank's files.
    func missing(_ stubs: String? = nil) throws(ComplaintsError) -> PreparedBank? {
        guard let onMiss else { return nil }
        let parts = onMiss.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : nil
        let library = BankLibrary.find(folder.map { $0.isEmpty ? "/" : $0 } ?? stubs, readsExpected: false)
        return try library.sources([String(parts.last ?? "")]).first.map { PreparedBank($0.bank) }
    }

    /// Learns a bank from exchanges, checks it and writes it.
    ///
    /// - Parameters:
    ///   - source: the source's name, from which the bank's is derived.
    ///   - host: the host whose exchanges are learned; nil for the one with most.
    ///   - exchanges: in any order.
    ///   - warnings: what could not be read of the source.
    ///   - inputs: the files that the exchanges come from, and others that the command reads.
    ///   - stubs: the folder in which the bank of `--on-miss` is looked for.
    func write(
        from source: String, host: String?, _ exchanges: [RecordedExchange], _ warnings: [ImportWarning], inputs: [String],
        stubs: String? = nil
    ) throws(ComplaintsError) -> ImportReport {
        let (name, folder) = target(of: source)
        var options = TrafficImport.Options(name: name, seed: seed ?? UInt64.random(in: 1...999_999))
        options.host = host
        options.keep = Set(keep)
        options.amounts = amounts
        options.onMissOf = try missing(stubs)
        let learned = try TrafficImport(options).convert(exchanges, warnings: warnings)
        let imported = learned.imported
        let writer = ImportWriter(folder: folder, replaces: replace, inputs: inputs)
        try writer.write(imported.files, bank: name) { staged throws(ComplaintsError) in
            let library = BankLibrary(folder: staged)
            _ = try library.load(name)
            let errors = library.check([name]).complaints.filter { !$0.isWarning }
            guard errors.isEmpty else { throw ComplaintsError(errors) }
        }
        // A name from the traffic begins no line.
        func list(_ names: [String]) -> String { names.joined(separator: ", ").inOneLine }
        let counts = list(learned.replaced.map { "\($0.member) \($0.count)" })
        let known = learned.known.isEmpty ? "" : "left out, because \(onMiss ?? "") has them: \(list(learned.known))\n"
        let notFound =
            learned.notFound.isEmpty
            ? "" : "only 404 was recorded for \(list(learned.notFound)): remove the operation if its path was mistyped\n"
        let lines = imported.choices.map(\.description) + [ImportCommand.caution(name)].compactMap(\.self)
        let remarks = lines.map { $0.inOneLine + "\n" }.joined()
        let signIn = imported.signIn.map { "\n" + "sign-in: \($0)".inOneLine } ?? ""
        let plan = imported.rules > 0 ? " --plan \(name)" : ""
        return ImportReport(
            warnings: imported.warnings,
            summary: """
                \(remarks)\(known)\(notFound)replaced with seed \(options.seed): \(counts.isEmpty ? "nothing" : counts)\(signIn)
                \(folder)/\(name): \(counted(imported.operations, "operation")), \(counted(imported.rules, "rule")); serve it with: \
                counterfoil serve \(name) --stubs \(RunReport.quoted(folder))\(plan)
                """,
            facts: JSONObject([
                ("bank", .string(name)), ("out", .string(folder)), ("operations", .int(imported.operations)),
                ("rules", .int(imported.rules)), ("seed", .int(options.seed)),
                ("replaced", .object(JSONObject(learned.replaced.map { (key: $0.member, value: JSON.int($0.count)) }))),
                ("files", .array(imported.files.map { .string($0.path) })), ("known", .array(learned.known.map(JSON.string))),
                ("not_found", .array(learned.notFound.map(JSON.string))), ("roles", .array(imported.choices.map(\.json))),
            ]))
    }
}

extension TrafficImport.Amounts: ExpressibleByArgument {}

/// The files of an import of recorded exchanges, and what it takes besides.
struct TrafficFiles: ParsableArguments {
    @Argument(help: "The files to learn from.")
    var files: [String]

    @Option(help: "The host whose traffic is learned; by default the one with the most API requests.")
    var host: String?

    @OptionGroup
    var options: TrafficOptions

    /// Reads the files, learns a bank and writes it.
    ///
    /// - Parameter expected: what a file is, for messages.
    func learn(
        _ expected: String, _ read: ([ImportFile]) throws(ComplaintsError) -> (exchanges: [RecordedExchange], warnings: [ImportWarning])
    ) throws {
        let (exchanges, warnings) = try read(try ImportFile.all(named: files, expected: expected))
        let last = files.first?.split(separator: "/").last ?? "recorded"
        let report = try options.write(from: String(last.prefix { $0 != "." }), host: host, exchanges, warnings, inputs: files)
        try ImportCommand.print(report, options.importOptions)
    }
}

/// Learns a bank from HTTP archives.
struct ImportHAR: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "har", abstract: "Learn a bank from the HAR files of a browser or proxy.",
        discussion: """
            Example: counterfoil import har app.har --out ./Stubs-imported --name mybank
            Then:    counterfoil serve mybank --stubs ./Stubs-imported
            Lists become tables, sign-ins grant tokens, payments between recorded rows move money; every other response is sent as \
            recorded. \(TrafficOptions.secrets)
            \(ImportCommand.exitCodes)
            """)

    @OptionGroup
    var source: TrafficFiles

    func run() throws { try source.learn("a HAR file", HARImport.read) }
}

/// Learns a bank from Postman collections.
struct ImportPostman: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postman", abstract: "Learn a bank from the saved examples of Postman collections.",
        discussion: """
            Example: counterfoil import postman bank.postman_collection.json --out ./Stubs-imported --name mybank
            Reads collections of versions 2.0 and 2.1. Requests with saved examples become operations; variables are resolved from the collection. \
            Scripts are not executed. \(TrafficOptions.secrets)
            \(ImportCommand.exitCodes)
            """)

    @OptionGroup
    var source: TrafficFiles

    func run() throws { try source.learn("a Postman collection", PostmanImport.read) }
}
