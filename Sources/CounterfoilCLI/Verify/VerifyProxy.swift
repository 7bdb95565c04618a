import ArgumentParser
import BankClient
import BankCore
import BankEngine
import BankFiles
import BankModel
import Faults
import Foundation
import Logging
import ProviderCheck
import StubServer

/// A proxy before a real bank that lets faults happen to what passes.
struct VerifyProxy: ParsableArguments {
    @Option(help: "Instead of comparing, forward requests from this port of 127.0.0.1 (0: any) to the provider, with faults.")
    var proxy: Int?

    @Option(help: "A rule for the proxy as JSON or YAML, a file with one, or - for standard input; repeatable.")
    var fault: [String] = []

    @Option(help: "The outage of the proxy, such as brownout.")
    var plan: String?

    func validate() throws {
        if let proxy, !(0...65535).contains(proxy) { throw ValidationError("found --proxy \(proxy), expected a port from 0 to 65535") }
        guard proxy != nil || fault.isEmpty && plan == nil else {
            throw ValidationError("found --fault or --plan without --proxy, expected both")
        }
    }

    /// Passes on until it is told to end.
    ///
    /// - Throws: exit code 2 if it cannot listen, or if a rule or plan cannot strike here.
    func run(_ bank: LoadedBank, library: BankLibrary, provider: String, transport: CurlTransport) async throws {
        do {
            var configuration = ServerConfiguration(seed: UInt64.random(in: 0..<1 << 32))
            configuration.port = proxy ?? 0
            let rules = try rules()
            let plan = try plan.map { try library.plans.load($0) }
            let server = try await StubServer(
                [BankSource(bank, library: library)], configuration, logger: Logger(label: "counterfoil"))
            do {
                try await serve(server, rules, plan, ProviderUpstream(provider, transport), provider)
            } catch {
                await server.shutdown(grace: .zero)
                throw error
            }
            await server.shutdown()
        } catch {
            Output.errors.error("\(error)")
            throw ExitCode(2)
        }
    }

    private func serve(
        _ server: StubServer, _ rules: [Rule], _ plan: Plan?, _ upstream: ProviderUpstream, _ provider: String
    ) async throws {
        guard let session = server.registry.standing.first else { return }
        session.forward(to: upstream)
        for rule in rules { _ = try session.set(rule) }
        if let plan {
            for reason in try session.start(plan).skipped { Output.errors.line("counterfoil: \(plan.name) skips \(reason)".inOneLine) }
        }
        let ready: JSON = ["proxy": .string(server.address), "provider": .string(provider), "seed": .int(session.seed)]
        Output.results.line(ready.text)
        Output.errors.line("counterfoil: \(server.address) forwards to \(provider); Ctrl-C ends it")
        await interruptible {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
        let entries = session.journal().entries
        let struck = entries.count { $0.fault?.applied ?? false }
        Output.errors.line("counterfoil: forwarded \(counted(entries.count, "exchange")), \(struck) with a fault")
    }

    private func rules() throws -> [Rule] {
        try fault.map { argument in
            let rule = try RuleText(argument)
            return try Complaints.collecting { complaints in
                Node.parse(yaml: rule.yaml, file: rule.file, complaints).flatMap { Rule($0, complaints) }
            }
        }
    }
}
