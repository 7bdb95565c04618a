import ArgumentParser
import BankCore
import BankEngine
import BankFiles
import BankModel
import Foundation
import Logging
import ProviderCheck
import StubServer

/// A proxy before a real bank that lets faults happen to what passes.
struct VerifyProxy: ParsableArguments {
    @Option(help: "Instead of comparing, forward requests from this port of 127.0.0.1 (0: any) to the provider, with faults.")
    var proxy: Int?

    @OptionGroup var names: ProxyNames

    @OptionGroup var faults: ProxyFaults

    func validate() throws {
        if let proxy, !(0...65535).contains(proxy) { throw ValidationError("found --proxy \(proxy), expected a port from 0 to 65535") }
        guard proxy != nil || names.hostName.isEmpty else { throw ValidationError("found --host-name without --proxy, expected both") }
        guard proxy != nil || faults.isEmpty else { throw ValidationError("found --fault or --plan without --proxy, expected both") }
    }

    /// Forwards requests until it is stopped.
    ///
    /// - Parameter allowsWrites: whether requests other than reads and sign-ins are forwarded.
    /// - Throws: ``UsageError`` if it cannot listen, or if a rule or plan cannot apply here.
    func run(
        _ definition: BankSource, plans: PlanLibrary, provider: String, caFile: String?, limit: Duration, allowsWrites: Bool
    ) async throws {
        do {
            var configuration = ServerConfiguration(seed: UInt64.random(in: 0..<1 << 32))
            configuration.port = proxy ?? 0
            let faults = try faults.load(plans)
            guard let address = ProviderAddress(provider) else {
                throw UsageError("found --provider \(provider), expected an http or https address")
            }
            var limits = ProviderClient.Limits()
            (limits.connect, limits.silence) = (limit, limit)
            let client = try ProviderClient(address, caFile: caFile, limits: limits)
            let server = try await StubServer([definition], configuration, logger: Logger(label: "counterfoil"))
            let prepared = PreparedBank(definition.bank)
            let upstream = ProviderUpstream(
                client, base: address.path, allowsWrites: allowsWrites, hosts: names.hosts(),
                role: { prepared.router.match($0)?.roles.first { $0 == .login || $0 == .refresh } },
                failed: { if $0 == .loop { Output.errors.line("counterfoil: \(provider): \($0)".inOneLine) } })
            if !allowsWrites { Output.errors.line(ProviderUpstream.readsOnly) }
            do {
                try await serve(server, faults, upstream, provider)
            } catch {
                await server.shutdown(grace: .zero)
                throw error
            }
            await server.shutdown()
        } catch {
            throw UsageError("\(error)", hint: (error as? FileError)?.hint)
        }
    }

    private func serve(_ server: StubServer, _ faults: ProxyFaults.Loaded, _ upstream: ProviderUpstream, _ provider: String) async throws {
        guard let session = server.registry.defaultSessions.first else { return }
        session.setUpstream(upstream)
        try faults.start(in: session)
        let ready: JSON = ["proxy": .string(server.address), "provider": .string(provider), "seed": .int(session.seed)]
        Output.results.line(ready.text)
        Output.errors.line("counterfoil: \(server.address) forwards to \(provider); Ctrl-C ends it")
        await interruptible {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
        let entries = session.journal().entries
        let applied = entries.count { $0.fault?.applied ?? false }
        Output.errors.line("counterfoil: forwarded \(counted(entries.count, "exchange")), \(applied) with a fault")
    }
}
