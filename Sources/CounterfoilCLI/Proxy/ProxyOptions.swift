import ArgumentParser
import BankEngine
import BankFiles
import BankModel
import Faults
import ProviderCheck
import StubServer

/// The options of a proxy before a real bank.
struct ProxyOptions: ParsableArguments {
    static let usualPort = 9000
    static let usualTLSPort = 9443

    @Option(help: "The proxy's port; 0 for any free port. By default 9000.")
    var port: Int?

    @Option(help: "Address of the proxy's port; any address other than loopback lets other machines use the provider through it.")
    var host = "127.0.0.1"

    @OptionGroup var names: ProxyNames

    @Flag(help: "Forward all requests. Without it, only GET, HEAD, OPTIONS and sign-ins are forwarded; other requests get 405.")
    var allowWrites = false

    @Option(help: "A PEM file of authorities that may have signed the provider's certificate, besides the system's.")
    var providerCa: String?

    @Option(parsing: .unconditional, help: "Time limit for the provider's responses, such as 10s.")
    var limit = "60s"

    @Flag(help: "Also listen with TLS, with a certificate from your local authority (see counterfoil trust).")
    var tls = false

    @Option(help: "The proxy's TLS port; 0 for any free port. By default 9443.")
    var tlsPort: Int?

    @Option(help: "File to which the local authority's certificate is written, for clients to trust.")
    var caOut: String?

    @OptionGroup var faults: ProxyFaults

    @Option(help: "Folder of banks, for outages of your own.")
    var stubs: String?

    @Option(help: "Port of the admin API, to set faults while the proxy runs; 0 for any free port. By default there is none.")
    var adminPort: Int?

    @Option(help: "File to which one line of JSON with the addresses is written once the proxy listens.")
    var readyFile: String?

    @Option(help: "End after this many requests.")
    var requests: Int?

    /// The first option that is given; nil if none is.
    var given: String? {
        let all = [
            ("--port", port != nil), ("--host", host != "127.0.0.1"), ("--host-name", !names.hostName.isEmpty),
            ("--allow-writes", allowWrites), ("--provider-ca", providerCa != nil), ("--limit", limit != "60s"), ("--tls", tls),
            ("--tls-port", tlsPort != nil), ("--ca-out", caOut != nil),
            ("--fault", !faults.fault.isEmpty), ("--plan", faults.plan != nil), ("--stubs", stubs != nil),
            ("--admin-port", adminPort != nil), ("--ready-file", readyFile != nil), ("--requests", requests != nil),
        ]
        return all.first(where: \.1)?.0
    }

    func validate() throws {
        for (flag, port) in [("--port", port), ("--tls-port", tlsPort), ("--admin-port", adminPort)] {
            if let port, !(0...65_535).contains(port) { throw ValidationError("found \(flag) \(port), expected a port from 0 to 65535") }
        }
        guard tls || tlsPort == nil && caOut == nil else {
            throw ValidationError("found --tls-port or --ca-out without --tls, expected both")
        }
        guard requests.map({ $0 > 0 }) ?? true else { throw ValidationError("found --requests \(requests ?? 0), expected 1 or more") }
        _ = try longest()
    }

    /// The time limit as a value.
    func longest() throws -> Duration {
        guard let time = Duration(text: limit), time > .zero, time <= .seconds(3600) else {
            throw ValidationError("found --limit \(limit), expected a time such as 10s, at most 1h")
        }
        return time
    }

    /// The provider's address.
    ///
    /// - Throws: `ValidationError` if it is none; a user or password in it is not repeated.
    static func address(_ text: String, of flag: String) throws -> ProviderAddress {
        guard !text.contains("@") else {
            throw ValidationError("found \(flag) with a user or password in it, expected an address alone: the app sends its own")
        }
        guard let address = ProviderAddress(text) else {
            throw ValidationError("found \(flag) \(text), expected an http or https address such as https://sandbox.bank.example")
        }
        return address
    }
}

/// The names under which apps may call a proxy.
struct ProxyNames: ParsableArguments {
    @Option(help: "A name besides localhost under which apps may call the proxy, such as host.docker.internal; repeatable.")
    var hostName: [String] = []

    func validate() throws {
        if let name = hostName.first(where: { HostPattern($0) == nil }) {
            throw ValidationError("found --host-name \(name), expected \(HostPattern.expectedText)")
        }
    }

    /// - Parameter host: the address of the proxy's port, which may be a name.
    func hosts(_ host: String = "127.0.0.1") -> ProxyHosts { ProxyHosts((hostName + [host.lowercased()]).compactMap { HostPattern($0) }) }
}

/// The faults that a proxy begins with.
struct ProxyFaults: ParsableArguments {
    @Option(help: "A rule for the proxy as JSON or YAML, a file with one, or - for standard input; repeatable.")
    var fault: [String] = []

    @Option(help: "The outage of the proxy, such as brownout.")
    var plan: String?

    var isEmpty: Bool { fault.isEmpty && plan == nil }

    /// Rules and plan, read.
    struct Loaded {
        var rules: [Rule]
        var plan: Plan?

        /// Sets the rules and starts the plan.
        ///
        /// - Throws: ``RuleError``, ``OutageError`` if one of them could never apply.
        func start(in session: BankSession) throws {
            for rule in rules { _ = try session.set(rule) }
            guard let plan else { return }
            for reason in try session.start(plan).skipped { Output.errors.line("counterfoil: \(plan.name) skips \(reason)".inOneLine) }
        }
    }

    func load(_ plans: PlanLibrary) throws -> Loaded {
        Loaded(
            rules: try fault.map { argument in
                let rule = try RuleText(argument)
                return try Complaints.collecting { complaints in
                    Node.parse(yaml: rule.yaml, file: rule.file, complaints).flatMap { Rule($0, complaints) }
                }
            }, plan: try plan.map { try plans.load($0) })
    }
}
