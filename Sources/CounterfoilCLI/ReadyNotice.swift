import BankCore
import BankEngine
import BankModel
import Contracts
import Platform
import StubServer

/// Announces that a server is ready: a line of JSON for programs, addresses and examples for users.
struct ReadyNotice: Sendable {
    let server: StubServer
    let seed: UInt64
    let file: String?
    let results: LateOutput
    let notices: Output?
    /// The authority's certificate, where TLS is spoken.
    let ca: String?

    /// Writes it: first to the file, then to stdout unless that is a terminal, then as lines for users.
    ///
    /// - Parameter failed: called if the file cannot be written; then nothing more is printed.
    func announce(admin: String, failed: @escaping @Sendable (FileError) -> Void) {
        let sessions = server.registry.defaultSessions
        let banks = JSONObject(sessions.map { ($0.bankName, .string($0.baseURL)) })
        let line = JSON.object(known: [
            "admin": .string(admin), "bank": .string(server.publicAddress), "tls": server.tlsAddress.map(JSON.string),
            "banks": .object(banks), "ca": ca.map(JSON.string), "seed": .int(seed),
            "node": server.registry.node.map { .string($0.name) }, "pid": .int(getpid()),
        ]).text
        results.then { output in
            if let file {
                do throws(FileError) { try WholeFile(file).write(line + "\n") } catch { return failed(error) }
            }
            // A user reads the addresses below; with --quiet the line is all that there is.
            if !output.isTerminal || notices == nil { output.line(line) }
            if let notices { announce(notices, admin: admin, sessions) }
        }
    }

    private func announce(_ notices: Output, admin: String, _ sessions: [BankSession]) {
        notices.line("\nCounterfoil serves \(sessions.count == 1 ? "one bank" : "\(sessions.count) banks") at \(server.publicAddress)")
        if let address = server.tlsAddress, let ca { notices.line("and at \(address), trusted with curl --cacert \(RunReport.quoted(ca))") }
        notices.line("dashboard: \(admin)/")
        notices.line("admin API: \(admin)/__admin/health    seed: \(seed)\n")
        guard server.configuration.servesDefaultSessions else {
            notices.line("  A node serves named sessions only:")
            notices.line("    counterfoil session new \(sessions[0].bankName) --admin \(admin)\n")
            notices.line("Stop it with Ctrl-C.")
            return
        }
        for session in sessions {
            let about = "\(session.bankName): \(session.bank.about)"
            // The command below is for pasting: it stays one line.
            for line in wrapped(about, to: notices.columns ?? .max, first: "  ", indent: "    ") { notices.line(line) }
            notices.line("    \(session.curlExample)\n")
        }
        notices.line("Stop it with Ctrl-C.")
    }
}

extension BankSession {
    /// A command that shows something of the bank when it is pasted.
    fileprivate var curlExample: String {
        let token = bank.auth == nil ? nil : (try? issueTokens(login: nil))?.access.text
        let address = baseURL + (bank.plainRead.map { "\($0.path)" } ?? "/")
        return "curl -sL " + (token.map { "-H 'Authorization: Bearer \($0)' " } ?? "") + RunReport.quoted(address)
    }
}
