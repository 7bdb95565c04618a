import ArgumentParser
import BankModel
import Contracts
import Foundation
import Platform
import ProviderCheck

struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Check which faults arrive unchanged through a proxy, gateway or VPN.",
        discussion: """
            Example: counterfoil probe --through http://proxy.example:8080
            Sends each kind of fault once, in a temporary session on the running server, and compares the result \
            with the server's record. A kind arrives, is altered, or is swallowed: an intermediary sent the request again, or \
            responded itself. Without --through, the direct path is probed. The probe uses HTTP/1.1 in clear text.
            Exit codes: 0 all probed kinds arrive, 1 a kind is altered or swallowed, 2 wrong usage, or the server or the path \
            cannot be reached.
            """)

    @Option(help: "The path's address; /s/SESSION is appended. By default the address that the server reports.")
    var through: String?

    @OptionGroup var admin: AdminOptions

    @Option(help: "The bank to probe with; by default counterfoil if it is served, else the first.")
    var bank: String?

    @Option(help: "Only these kinds, such as reset,slow.")
    var kinds: String?

    @Option(
        parsing: .unconditional, help: "Time limit for a response, such as 2s; after it, the response counts as missing.",
        transform: ProbeCommand.readLimit)
    var limit: Duration = .seconds(2)

    @Flag(help: "Also show tolerated differences.")
    var verbose = false

    @Option(help: "Write the report as JSON to this file.")
    var json: String?

    func run() async throws {
        try ReportOutputs.check([json])
        let target = try through.map { try ProviderAddress(probed: $0) }
        let chosen = try ProbeCommand.chosen(try await admin.get("/fault-kinds")["kinds"]?.array ?? [], kinds)
        let served = try ProbeCommand.served(try await admin.get("/banks")["banks"]?.array ?? [], bank)
        let report = try await probe(chosen, served, target)
        let output = Output.results
        output.write(report.table(withTolerated: verbose, columns: output.columns ?? 80))
        output.line(report.summary)
        if let json { try ReportOutputs.write(report.json.pretty + "\n", to: json) }
        if report.hasFindings { throw ExitCode(1) }
    }

    /// Makes a session, probes, and removes the session, also after Ctrl-C.
    private func probe(_ kinds: [ProbeKind], _ served: JSON, _ target: ProviderAddress?) async throws -> ProbeReport {
        let admin = admin
        let limit = limit
        let name = "probe-\(UUID().uuidString.prefix(8).lowercased())"
        let status = StatusLine()
        let created = Locked(name)
        let result: Result<ProbeReport, any Error> = await interruptible {
            do {
                let session = try await admin.call("POST", "/sessions", ProbeCommand.session(of: served.text("name"), name))
                created.withLock { $0 = session.text("id") }
                let run = try await ProbeCommand.run(kinds, served, session, target, limit, admin) { number, kind in
                    status.show("probing \(kind.name) (\(number + 1) of \(kinds.count))")
                }
                let rows = try await run.rows()
                guard !Task.isCancelled else { throw AdminFailure(description: "interrupted after \(counted(rows.count, "kind"))") }
                let address = "http://\(run.requests.address.authority)\(run.requests.prefix)"
                return .success(ProbeReport(address: address, bank: served.text("name"), rows: rows))
            } catch {
                return .failure(Task.isCancelled ? AdminFailure(description: "interrupted: no report was written") : error)
            }
        }
        status.clear()
        // After a failure the server may be gone, and with it the session.
        _ = try? await admin.call("DELETE", "/sessions/\(created.withLock(\.self).pathSegment)")
        return try result.get()
    }

    private static func run(
        _ kinds: [ProbeKind], _ served: JSON, _ session: JSON, _ target: ProviderAddress?, _ limit: Duration, _ admin: AdminOptions,
        progress: @escaping @Sendable (Int, ProbeKind) -> Void
    ) async throws -> ProbeRun {
        let id = session.text("id")
        let address = try target ?? ProviderAddress(probed: session.text("base_url"))
        let servedSession = try await ServedSession(id, admin)
        var token: String?
        if served["needs_token"]?.bool == true, let login = served["customers"]?.array?.first {
            token = try await servedSession.call("POST", "/tokens", ["login": login]).text("token")
        }
        let requests = ProbeRequests(
            address: address, prefix: target == nil ? address.path : "\(address.path)/s/\(id.pathSegment)", example: served.text("example"),
            token: token, known: ProbeRequests.Known.all[served.text("name")])
        return ProbeRun(
            session: servedSession, requests: requests, connection: ProbeConnection(address: address, limit: limit), kinds: kinds,
            progress: progress)
    }

    /// A session whose clock stands still: then the receipt has the Date that was sent.
    private static func session(of bank: String, _ name: String) -> JSON {
        [
            "bank": .string(bank), "name": .string(name), "seed": 7,
            "clock": ["now": "2026-01-12T09:15:00Z", "mode": "frozen"],
        ]
    }

    /// The kinds of `--kinds`, in the order of the list; all without it.
    private static func chosen(_ listed: [JSON], _ text: String?) throws(UsageError) -> [ProbeKind] {
        let all = listed.map { ProbeKind($0) }
        guard let text else { return all }
        let names = text.split(separator: ",").map(String.init)
        for name in names where !all.contains(where: { $0.name == name }) {
            throw UsageError("found the kind `\(name)` in --kinds, expected a kind of fault\(didYouMean(name, among: all.map(\.name)))")
        }
        guard !names.isEmpty else { throw UsageError("found no kind in --kinds, expected one such as reset") }
        return all.filter { names.contains($0.name) }
    }

    /// The bank of `--bank`; without it the model bank, else the first.
    private static func served(_ banks: [JSON], _ name: String?) throws(UsageError) -> JSON {
        let names = banks.map { $0.text("name") }
        if let name {
            guard let bank = banks.first(where: { $0.text("name") == name }) else {
                throw UsageError("found the bank `\(name)`, expected \(oneOf(names))\(didYouMean(name, among: names))")
            }
            return bank
        }
        guard let bank = banks.first(where: { $0.text("name") == "counterfoil" }) ?? banks.first else {
            throw UsageError("found a server without banks, expected one")
        }
        return bank
    }

    @Sendable private static func readLimit(_ text: String) throws -> Duration {
        guard let limit = Duration(text: text), limit >= .milliseconds(1500), limit <= .seconds(60) else {
            throw ValidationError("found \"\(text)\", expected a time such as 2s, from 1500ms to 1m")
        }
        return limit
    }
}

extension ProbeReport {
    /// The verdicts as a table, whose last column is folded.
    ///
    /// - Parameter columns: the width to keep to.
    fileprivate func table(withTolerated: Bool, columns: Int) -> String {
        let kind = max(4, rows.map(\.kind.columns).max() ?? 0)
        let verdict = max(7, rows.map(\.verdict.columns).max() ?? 0)
        let room = max(20, columns - kind - verdict - 4)
        var table = TextTable("KIND", "VERDICT", "FOUND")
        for row in rows {
            table.add(row.kind, row.verdict, wrapped(row.found(withTolerated: withTolerated), to: room).joined(separator: "\n"))
        }
        return table.text(columns: nil)
    }
}

extension ProviderAddress {
    /// The address that the probe sends its requests to: http, with a path before the session's.
    ///
    /// - Throws: ``UsageError`` if the text is no such address.
    fileprivate init(probed text: String) throws(UsageError) {
        guard !text.contains("@") else {
            // The part before an @ is a secret, so the message does not repeat the address.
            throw UsageError("found --through with a user or password in it, expected an http address without")
        }
        guard let address = ProviderAddress(text) else {
            throw UsageError("found --through \(text), expected an http address without query, such as http://127.0.0.1:8080")
        }
        guard !address.isSecure else {
            throw UsageError(
                "found --through \(text), expected an http address: the probe uses clear text; probe the port behind your TLS")
        }
        self = address
    }
}
