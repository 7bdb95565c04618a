import ArgumentParser

/// Serves stub banks until it is stopped.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve stub banks.",
        discussion: """
            Example: counterfoil serve roundup --port 9090
            One bank is mounted at /, several each at /<bank>; without a name all are served. When ready, one line of JSON goes to \
            stdout (and to --ready-file); messages go to stderr. Ctrl-C, SIGTERM or SIGHUP ends it \
            gracefully: responses in progress have the time of --drain. A second signal ends it immediately.
            """)

    @Argument(help: "The banks to serve, by folder; by default all.")
    var banks: [String] = []

    @Option(help: "Address of the banks' port; any address other than loopback requires --admin-token.")
    var host = ServeSettings().host

    @Option(help: "The banks' port; 0 for any free port.")
    var port = ServeSettings().port

    @Option(help: "Port of the admin API and the dashboard; 0 for any free port.")
    var adminPort = ServeSettings().adminPort

    @Option(help: "Address of the admin API's port.")
    var adminHost = ServeSettings().adminHost

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
    var sessionTtl = ServeSettings().sessionTtl

    @Option(help: "Maximum number of sessions with the same value of a label, such as team=50; repeatable.")
    var quota: [String] = []

    @Option(
        parsing: .unconditional, help: "Time limit for responses in progress at shutdown, such as 30s; then their connections are closed.")
    var drain = ServeSettings().drain

    @Option(help: "Maximum number of payments in a session; after that it rejects every write with the bank's 503, until it is reset.")
    var sessionLimit = ServeSettings().sessionLimit

    @Option(help: "Memory for all journals together, in MiB.")
    var journalMemory = ServeSettings().journalMemory

    @Option(help: "File in which all sessions are persisted: what a response confirmed survives a restart, and kill -9.")
    var state: String?

    @Option(help: "File to which the ready line is also written.")
    var readyFile: String?

    @Flag(help: "Also serve over TLS: HTTP/1.1 and HTTP/2, with a certificate from your local authority (see counterfoil trust).")
    var tls = false

    @Option(help: "The banks' TLS port; 0 for any free port.")
    var tlsPort = ServeSettings().tlsPort

    @Option(help: "File to which the authority's certificate is written, for clients to trust.")
    var caOut: String?

    @Option(help: "An outage to start in every bank, such as brownout; see counterfoil outage list.")
    var plan: String?

    @Flag(help: "Print only the ready line, no messages.")
    var quiet = false

    mutating func validate() throws {
        do throws(UsageError) { try settings.check() } catch { throw ValidationError(error.description) }
    }

    func run() async throws {
        let code = await settings.run()
        if code != 0 { throw ExitCode(code) }
    }

    var settings: ServeSettings {
        var settings = ServeSettings()
        settings.banks = banks
        settings.host = host
        settings.port = port
        settings.adminPort = adminPort
        settings.adminHost = adminHost
        settings.adminToken = adminToken
        settings.stubs = stubs
        settings.seed = seed
        settings.node = node
        settings.standing = standing
        settings.publicUrl = publicUrl
        settings.publicAdminUrl = publicAdminUrl
        settings.authority = authority
        settings.cors = cors
        settings.sessionTtl = sessionTtl
        settings.drain = drain
        settings.sessionLimit = sessionLimit
        settings.journalMemory = journalMemory
        settings.state = state
        settings.readyFile = readyFile
        settings.tls = tls
        settings.tlsPort = tlsPort
        settings.caOut = caOut
        settings.plan = plan
        settings.quiet = quiet
        settings.adminHostNames = adminHostName
        settings.webhookHosts = webhooksTo
        settings.quotas = quota
        return settings
    }
}
