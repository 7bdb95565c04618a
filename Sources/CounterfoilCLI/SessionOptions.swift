import ArgumentParser
import BankModel

/// A session of a running server, and how it is reached.
struct SessionOptions: ParsableArguments {
    @Option(help: "The session; a bank's default session has the bank's name. Needed if several banks are served.")
    var session: String?

    @OptionGroup var admin: AdminOptions

    /// The session, once the server has been asked for it.
    var served: ServedSession {
        get async throws { try await ServedSession(session, admin) }
    }
}

/// A session, and how a command prints what it answers.
struct AnswerOptions: ParsableArguments {
    @OptionGroup var session: SessionOptions

    @Flag(help: "Print the response as JSON.")
    var json = false

    /// Calls the session and prints the answer: as JSON, or as `show` does. `path` begins with a slash.
    func call(_ method: String, _ path: String, _ body: JSON? = nil, show: (JSON) throws -> Void) async throws {
        let answer = try await session.served.call(method, path, body)
        if json { return Output.results.line(answer.pretty) }
        try show(answer)
    }
}

/// A session of a running server, named as an argument or by `--session`.
struct ChosenSession: ParsableArguments {
    @Argument(help: "The session, as with --session.")
    var named: String?

    @OptionGroup var options: SessionOptions

    /// The session, once the server has been asked for it.
    ///
    /// The two names are compared here and not by `validate`, which comes before the parser's message about an unknown option, whose
    /// value it has taken for a session.
    var served: ServedSession {
        get async throws {
            if let named, let other = options.session, named != other {
                throw UsageError("found the sessions \(named) and \(other), expected one session")
            }
            return try await session.served
        }
    }

    /// The session that is meant.
    var session: SessionOptions {
        var session = options
        if let named { session.session = named }
        return session
    }
}

struct ServedSession {
    /// As it was named, or the name of the only bank.
    let name: String
    let admin: AdminOptions

    /// - Parameter name: the session, which may be there or not.
    init(named name: String, at admin: AdminOptions) {
        self.name = name
        self.admin = admin
    }

    /// - Parameters:
    ///   - name: the session; nil for that of the only bank.
    ///   - naming: what stands before a session's name on the command line.
    /// - Throws: ``AdminFailure`` if the server cannot be reached, or none is named and several banks are served.
    init(_ name: String?, _ admin: AdminOptions, naming: String = "--session") async throws {
        self.admin = admin
        if let name {
            self.name = name
            return
        }
        self.name = try ServedSession.only(try await admin.get("/sessions")["sessions"]?.array ?? [], naming: naming)
    }

    /// The session of the only bank.
    ///
    /// - Parameter sessions: as the admin API lists them. A bank's own session has the bank's name.
    /// - Throws: ``AdminFailure`` if there are several banks: none of them is meant more than another.
    static func only(_ sessions: [JSON], naming: String) throws(AdminFailure) -> String {
        let names = sessions.map { $0.text("id") }
        let banks = sessions.filter { $0.text("id") == $0.text("bank") }.map { $0.text("id") }
        if let bank = banks.first, banks.count == 1 { return bank }
        throw AdminFailure(
            description: "found no session, expected \(oneOf(names)): \(counted(banks.count, "bank")) are served",
            hint: "name one, such as `\(naming) \(names.first ?? "NAME")`")
    }

    /// Asks for something of the session; `path` begins with a slash.
    ///
    /// - Throws: ``AdminFailure`` if the server cannot be reached or rejects the call.
    func get(_ path: String, atMost limit: Int = AdminOptions.responseBytes) async throws -> JSON {
        try await admin.call("GET", "/sessions/\(name.pathSegment)\(path)", atMost: limit)
    }

    /// Does something with the session; `path` begins with a slash.
    ///
    /// - Throws: ``AdminFailure`` if the server cannot be reached or rejects the call.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
        try await admin.call(method, "/sessions/\(name.pathSegment)\(path)", body)
    }
}

extension String {
    /// The text as one segment of a path (RFC 3986 §3.3): whatever is not unreserved is percent-encoded.
    var pathSegment: String { percentEncoded(self) }
}

/// The exit codes of the commands that steer a running server, for their help.
let steeringExitCodes = "Exit codes: 0 done, 2 wrong usage, or the server cannot be reached or rejects the call (see stderr)."
