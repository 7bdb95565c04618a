import ArgumentParser
import BankAdmin
import BankEngine
import BankFiles
import BankModel
import EventStore
import Faults
import Logging
import Platform
import StubServer
import UnixSignals

extension ServeCommand {
    func run() async throws {
        try FileLimit.raise()
        let results = LateOutput(.results)
        let errors = LateOutput(.errors)
        let code = await serve(until: await EndSignals.caught(), results, errors)
        // Readers have had time until now, and do not delay the end.
        for output in [results, errors] { await output.drain(within: .seconds(1)) }
        if code != 0 { throw ExitCode(code) }
    }

    /// - Returns: the exit code; errors are printed to stderr.
    private func serve(until signals: UnixSignalsSequence, _ results: LateOutput, _ errors: LateOutput) async -> Int32 {
        let notices = quiet ? nil : errors
        do {
            // A caller that waits for the ready file would wait forever.
            for file in [readyFile, caOut].compactMap(\.self) { try WholeFile(file).check(isNoneOf: [state].compactMap(\.self)) }
            if let readyFile { try WholeFile(readyFile).check() }
            let library = BankLibrary.find(stubs, readsExpected: false)
            let sources = try library.sources(banks)
            let plans = library.plans
            let outage = try plan.map { name throws(ComplaintsError) in try plans.load(name) }
            let configuration = try serverConfiguration()
            let publicAdmin = try publicAddress("--public-admin-url", publicAdminUrl, [.node])?.text(configuration.node)
            let admin = try AdminConfiguration(
                port: adminPort, host: adminHost, token: demandedToken, plans: PlanSource(plans),
                hostNames: adminHostName.compactMap { HostPattern($0) },
                publicURL: publicAdmin, bankHost: host)
            let server = try await StubServer(sources, configuration, logger: Logger(label: "counterfoil"))
            // With --quiet too: no fault of a state file is passed over in silence.
            for note in server.stateNotes { errors.line("counterfoil: \(note)") }
            if let outage {
                do throws(UsageError) {
                    try ServeCommand.start(outage, in: server.registry.defaultSessions, notices)
                } catch {
                    await server.shutdown()
                    throw error
                }
            }
            let ready = ReadyNotice(
                server: server, seed: configuration.seed, file: readyFile, results: results, notices: quiet ? nil : .errors,
                ca: tls ? try caOut ?? authorityFolder().certificatePath : nil)
            let drain = drain
            let waiting = Task {
                for await _ in signals {
                    // A second signal ends the wait.
                    guard !server.isDraining else {
                        server.closeConnections()
                        continue
                    }
                    notices?.line("counterfoil: shutting down within \(drain); a second signal ends it at once")
                    server.requestEnd(within: configuration.drainTime)
                }
            }
            defer { waiting.cancel() }
            let unwritten = Locked<FileError?>(nil)
            try await server.run(version: Counterfoil.versionText, admin: admin) { event in
                switch event {
                case .adminReady(let address):
                    ready.announce(admin: publicAdmin ?? address) { error in
                        unwritten.withLock { $0 = error }
                        server.requestEnd()
                    }
                case .reloaded(let bank): notices?.line("counterfoil: bank \(bank) was edited and reloaded")
                case .rejected(let bank, let reason):
                    errors.error("bank \(bank) was edited and has errors; the last valid version stays in use\n\(reason)")
                }
            }
            // A caller that waits for the ready file would wait forever.
            if let error = unwritten.withLock({ $0 }) { throw error }
            return 0
        } catch let error as ComplaintsError {
            errors.line("\(error)")
            errors.error("no bank is served", hint: "fix what is listed above and start again")
        } catch {
            errors.error("\(error)", hint: hint(for: error))
        }
        return 2
    }

    /// What to do about an error of the server or of a file that it writes; nil if its text says it.
    private func hint(for error: any Error) -> String? {
        guard case .cannotListen(_, let taken, _)? = error as? ServerError else { return (error as? FileError)?.hint }
        let question = "is another server running?"
        switch taken {
        case adminPort: return "\(question) --admin-port sets another port, --admin-host another address"
        case tlsPort where tls: return "\(question) --tls-port sets another port"
        default: return "\(question) --port sets another port, --host another address"
        }
    }

    /// Starts the plan in every session.
    ///
    /// - Throws: ``UsageError`` if none of its rules can apply in any.
    private static func start(_ plan: Plan, in sessions: [BankSession], _ notices: LateOutput?) throws(UsageError) {
        var rejections: [String] = []
        for session in sessions {
            do throws(OutageError) {
                let outage = try session.start(plan)
                for reason in outage.skipped { notices?.line("counterfoil: \(plan.name) in \(session.id) skips \(reason)") }
            } catch {
                rejections.append("\(session.id): \(error)")
            }
        }
        guard rejections.count < sessions.count else { throw UsageError("--plan \(plan.name): \(rejections.joined(separator: "\n  "))") }
        for rejection in rejections { notices?.line("counterfoil: not started in \(rejection)") }
    }

    private func serverConfiguration() throws -> ServerConfiguration {
        var configuration = ServerConfiguration(seed: seed ?? UInt64.random(in: 0..<1 << 32))
        configuration.host = host
        configuration.port = port
        configuration.node = node.flatMap { ServerNode($0) }
        configuration.servesDefaultSessions = node == nil || standing
        configuration.corsOrigin = cors
        let isShared = !host.isLoopback || !adminHost.isLoopback || publicUrl != nil || publicAdminUrl != nil
        configuration.webhookHosts = WebhookHosts(named: webhooksTo, isShared: isShared)
        configuration.quotas = try quotaCounts()
        configuration.publicURL = try publicAddress("--public-url", publicUrl)
        configuration.paymentLimit = sessionLimit
        configuration.journalMemory = journalMemory << 20
        if let state { configuration.openLog = { () throws(StoreError) in try EventStore(state) } }
        configuration.sessionTimeToLive = Duration(text: sessionTtl) ?? configuration.sessionTimeToLive
        configuration.drainTime = Duration(text: drain) ?? configuration.drainTime
        if tls {
            // Read only when asked for: to serve in clear text nothing of it is needed.
            let authority = try authorityFolder().authority(for: configuration.authorityHosts, at: configuration.clock.now())
            if let caOut { try WholeFile(caOut).write(authority.pem + "\n") }
            configuration.tls = TLSSettings(authority: authority, port: tlsPort)
        }
        return configuration
    }
}
