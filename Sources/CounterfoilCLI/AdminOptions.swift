import ArgumentParser
import BankClient
import BankModel
import Platform

/// How a command reaches a running server's admin API.
struct AdminOptions: ParsableArguments {
    @Option(help: "Address of the admin API; by default COUNTERFOIL_ADMIN, else http://127.0.0.1:8081.")
    var admin: String?

    @Option(help: "The token that the server was started with; by default COUNTERFOIL_ADMIN_TOKEN.")
    var adminToken: String?

    /// The address that is called, without a slash at its end.
    var base: String {
        (admin ?? ThisProcess.variable("COUNTERFOIL_ADMIN") ?? "http://127.0.0.1:8081").withoutSlash
    }

    /// The bytes that are read of a response at most: more than any but a whole journal has.
    static let responseBytes = 64 << 20
    /// The bytes that are read of a journal that is downloaded.
    static let downloadBytes = 1 << 30

    /// Asks for a path under `/__admin`.
    ///
    /// - Throws: ``AdminFailure`` if the server cannot be reached or rejects the call.
    func get(_ path: String) async throws -> JSON { try await call("GET", path) }

    /// Makes a call with a body under `/__admin`.
    ///
    /// - Parameter limit: the most bytes that are read of the response.
    /// - Returns: what it answers; null for a call without a response body.
    /// - Throws: ``AdminFailure`` if the server cannot be reached or rejects the call.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: JSON? = nil, atMost limit: Int = AdminOptions.responseBytes) async throws -> JSON {
        let base = self.base
        guard ProviderAddress(base) != nil else {
            throw AdminFailure(
                description: "found the address \(ProviderAddress.shown(base)), expected one such as http://127.0.0.1:8081, "
                    + "without user, query and fragment",
                hint: "correct --admin or COUNTERFOIL_ADMIN")
        }
        if let flaw = AdminOptions.flaw(in: path) {
            throw AdminFailure(
                description: "found \(flaw) in \(method) /__admin\(path), expected the name of a session, a rule or the like",
                hint: "a variable of your shell may be unset")
        }
        var headers = HTTPHeaders()
        if let token = adminToken ?? ThisProcess.variable("COUNTERFOIL_ADMIN_TOKEN") {
            guard !token.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw AdminFailure(
                    description: "found a line break or control character in the admin token, expected one line of text",
                    hint: "correct --admin-token or COUNTERFOIL_ADMIN_TOKEN")
            }
            headers["Authorization"] = "Bearer \(token)"
        }
        let response: HTTPResponse
        do throws(TransportFailure) {
            // A redirect must not get the token.
            response = try await CurlTransport(limits: TransportLimits(total: .seconds(30), bodyBytes: limit, redirects: 0))
                .send(HTTPRequest(method, "\(base)/__admin\(path)", headers: headers, body: body?.bytes))
        } catch  where error.error == .tooLarge {
            throw AdminFailure(
                description: "found a longer response to \(method) /__admin\(path) from \(base) (\(error.detail)), "
                    + "expected at most \(limit) bytes (\(limit >> 20) MiB)",
                hint: limit < AdminOptions.downloadBytes ? "`counterfoil journal --har FILE` reads up to 1 GiB" : nil)
        } catch {
            throw AdminFailure(
                description: "cannot reach the admin API at \(base) (\(error.detail))",
                hint: "start `counterfoil serve`, or name its address with --admin or COUNTERFOIL_ADMIN")
        }
        if response.status == 204 { return .null }
        let json = try? JSON(parsing: response.body)
        guard (200...201).contains(response.status), let json else {
            let detail = json?["detail"]?.string
            throw AdminFailure(
                description: detail ?? "found status \(response.status) from \(base), expected 200 and JSON",
                hint: AdminOptions.hint(response.status, detail))
        }
        return json
    }

    /// What to do about a call that was rejected; nil if the detail says it.
    ///
    /// - Parameter detail: the server's; nil if the response is not one of the admin API.
    private static func hint(_ status: Int, _ detail: String?) -> String? {
        guard let detail else { return "--admin takes the address of the admin API, not that of a bank" }
        if status == 401 { return "put the server's token, or this session's, into COUNTERFOIL_ADMIN_TOKEN" }
        return remedies.first { detail.hasPrefix($0.detail) }?.hint
    }

    /// The commands that help after a rejection whose detail begins like this: the detail itself names calls.
    private static let remedies = [
        (detail: "there is no session", hint: "`counterfoil session list` lists the sessions"),
        (detail: "there is no rule", hint: "`counterfoil fault list` lists the rules"),
        (detail: "there is no snapshot", hint: "`counterfoil session snapshot` saves one"),
        (detail: "no outage was started;", hint: "`counterfoil outage start` starts one of `counterfoil outage list`"),
        (detail: "found the token \"", hint: "`counterfoil tokens list` lists the tokens"),
    ]

    /// A name in a path that would make it the path of another call; nil if there is none.
    ///
    /// - Parameter path: under `/__admin`, with its query.
    static func flaw(in path: String) -> String? {
        let names = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if names.contains("") { return "an empty name" }
        return names.first { $0 == "." || $0 == ".." }.map { "the name `\($0)`" }
    }
}

extension AdminOptions {
    /// Options as values, not read from a command line.
    init(admin: String?, adminToken: String?) {
        self.init()
        self.admin = admin
        self.adminToken = adminToken
    }
}

/// The servers that one command asks, all with one token.
struct AdminServers: ParsableArguments {
    @Option(
        name: .customLong("admin"), help: "Address of an admin API, repeatable; by default COUNTERFOIL_ADMIN, else http://127.0.0.1:8081.")
    var admins: [String] = []

    @Option(help: "The token that the servers were started with; by default COUNTERFOIL_ADMIN_TOKEN.")
    var adminToken: String?

    /// Each of them; one at least.
    var all: [AdminOptions] {
        let addresses: [String?] = admins.isEmpty ? [nil] : admins
        return addresses.map { AdminOptions(admin: $0, adminToken: adminToken) }
    }
}

extension [AdminOptions] {
    /// The sessions of each server; one that does not respond is named on stderr, and left out.
    ///
    /// - Parameter labels: labels that each session must have, such as `team=ios`.
    func sessions(labelled labels: [String]) async throws -> [(server: AdminOptions, sessions: [JSON])] {
        let query = labels.map { "label=\(percentEncoded($0))" }.joined(separator: "&")
        var lists: [(server: AdminOptions, sessions: [JSON])] = []
        for server in self {
            do {
                let answer = try await server.get("/sessions" + (query.isEmpty ? "" : "?\(query)"))
                lists.append((server, answer["sessions"]?.array ?? []))
            } catch let failure as AdminFailure {
                Output.errors.error(failure.description, hint: failure.hint)
            }
        }
        return lists
    }
}

/// Why an admin call failed, in a sentence for the user who made it. It ends a command with 2.
struct AdminFailure: Error, CustomStringConvertible {
    let description: String
    /// The remedy; nil if the description names it.
    var hint: String?
}
