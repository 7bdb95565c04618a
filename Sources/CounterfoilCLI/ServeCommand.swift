import ArgumentParser

/// Serves stub banks until it is told to end.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve stub banks.",
        discussion: """
            Example: counterfoil serve roundup --port 9090
            One bank is mounted at /, several each at /<bank>; without a name all are served. When ready, one line of JSON goes to \
            stdout (and to --ready-file); everything for people goes to stderr. Ctrl-C, SIGTERM or SIGHUP ends it \
            gracefully: replies under way have the time of --drain. A second signal ends it at once.
            """)

    @Argument(help: "The banks to serve, by folder; all if none is named.")
    var banks: [String] = []

    @Option(help: "Address of the banks' port; anything but loopback demands --admin-token.")
    var host = ServeSettings().host

    @Option(help: "The banks' port; 0 for any that is free.")
    var port = ServeSettings().port

    @Option(help: "Port of the admin API and the dashboard; 0 for any that is free.")
    var adminPort = ServeSettings().adminPort

    @Option(help: "Address of the admin API's port.")
    var adminHost = ServeSettings().adminHost

    @Option(help: "Demanded of every admin call as Authorization: Bearer; by default COUNTERFOIL_ADMIN_TOKEN, which others cannot see.")
    var adminToken: String?

    @Option(help: "Folder of the banks; by default ./Stubs, else the installed one.")
    var stubs: String?

    @Option(help: "Seed of everything random; by default a new one each time.")
    var seed: UInt64?

    @Option(help: "Name of this server among several behind a proxy, such as n2: its sessions' ids begin with it.")
    var node: String?

    @Flag(help: "With --node: answer requests without a session for the bank itself; otherwise they are refused with 421.")
    var standing = false

    @Option(
        help:
            "Address by which clients reach the banks through a proxy, such as https://mock.example/{node} or https://{session}.mock.example."
    )
    var publicUrl: String?

    @Option(help: "Address by which people reach the admin API through a proxy, such as https://mock.example/nodes/{node}.")
    var publicAdminUrl: String?

    @Option(help: "One more Host under which the admin API may be called, such as *.mock.svc.cluster.local; repeatable.")
    var adminHostName: [String] = []

    @Option(help: "Folder of the certificate authority, for several servers that clients trust alike; by default your own.")
    var authority: String?

    @Option(help: "Origin whose web pages may call the banks, such as http://localhost:3000.")
    var cors: String?

    @Option(help: "How long a session that nobody uses is kept, such as 1h.")
    var sessionTtl = ServeSettings().sessionTtl

    @Option(help: "How many sessions may have one value of a label, such as team=50; repeatable.")
    var quota: [String] = []

    @Option(help: "How long replies under way may take once it is told to end, such as 30s; then their connections are closed.")
    var drain = ServeSettings().drain

    @Option(help: "How many payments one session holds; then it refuses every write with the bank's 503, until it is reset.")
    var sessionLimit = ServeSettings().sessionLimit

    @Option(help: "Memory for all journals together, in MiB.")
    var journalMemory = ServeSettings().journalMemory

    @Option(help: "File in which all sessions are kept: after a restart, or kill -9, every reply that a client saw is still true.")
    var state: String?

    @Option(help: "File that gets the ready line too.")
    var readyFile: String?

    @Flag(help: "Serve over TLS too: HTTP/1.1 and HTTP/2, with a certificate of your own authority (see counterfoil trust).")
    var tls = false

    @Option(help: "The banks' port under TLS; 0 for any that is free.")
    var tlsPort = ServeSettings().tlsPort

    @Option(help: "File that gets the authority's certificate, for clients to trust.")
    var caOut: String?

    @Option(help: "An outage that every bank begins with, such as brownout; see counterfoil outage list.")
    var plan: String?

    @Flag(help: "Nothing for people, only the ready line.")
    var quiet = false

    mutating func validate() throws {
        do throws(UsageError) { try settings.check() } catch { throw ValidationError(error.description) }
    }

    func run() async throws {
        let code = await settings.run()
        if code != 0 { throw ExitCode(code) }
    }

    /// All of it as values.
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
        settings.quotas = quota
        return settings
    }
}
