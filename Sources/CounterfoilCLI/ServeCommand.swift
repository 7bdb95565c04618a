import ArgumentParser
import BankAdmin
import BankEngine
import BankModel
import Platform
import StubServer

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve stub banks.",
        discussion: """
            Example: counterfoil serve roundup --port 9090
            One bank is mounted at /, several each at /<bank>; without a name all are served. When ready, one line of JSON goes to \
            stdout (and to --ready-file); messages go to stderr. Ctrl-C, SIGTERM or SIGHUP ends it \
            gracefully: responses in progress have the time of --drain. A second signal ends it immediately.
            """)

    @Argument(help: "The banks to serve, by folder; by default all.")
    var banks: [String] = []

    @Option(help: "Address of the banks' port; any address other than loopback requires --admin-token.")
    var host = "127.0.0.1"

    @Option(help: "The banks' port; 0 for any free port.")
    var port = 8080

    @Option(help: "Port of the admin API and the dashboard; 0 for any free port.")
    var adminPort = 8081

    @Option(help: "Address of the admin API's port.")
    var adminHost = "127.0.0.1"

    @Option(
        help:
            "Token that every admin call must send as Authorization: Bearer; by default COUNTERFOIL_ADMIN_TOKEN, which other users cannot see."
    )
    var adminToken: String?

    @Option(help: "Folder of the banks; by default ./Stubs, else the installed one.")
    var stubs: String?

    @Option(help: "Seed for all random values; by default a new one each time.")
    var seed: UInt64?

    @Option(help: "Name of this server among several behind a proxy, such as n2: its sessions' ids begin with it.")
    var node: String?

    @Flag(help: "With --node: serve requests without a session from the bank's default session instead of rejecting them with 421.")
    var standing = false

    @Option(
        help:
            "Address at which clients reach the banks through a proxy, such as https://mock.example/{node} or https://{session}.mock.example."
    )
    var publicUrl: String?

    @Option(help: "Address at which users reach the admin API through a proxy, such as https://mock.example/nodes/{node}.")
    var publicAdminUrl: String?

    @Option(help: "An additional Host under which the admin API may be called, such as *.mock.svc.cluster.local; repeatable.")
    var adminHostName: [String] = []

    @Option(help: "A host besides this machine that webhooks may be sent to, such as hooks.example.test; repeatable.")
    var webhooksTo: [String] = []

    @Option(help: "Folder of the certificate authority, to share it between servers; by default the one in your user folder.")
    var authority: String?

    @Option(help: "Origin whose web pages may call the banks, such as http://localhost:3000.")
    var cors: String?

    @Option(parsing: .unconditional, help: "Time after which an unused session is removed, such as 1h.")
    var sessionTtl = "1h"

    @Option(help: "Maximum number of sessions with the same value of a label, such as team=50; repeatable.")
    var quota: [String] = []

    @Option(
        parsing: .unconditional, help: "Time limit for responses in progress at shutdown, such as 30s; then their connections are closed.")
    var drain = "30s"

    @Option(help: "Maximum number of payments in a session; after that it rejects every write with the bank's 503, until it is reset.")
    var sessionLimit = 200_000

    @Option(help: "Memory for all journals together, in MiB.")
    var journalMemory = 64

    @Option(help: "File in which all sessions are persisted: what a response confirmed survives a restart, and kill -9.")
    var state: String?

    @Option(help: "File to which the ready line is also written.")
    var readyFile: String?

    @Flag(help: "Also serve over TLS: HTTP/1.1 and HTTP/2, with a certificate from your local authority (see counterfoil trust).")
    var tls = false

    @Option(help: "The banks' TLS port; 0 for any free port.")
    var tlsPort = ServeCommand.usualTLSPort

    @Option(help: "File to which the authority's certificate is written, for clients to trust.")
    var caOut: String?

    @Option(help: "An outage to start in every bank, such as brownout; see counterfoil outage list.")
    var plan: String?

    @Flag(help: "Print only the ready line, no messages.")
    var quiet = false

    static let usualTLSPort = 8443

    func validate() throws {
        do throws(UsageError) { try check() } catch { throw ValidationError(error.description) }
    }

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
        if let cors, !ServeCommand.isOrigin(cors) {
            throw UsageError("found --cors \(cors), expected an origin as browsers send it, such as http://localhost:3000, without a path")
        }
        guard tls || caOut == nil else { throw UsageError("found --ca-out without --tls, expected both: there is no certificate to trust") }
        guard tls || tlsPort == ServeCommand.usualTLSPort else { throw UsageError("found --tls-port without --tls, expected both") }
        guard adminToken != "" else { throw UsageError("found an empty --admin-token, expected a secret: is its variable set?") }
        guard state != "" else { throw UsageError("found an empty --state, expected a file: is its variable set?") }
        if let node, ServerNode(node) == nil { throw UsageError("found --node \(node), expected \(ServerNode.expectedText), such as n2") }
        guard node != nil || !standing else {
            throw UsageError("found --standing without --node, expected both: other servers always serve default sessions")
        }
        _ = try quotaCounts()
        _ = try publicAddress("--public-url", publicUrl)
        _ = try publicAddress("--public-admin-url", publicAdminUrl, [.node])
        if let name = adminHostName.first(where: { HostPattern($0) == nil }) {
            throw UsageError("found --admin-host-name \(name), expected \(HostPattern.expectedText)")
        }
        if let host = webhooksTo.first(where: { WebhookHosts.isName($0) == false }) {
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

    func authorityFolder() throws(UsageError) -> AuthorityFolder {
        if let authority { return AuthorityFolder(authority.withoutSlash) }
        return try UserFolder.authority
    }

    /// A public address as a value; nil if it is not given.
    func publicAddress(
        _ option: String, _ text: String?, _ known: Set<PublicURL.Placeholder> = [.node, .session]
    ) throws(UsageError) -> PublicURL? {
        guard let text else { return nil }
        let url: PublicURL
        do throws(PublicURLError) { url = try PublicURL(text, known) } catch { throw UsageError("\(option): \(error)") }
        guard node != nil || !url.names(.node) else { throw UsageError("found {node} in \(option) without --node, expected both") }
        return url
    }

    /// The quotas by their labels.
    func quotaCounts() throws(UsageError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for quota in quota {
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
    var demandedToken: String? { adminToken ?? ThisProcess.variable("COUNTERFOIL_ADMIN_TOKEN") }

    /// Whether browsers may send the text as `Origin` (RFC 6454 §6.1): scheme, host and port alone, in small letters.
    private static func isOrigin(_ text: String) -> Bool {
        let parts = text.split(separator: "://", omittingEmptySubsequences: false)
        return parts.count == 2 && ["http", "https"].contains(parts[0]) && !parts[1].isEmpty && text == text.lowercased()
            && !parts[1].contains { "/?#@, ".contains($0) }
    }
}
