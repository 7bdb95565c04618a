import ArgumentParser
import BankClient
import BankCore
import BankFiles
import BankModel
import Contracts
import Foundation
import ProviderCheck
import StubServer

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare a real API with its stub: the drift report.",
        discussion: """
            Example: counterfoil verify --provider https://sandbox.bank.example --bank counterfoil --token-file token
            Calls every read operation of the provider and of a local stub, and compares the responses' statuses, types and \
            fields; it neither compares nor prints values. Identifiers come from the provider's responses, or from --set.
            Without --allow-writes, only reads are sent, and with --login the bank's sign-in. With --allow-writes, a second token is \
            issued and revoked, and with --from and --to a payment is sent twice with one key. Redirects are reported, never followed.
            With --proxy no comparison is made: reads and sign-ins of a client, and with --allow-writes all its requests, are \
            forwarded to the provider, with faults, as in
            counterfoil verify --provider https://sandbox.bank.example --bank counterfoil --proxy 8090 --fault '{"fault": "close"}'
            Exit codes: 0 no drift, 1 drift, 2 wrong usage or unreadable files, 3 the provider could not be checked, \
            4 nothing was exercised.
            """)

    @Option(help: "The API's base URL, without credentials; the bank's paths are appended.")
    var provider: String

    @Option(help: "The bank to compare with, a folder of --stubs.")
    var bank: String

    @Option(help: "Folder with the banks.")
    var stubs: String?

    @OptionGroup var credentials: VerifyCredentials

    @OptionGroup var payment: VerifyPayment

    @OptionGroup var proxy: VerifyProxy

    @Option(
        name: .customLong("set"),
        help: "A path parameter that no response contains, as name=value or operation.name=value; repeatable.")
    var known: [String] = []

    @Option(help: "Number of requests per operation.")
    var samples = 3

    @Option(parsing: .unconditional, help: "Time limit for a response, such as 10s.", transform: VerifyCommand.readLimit)
    var limit: Duration = .seconds(10)

    @Option(help: "A PEM file of authorities to trust besides the system's.")
    var caFile: String?

    @Option(help: "Write the report as JSON to this file.")
    var json: String?

    @Option(help: "Write the report as JUnit XML to this file.")
    var junit: String?

    func validate() throws {
        guard samples > 0 else { throw ValidationError("found --samples \(samples), expected 1 or more") }
        // The part before an @ is a secret, so the message does not repeat the address.
        guard !provider.contains("@") else {
            throw ValidationError("found --provider with a user or password in it, expected them in --login and --password-file")
        }
        guard provider.hasPrefix("http://") || provider.hasPrefix("https://"), !provider.contains("?"), !provider.contains("#") else {
            throw ValidationError("found --provider \(provider), expected an http or https address without query")
        }
        _ = try values()
        let ofComparison = [
            ("--login", credentials.login), ("--token-file", credentials.tokenFile), ("--from", payment.from), ("--set", known.first),
            ("--json", json), ("--junit", junit),
        ]
        if proxy.proxy != nil, let (name, _) = ofComparison.first(where: { $0.1 != nil }) {
            throw ValidationError("found --proxy and \(name), expected one of them: a proxy compares nothing")
        }
    }

    func run() async throws {
        let inputs = [caFile, credentials.tokenFile, credentials.passwordFile].compactMap(\.self)
        try ReportOutputs.check([junit, json], reading: inputs)
        if let caFile { try AuthoritiesFile.check(caFile) }
        let library = BankLibrary.find(stubs)
        let definition = try library.sources([bank])[0]
        try VerifyCommand.check(Array(values().keys), of: definition.bank)
        let address = provider.withoutSlash
        if proxy.proxy != nil {
            return try await proxy.run(
                definition, plans: library.plans, provider: address, caFile: caFile, limit: limit, allowsWrites: payment.allowWrites)
        }
        let transport = CurlTransport(
            limits: TransportLimits(connect: limit, total: limit, redirects: 0), caFile: caFile, userAgent: "counterfoil-verify/1")
        let options = ProviderOptions(
            known: try values(), samples: samples, credentials: try credentials.read(), allowsWrites: payment.allowWrites,
            payment: try payment.order(defaults: definition.bank.defaults["pay"]),
            now: Instant(nanoseconds: Int64(Date().timeIntervalSince1970 * 1000) * 1_000_000),
            newKey: { UUID().uuidString.lowercased() }, announce: { Output.errors.line("counterfoil: \($0)".inOneLine) })
        let run = ProviderRun(definition.bank, provider: address, transport: transport, options: options)
        let began = ContinuousClock.now
        let report = await interruptible { await run.run() }
        let duration = (ContinuousClock.now - began).nanoseconds / 1_000_000

        Output.results.write(report.text)
        if let json { try ReportOutputs.write(report.json.pretty + "\n", to: json) }
        let command = "counterfoil verify --provider \(RunReport.quoted(address)) --bank \(RunReport.quoted(bank))"
        let document = report.document(command: command, duration: duration)
        if let junit { try ReportOutputs.write(ReportDocument.junit(of: [document.bounded]), to: junit) }
        let code = report.exitCode
        if code != .ok { throw ExitCode(code.rawValue) }
    }

    @Sendable private static func readLimit(_ text: String) throws -> Duration {
        guard let limit = Duration(text: text), limit > .zero, limit <= .seconds(600) else {
            throw ValidationError("found \"\(text)\", expected a time such as 10s, at most 10m")
        }
        return limit
    }

    /// Rejects values of `--set` that no path has a parameter for.
    static func check(_ names: [String], of bank: Bank) throws {
        let known = Set(
            bank.operations.flatMap { operation in operation.path.parameters.flatMap { [$0, "\(operation.name).\($0)"] } }
        ).sorted()
        for name in names.sorted() where !known.contains(name) {
            let hint = didYouMean(name, among: known)
            throw ValidationError("found --set \(name)=…, expected a parameter of a path: \(oneOf(known))\(hint)")
        }
    }

    /// The values of `--set`.
    private func values() throws -> [String: String] {
        var values: [String: String] = [:]
        for text in known {
            guard let mark = text.firstIndex(of: "="), mark != text.startIndex, text.index(after: mark) != text.endIndex else {
                throw ValidationError("found --set \(text), expected name=value or operation.name=value")
            }
            let name = String(text[..<mark])
            guard values.updateValue(String(text[text.index(after: mark)...]), forKey: name) == nil else {
                throw ValidationError("found --set \(name) twice, expected it once")
            }
        }
        return values
    }
}
