import ArgumentParser
import BankAdmin
import BankCore
import BankEngine
import BankFiles
import BankImport
import BankModel
import Logging
import Platform
import ProviderCheck
import StubServer

/// A proxy before a real bank: a session of the stub server whose requests the provider answers.
struct ProviderProxy {
    let options: ProxyOptions
    let address: ProviderAddress
    let description: APIDescription

    typealias Passed = (exchanges: [PassedExchange], dropped: Int)

    /// Listens, and forwards until the work returns.
    ///
    /// - Parameters:
    ///   - purpose: the beginning of the line for users, such as `recording`.
    ///   - work: runs meanwhile; cancelled by Ctrl-C, SIGTERM and SIGHUP.
    /// - Returns: all that passed.
    /// - Throws: ``UsageError`` if it cannot listen, or is itself the provider.
    func run(_ purpose: String, while work: @escaping @Sendable (BankSession) async -> Void) async throws -> Passed {
        guard !isProvider else {
            throw UsageError(
                "found the provider \(address.origin), which is the proxy's own address, expected that of a real bank",
                hint: "give the proxy another --port, or another --tls-port")
        }
        do {
            let inputs = [options.providerCa].compactMap(\.self)
            for file in [options.readyFile, options.caOut].compactMap(\.self) { try WholeFile(file).check(isNoneOf: inputs) }
            if let file = options.readyFile { try WholeFile(file).check() }
            if let file = options.providerCa { try AuthoritiesFile.check(file, of: "--provider-ca") }
            let library = BankLibrary.find(options.stubs, readsExpected: false)
            let faults = try options.faults.load(library.plans)
            var limits = ProviderClient.Limits()
            limits.silence = try options.longest()
            limits.connect = min(limits.connect, limits.silence)
            let client = try ProviderClient(address, caFile: options.providerCa, limits: limits)
            let admin = try options.adminPort.map {
                try AdminConfiguration(port: $0, plans: PlanSource(library.plans), bankHost: "127.0.0.1")
            }
            let source = BankSource(bank: .ofProvider(address), files: []) { throw CancellationError() }
            let server = try await StubServer([source], try configuration(), logger: Logger(label: "counterfoil"))
            do {
                guard let session = server.registry.defaultSessions.first else { throw ServerError.noBank }
                session.setUpstream(upstream(client), keepsMessages: true)
                try faults.start(in: session)
                return try await serve(server, session, admin, purpose, work)
            } catch {
                await server.shutdown(grace: .zero)
                throw error
            }
        } catch {
            throw UsageError("\(error)", hint: (error as? FileError)?.hint)
        }
    }

    /// Whether the proxy would listen at the provider's address, and forward each request to itself until no file can be opened.
    private var isProvider: Bool {
        let ports = [options.port ?? ProxyOptions.usualPort, options.tls ? options.tlsPort ?? ProxyOptions.usualTLSPort : nil]
        return ports.contains(address.port) && (address.host.isLoopback || address.host == options.host.lowercased())
    }

    private func serve(
        _ server: StubServer, _ session: BankSession, _ admin: AdminConfiguration?, _ purpose: String,
        _ work: @escaping @Sendable (BankSession) async -> Void
    ) async throws -> Passed {
        let (ready, isReady) = AsyncStream.makeStream(of: String?.self)
        let serving = Task {
            defer { isReady.finish() }
            guard let admin else {
                isReady.yield(nil)
                return try await server.run(beside: nil) { _ in }
            }
            try await server.run(version: Counterfoil.versionText, admin: admin) { event in
                if case .adminReady(let address) = event { isReady.yield(address) }
            }
        }
        var passed: Passed = ([], 0)
        for await admin in ready {
            try announce(server, admin, purpose)
            await interruptible { await work(session) }
            await session.waitForExchanges(within: .seconds(1))
            passed = session.passed()
            server.requestEnd(within: .seconds(1))
            break
        }
        try await serving.value
        return passed
    }

    /// Prints the addresses of the proxy.
    private func announce(_ server: StubServer, _ admin: String?, _ purpose: String) throws {
        let ready = JSON.object(known: [
            "proxy": .string(server.address + address.path), "provider": .string(address.origin + address.path),
            "tls": server.tlsAddress.map { .string($0 + address.path) }, "admin": admin.map(JSON.string),
            "seed": .int(server.configuration.seed),
        ])
        if let file = options.readyFile { try WholeFile(file).write(ready.text + "\n") }
        let addresses = [server.address, server.tlsAddress].compactMap { $0 }.map { $0 + address.path }
        Output.errors.line(
            "\(purpose) \(addresses.joined(separator: " and ")), which forwards to \(address.origin)\(address.path); Ctrl-C ends it")
        if let admin { Output.errors.line("faults: counterfoil fault set … --admin \(admin)") }
        if !options.allowWrites { Output.errors.line(ProviderUpstream.readsOnly) }
        if !address.isSecure, !address.host.isLoopback {
            Output.errors.line("note: tokens and passwords go to \(address.origin) in clear text")
        }
    }

    private func upstream(_ client: ProviderClient) -> ProviderUpstream {
        let (api, origin) = (description, address.origin)
        let reported = Locked<Set<ProviderFailure>>([])
        return ProviderUpstream(
            client, allowsWrites: options.allowWrites, hosts: options.names.hosts(options.host),
            role: { api.role(of: $0, at: origin) },
            failed: { failure in
                guard reported.withLock({ $0.insert(failure).inserted }) else { return }
                let hint = if case .untrusted = failure { "; name its authority with --provider-ca FILE" } else { "" }
                Output.errors.line("counterfoil: the provider did not respond: \(failure)\(hint)".inOneLine)
            })
    }

    private func configuration() throws -> ServerConfiguration {
        var configuration = ServerConfiguration(seed: UInt64.random(in: 0..<1 << 32))
        configuration.host = options.host
        configuration.port = options.port ?? ProxyOptions.usualPort
        configuration.servesOneSession = true
        configuration.journalMemory = 512 << 20
        guard options.tls else { return configuration }
        let authority = try UserFolder.authority.authority(for: configuration.authorityHosts, at: configuration.clock.now())
        if let caOut = options.caOut { try WholeFile(caOut).write(authority.pem + "\n") }
        configuration.tls = TLSSettings(authority: authority, port: options.tlsPort ?? ProxyOptions.usualTLSPort)
        return configuration
    }
}

extension BankSession {
    /// Returns when the time is over, that many requests have ended, the session was closed or the task is cancelled.
    ///
    /// - Parameter changed: called from time to time with whether the journal has changed, and the time since then; returns whether to end.
    func watch(within limit: Duration?, requests: Int?, _ changed: (_ isChanged: Bool, _ quiet: Duration) -> Bool) async {
        let clock = ContinuousClock()
        let began = clock.now
        var (revision, last) = (-1, began)
        while true {
            let current = journalRevision
            let isChanged = current != revision
            if isChanged { (revision, last) = (current, clock.now) }
            let asked = clock.now
            let isEnough = changed(isChanged, clock.now - last)
            let now = clock.now
            let isOver = limit.map { now - began >= $0 } ?? false
            let isDone = requests.map { count in journal().entries.count { $0.durationMicroseconds != nil && $0.method != nil } >= count }
            if isEnough || isOver || isDone ?? false || Task.isCancelled || isClosed { return }
            // A long journal takes its time to judge: the proxy is to have most of it for the client.
            var pause = max(.milliseconds(250), (now - asked) * 4)
            if let limit { pause = min(pause, began + limit - now) }
            try? await Task.sleep(for: pause)
        }
    }
}
