import BankAdmin
import BankEngine
import BankFiles
import BankModel
import EventStore
import Faults
import Logging
import Platform
import StubServer
import Synchronization
import UnixSignals

/// The settings of `serve`, and serving with them.
struct ServeSettings: Sendable, Hashable {
    var banks: [String] = []
    var host = "127.0.0.1"
    var port = 8080
    var adminPort = 8081
    var adminHost = "127.0.0.1"
    var adminToken: String?
    var stubs: String?
    var seed: UInt64?
    /// The name of this server among several.
    var node: String?
    /// The address by which clients reach the banks through a proxy.
    var publicUrl: String?
    /// The address by which people reach the admin API through a proxy.
    var publicAdminUrl: String?
    /// More names under which the admin API may be called.
    var adminHostNames: [String] = []
    /// The hosts besides this machine that webhooks may be sent to.
    var webhookHosts: [String] = []
    /// The folder of the certificate authority; nil for the user's.
    var authority: String?
    /// Whether the banks themselves answer on a node.
    var standing = false
    var cors: String?
    var sessionTtl = "1h"
    /// How many sessions may have one value of a label, each such as `team=50`.
    var quotas: [String] = []
    /// The time limit for responses in progress at shutdown.
    var drain = "30s"
    /// How many payments one session holds.
    var sessionLimit = 200_000
    var journalMemory = 64
    /// The file in which all sessions are kept.
    var state: String?
    var readyFile: String?
    var quiet = false
    var tls = false
    var tlsPort = 8443
    var caOut: String?
    /// The outage that every default session begins with.
    var plan: String?

    /// Rejects what cannot be served.
    func check() throws(UsageError) {
        for (name, port) in [("--port", port), ("--admin-port", adminPort), ("--tls-port", tlsPort)] where !(0...65_535).contains(port) {
            throw UsageError("found \(name) \(port), expected a port from 0 to 65535")
        }
        guard port != adminPort || port == 0 else { throw UsageError("found --port and --admin-port both \(port), expected two ports") }
        guard let ttl = Duration(text: sessionTtl), ttl > .zero else {
            throw UsageError("found --session-ttl \(sessionTtl), expected \(Duration.expectedText)")
        }
        guard let time = Duration(text: drain), time >= .zero else {
            throw UsageError("found --drain \(drain), expected \(Duration.expectedText)")
        }
        if let cors, !ServeSettings.isOrigin(cors) {
            throw UsageError("found --cors \(cors), expected an origin as browsers send it, such as http://localhost:3000, without a path")
        }
        guard tls || caOut == nil else { throw UsageError("found --ca-out without --tls, expected both: there is no certificate to trust") }
        guard tls || tlsPort == ServeSettings().tlsPort else { throw UsageError("found --tls-port without --tls, expected both") }
        guard adminToken != "" else { throw UsageError("found an empty --admin-token, expected a secret: is its variable set?") }
        guard state != "" else { throw UsageError("found an empty --state, expected a file: is its variable set?") }
        if let node, ServerNode(node) == nil { throw UsageError("found --node \(node), expected \(ServerNode.expectedText), such as n2") }
        guard node != nil || !standing else {
            throw UsageError("found --standing without --node, expected both: other servers always serve default sessions")
        }
        _ = try quotaCounts()
        _ = try publicAddress("--public-url", publicUrl)
        _ = try publicAddress("--public-admin-url", publicAdminUrl, [.node])
        if let name = adminHostNames.first(where: { AdminHostName($0) == nil }) {
            throw UsageError("found --admin-host-name \(name), expected \(AdminHostName.expectedText)")
        }
        if let host = webhookHosts.first(where: { WebhookHosts.isName($0) == false }) {
            throw UsageError("found --webhooks-to \(host), expected a host name or an address, without scheme and port")
        }
        guard authority != "" else { throw UsageError("found an empty --authority, expected a folder: is its variable set?") }
        guard tls || authority == nil else { throw UsageError("found --authority without --tls, expected both") }
        guard plan == nil || node == nil || standing else {
            throw UsageError("found --plan and --node without --standing, expected --standing too: the plan applies to default sessions")
        }
        guard (1...100_000_000).contains(sessionLimit) else {
            throw UsageError("found --session-limit \(sessionLimit), expected 1 to 100000000 payments")
        }
        guard (1...65_536).contains(journalMemory) else {
            throw UsageError("found --journal-memory \(journalMemory), expected 1 to 65536 MiB")
        }
        for (flag, address) in [("--host", host), ("--admin-host", adminHost)] where !address.isLoopback && demandedToken == nil {
            throw UsageError(
                "found \(flag) \(address), which others can reach, and no --admin-token; expected one, or COUNTERFOIL_ADMIN_TOKEN")
        }
    }

    /// The folder of the certificate authority.
    private func authorityFolder() throws(UsageError) -> AuthorityFolder {
        if let authority { return AuthorityFolder(authority.hasSuffix("/") ? String(authority.dropLast()) : authority) }
        return try UserFolder.authority
    }

    /// A public address as a value; nil if it is not given.
    private func publicAddress(
        _ option: String, _ text: String?, _ known: Set<PublicURL.Placeholder> = [.node, .session]
    ) throws(UsageError) -> PublicURL? {
        guard let text else { return nil }
        let url: PublicURL
        do throws(PublicURLError) { url = try PublicURL(text, known) } catch { throw UsageError("\(option): \(error)") }
        guard node != nil || !url.names(.node) else { throw UsageError("found {node} in \(option) without --node, expected both") }
        return url
    }

    /// The quotas by their labels.
    private func quotaCounts() throws(UsageError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for quota in quotas {
            let parts = quota.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let count = Int(parts[1]), count > 0 else {
                throw UsageError("found --quota \(quota), expected a label and a number of sessions, such as team=50")
            }
            guard counts.updateValue(count, forKey: String(parts[0])) == nil else {
                throw UsageError("found --quota for the label \(parts[0]) twice, expected it once")
            }
        }
        return counts
    }

    /// The token that every admin call needs; nil: none.
    private var demandedToken: String? { adminToken ?? ThisProcess.variable("COUNTERFOIL_ADMIN_TOKEN") }

    /// Whether browsers may send the text as `Origin` (RFC 6454 §6.1): scheme, host and port alone, in small letters.
    private static func isOrigin(_ text: String) -> Bool {
        let parts = text.split(separator: "://", omittingEmptySubsequences: false)
        return parts.count == 2 && ["http", "https"].contains(parts[0]) && !parts[1].isEmpty && text == text.lowercased()
            && !parts[1].contains { "/?#@, ".contains($0) }
    }

    /// Serves until it is stopped.
    ///
    /// - Returns: the exit code; errors are printed to stderr.
    func run() async -> Int32 {
        do throws(UsageError) {
            try FileLimit.raise()
        } catch {
            Output.errors.error("\(error)")
            return 2
        }
        let results = LateOutput(.results)
        let errors = LateOutput(.errors)
        let code = await serve(until: await EndSignals.caught(), results, errors)
        // Readers have had time until now, and do not delay the end.
        for output in [results, errors] { await output.drain(within: .seconds(1)) }
        return code
    }

    private func serve(
        until signals: UnixSignalsSequence, _ results: LateOutput, _ errors: LateOutput
    ) async -> Int32 {
        let people = quiet ? nil : errors
        do {
            // A caller that waits for the ready file would wait forever.
            if let readyFile { try WholeFile(readyFile).check() }
            let library = BankLibrary.find(stubs, readsExpected: false)
            let sources = try library.sources(banks)
            let plans = library.plans
            let outage = try plan.map { name throws(ComplaintsError) in try plans.load(name) }
            let configuration = try configuration()
            let publicAdmin = try publicAddress("--public-admin-url", publicAdminUrl, [.node])?.text(configuration.node)
            let admin = try AdminConfiguration(
                port: adminPort, host: adminHost, token: demandedToken, plans: PlanSource(plans),
                hostNames: adminHostNames.compactMap { AdminHostName($0) },
                publicURL: publicAdmin, bankHost: host)
            let server = try await StubServer(sources, configuration, logger: Logger(label: "counterfoil"))
            // With --quiet too: no fault of a state file is passed over in silence.
            for note in server.stateNotes { errors.line("counterfoil: \(note)") }
            if let outage {
                do throws(UsageError) {
                    try ServeSettings.start(outage, in: server.registry.defaultSessions, people)
                } catch {
                    await server.shutdown()
                    throw error
                }
            }
            let ready = ReadyNotice(
                server: server, seed: configuration.seed, file: readyFile, results: results, people: quiet ? nil : .errors,
                ca: tls ? try caOut ?? authorityFolder().certificatePath : nil)
            let waiting = Task {
                for await _ in signals {
                    // A second signal ends the wait.
                    guard !server.isDraining else {
                        server.closeConnections()
                        continue
                    }
                    people?.line("counterfoil: shutting down within \(drain); a second signal ends it at once")
                    server.requestEnd(within: configuration.drainTime)
                }
            }
            defer { waiting.cancel() }
            let unwritten = Mutex<FileError?>(nil)
            try await server.run(version: Counterfoil.versionText, admin: admin) { event in
                switch event {
                case .adminReady(let address):
                    ready.announce(admin: publicAdmin ?? address) { error in
                        unwritten.withLock { $0 = error }
                        server.requestEnd()
                    }
                case .reloaded(let bank): people?.line("counterfoil: bank \(bank) was edited and reloaded")
                case .rejected(let bank, let reason):
                    errors.error("bank \(bank) was edited and has errors; the last valid version stays in use\n\(reason)")
                }
            }
            // A caller that waits for the ready file would wait forever.
            if let error = unwritten.withLock({ $0 }) { throw error }
            return 0
        } catch let error as ComplaintsError {
            errors.line("\(error)")
            errors.error("no bank is served", hint: "fix the files and start again")
        } catch {
            errors.error("\(error)")
        }
        return 2
    }

    /// Starts the plan in every session.
    ///
    /// - Throws: ``UsageError`` if none of its rules can apply in any.
    private static func start(_ plan: Plan, in sessions: [BankSession], _ people: LateOutput?) throws(UsageError) {
        var rejections: [String] = []
        for session in sessions {
            do throws(OutageError) {
                let outage = try session.start(plan)
                for reason in outage.skipped { people?.line("counterfoil: \(plan.name) in \(session.id) skips \(reason)") }
            } catch {
                rejections.append("\(session.id): \(error)")
            }
        }
        guard rejections.count < sessions.count else { throw UsageError("--plan \(plan.name): \(rejections.joined(separator: "\n  "))") }
        for rejection in rejections { people?.line("counterfoil: not started in \(rejection)") }
    }

    private func configuration() throws -> ServerConfiguration {
        var configuration = ServerConfiguration(seed: seed ?? UInt64.random(in: 0..<1 << 32))
        configuration.host = host
        configuration.port = port
        configuration.node = node.flatMap { ServerNode($0) }
        configuration.answersStanding = node == nil || standing
        configuration.corsOrigin = cors
        let isShared = !host.isLoopback || !adminHost.isLoopback || publicUrl != nil || publicAdminUrl != nil
        configuration.webhookHosts = WebhookHosts(named: webhookHosts, isShared: isShared)
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
            if let caOut { try TrustCommand.write(authority.pem, to: caOut) }
            configuration.tls = TLSSettings(authority: authority, port: tlsPort)
        }
        return configuration
    }
}

/// Why a command line is rejected.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
