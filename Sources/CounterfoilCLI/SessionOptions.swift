import ArgumentParser
import BankModel

/// A session of a running server, and how it is reached.
struct SessionOptions: ParsableArguments {
    @Option(help: "The session; a bank's default session has the bank's name.")
    var session = "default"

    @OptionGroup var admin: AdminOptions

    /// Asks for something of the session; `path` begins with a slash.
    ///
    /// - Throws: ``AdminFailure`` if the server cannot be reached or refuses.
    func get(_ path: String) async throws -> JSON { try await admin.get("/sessions/\(session.pathSegment)\(path)") }

    /// The session's own name: `default` is another name for the first bank's.
    ///
    /// - Throws: ``AdminFailure`` if the server cannot be reached or refuses.
    func name() async throws -> String { try await get("")["id"]?.string ?? session }

    /// Does something with the session; `path` begins with a slash.
    ///
    /// - Throws: ``AdminFailure`` if the server cannot be reached or refuses.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
        try await admin.call(method, "/sessions/\(session.pathSegment)\(path)", body)
    }
}

extension String {
    /// The text as one segment of a path (RFC 3986 §3.3): whatever is not unreserved is percent-encoded.
    var pathSegment: String { percentEncoded(self) }
}

/// The exit codes of the commands that steer a running server, for their help.
let steeringExitCodes = "Exit codes: 0 done, 2 wrong usage, or the server cannot be reached or refuses (stderr says why)."
