import ArgumentParser
import BankFiles
import BankImport
import BankModel
import Contracts
import Harness
import Platform

struct NewBank: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bank", abstract: "Create the folder of a bank: a small template, or one from an API description.",
        discussion: """
            Example: counterfoil new bank mybank
                     counterfoil new bank mybank --sign-in code
                     counterfoil new bank mybank --openapi api.yaml
                     counterfoil new bank mybank --openapi api.yaml --confirm
            Then:    counterfoil validate mybank && counterfoil serve mybank
            Writes Stubs/NAME with bank.yaml and fixtures, and Stubs/dialects/NAME.yaml, which has the bank's error responses. With --openapi \
            (3.0, 3.1 or Swagger 2.0, JSON or YAML) each operation returns the description's first example, or a value made from the schema; \
            lists become tables with rows for each customer; pages, filters, errors, tokens, API keys, scopes, required fields and \
            idempotency keys are converted. Roles are listed with their evidence: reads with evidence get their roles; a sign-in, a \
            payment and idempotency keys that only a name suggests are proposed, and are added to the bank with --confirm, or if you \
            answer y at the prompt of a terminal. Every candidate without a role is listed with the reason.
            References to other files are followed inside the description's folder only.
            Existing files are never replaced.
            \(ImportCommand.exitCodes)
            """)

    @Argument(help: "The bank's name: small letters, digits and hyphens.")
    var name: String

    @Option(help: "The OpenAPI description; without it a small template is written.")
    var openapi: String?

    @Option(help: "How customers of the template sign in: password, or code for the bank's page (authorization code with PKCE).")
    var signIn: BankSkeleton.SignIn?

    @Flag
    var confirm: [Confirm] = []

    @Option(help: "Folder of the banks; created if missing.")
    var stubs = "Stubs"

    @OptionGroup
    var importOptions: ImportOptions

    func validate() throws {
        try ImportCommand.check(name, of: "NAME")
        if openapi != nil, let signIn {
            throw ValidationError(
                "found --sign-in \(signIn.rawValue) with --openapi, expected one of them: the description defines how customers sign in")
        }
    }

    func run() throws {
        let folder = stubs.withoutSlash
        let made: Imported
        if let openapi {
            let files = DescriptionFiles(openapi)
            made = try convert(openapi, try files.description(), files)
        } else {
            made = BankSkeleton(name: name, signIn: signIn ?? .password).made
        }
        try ImportWriter(folder: folder, replaces: false).add(made.files, bank: name) { staged throws(ComplaintsError) in
            _ = try BankLibrary(folder: staged).load(name)
        }
        let reach = openapi == nil ? nil : NewBank.reach(name, folder: folder)
        for line in lines(of: made, reach) { Output.errors.line(line.inOneLine) }
        let serve = "counterfoil serve \(name)" + (folder == "Stubs" ? "" : " --stubs \(RunReport.quoted(folder))")
        let report = ImportReport(
            warnings: made.warnings, summary: "\(folder)/\(name): \(counted(made.operations, "operation")); serve it with: \(serve)",
            facts: JSONObject([
                ("bank", .string(name)), ("stubs", .string(folder)), ("operations", .int(made.operations)),
                ("files", .array(made.files.map { .string($0.path) })), ("roles", .array(made.choices.map(\.json))),
                ("reach", reach?.json ?? .null),
            ]))
        try ImportCommand.print(report, importOptions)
    }

    /// Converts the description; at a terminal it asks about what the import proposes.
    private func convert(_ path: String, _ description: Node, _ files: DescriptionFiles) throws(ComplaintsError) -> Imported {
        func converted(_ confirmed: Set<RoleChoice.Confirmation>) throws(ComplaintsError) -> Imported {
            try OpenAPIImport(name: name, confirmed: confirmed).convert(
                description, file: path, name: files.name, neighbour: { files.neighbour($0) })
        }
        let confirmed = Set(confirm.flatMap(\.confirmations))
        let made = try converted(confirmed)
        guard confirm.isEmpty, !importOptions.json, isatty(STDIN_FILENO) == 1 else { return made }
        var accepted: Set<RoleChoice.Confirmation> = []
        for confirmation in RoleChoice.Confirmation.allCases {
            let proposals = made.choices.filter { $0.state == .proposed && $0.role == confirmation.rawValue }
            guard !proposals.isEmpty else { continue }
            for proposal in proposals { Output.errors.line("\(proposal.role): \(proposal.operation): \(proposal.reason)".inOneLine) }
            Output.errors.line("Add this to the bank? [y/N]")
            if ["y", "yes"].contains(readLine()?.lowercased()) { accepted.insert(confirmation) }
        }
        return accepted.isEmpty ? made : try converted(accepted)
    }

    /// What was decided for each role, how a caller signs in, and how many cases apply.
    private func lines(of made: Imported, _ reach: CaseReach?) -> [String] {
        guard !importOptions.json else { return [] }
        return made.choices.map(\.description)
            + [made.signIn.map { "sign-in: \($0)" }, reach?.text, ImportCommand.caution(name)].compactMap(\.self)
    }

    /// How many cases apply to the bank; nil if the contracts cannot be read.
    private static func reach(_ name: String, folder: String) -> CaseReach? {
        let library = BankLibrary.find(folder)
        let found = Complaints()
        let suites = ContractFiles.find(nil, stubs: library).suites(found)
        guard found.errors.isEmpty, !suites.isEmpty, let bank = try? library.load(name).bank else { return nil }
        return CaseReach(BankFacts(bank), suites)
    }
}

extension BankSkeleton.SignIn: ExpressibleByArgument {}

/// What a user confirms: every proposal, or those of one kind.
enum Confirm: String, EnumerableFlag {
    case confirm
    case confirmLogin = "confirm-login"
    case confirmPay = "confirm-pay"
    case confirmKey = "confirm-key"

    static func name(for value: Confirm) -> NameSpecification { .customLong(value.rawValue) }

    static func help(for value: Confirm) -> ArgumentHelp? {
        switch value {
        case .confirm: "Accept everything that the import proposes."
        case .confirmLogin: "Accept the proposed sign-in."
        case .confirmPay: "Accept the proposed payment."
        case .confirmKey: "Accept the proposed idempotency keys."
        }
    }

    /// The proposals that it accepts.
    var confirmations: [RoleChoice.Confirmation] {
        switch self {
        case .confirm: RoleChoice.Confirmation.allCases
        case .confirmLogin: [.login]
        case .confirmPay: [.pay]
        case .confirmKey: [.key]
        }
    }
}
