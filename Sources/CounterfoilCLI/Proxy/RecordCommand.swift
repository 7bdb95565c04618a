import ArgumentParser
import BankEngine
import BankImport
import BankModel
import StubServer

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a real bank through a proxy, and create a bank from it.",
        discussion: """
            Example: counterfoil record --provider https://sandbox.bank.example --out ./Stubs-recorded --name ours --port 9000
            Then:    counterfoil serve ours --stubs ./Stubs-recorded
            Point the app at the proxy's address and use it; Ctrl-C, --for or --requests ends the recording and writes the bank. Only \
            reads and sign-ins (a POST with a password or grant_type) are forwarded, unless --allow-writes. Responses that a fault has \
            changed, or that were cut, are not learned. \(TrafficOptions.secrets)
            Exit codes: 0 written, 1 written, but with --strict and at least one part listed, 2 wrong usage, the proxy cannot listen, or \
            nothing can be written, 4 nothing was recorded: nothing is written.
            """)

    @Option(help: "The real bank's address, such as https://sandbox.bank.example: the app uses the proxy's address in its place.")
    var provider: String

    @OptionGroup var options: TrafficOptions

    @Option(help: "A file that describes the API (`counterfoil schema api`), such as which requests sign in.")
    var api: String?

    @Option(name: .customLong("for"), parsing: .unconditional, help: "End after this time, such as 30s.", transform: readDuration)
    var limit: Duration?

    @OptionGroup(title: "The proxy") var proxy: ProxyOptions

    func validate() throws { _ = try ProxyOptions.address(provider, of: "--provider") }

    func run() async throws {
        let address = try ProxyOptions.address(provider, of: "--provider")
        let inputs = [api].compactMap(\.self)
        let (name, folder) = options.target(of: address.host)
        try ImportWriter(folder: folder, replaces: options.replace, inputs: inputs).check(bank: name)
        let description = try APIDescription(named: api)
        _ = try options.missing(proxy.stubs)
        let (limit, requests) = (limit, proxy.requests)
        let passed = try await ProviderProxy(options: proxy, address: address, description: description).run("recording") { session in
            await session.watch(within: limit, requests: requests) { _, _ in false }
        }
        let exchanges = passed.exchanges.compactMap { RecordedExchange($0, through: address.origin) }
        guard !exchanges.isEmpty else {
            let hint = passed.exchanges.isEmpty ? "point the app at the proxy's address" : "check the provider's address and --allow-writes"
            Output.errors.error("nothing was recorded, so nothing is written", hint: hint)
            throw ExitCode(4)
        }
        if passed.dropped > 0 {
            let verb = passed.dropped == 1 ? "was" : "were"
            Output.errors.line(
                "counterfoil: the first \(counted(passed.dropped, "exchange")) did not fit into memory and \(verb) left out")
        }
        let report = try options.write(from: address.host, host: address.authority, exchanges, [], inputs: inputs, stubs: proxy.stubs)
        try ImportCommand.print(report, options.importOptions)
    }
}
