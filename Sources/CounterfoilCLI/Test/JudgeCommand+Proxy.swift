import ArgumentParser
import BankEngine
import BankImport
import BankModel
import Contracts
import StubServer

/// `judge --through`: a proxy before a real bank in place of a running server.
extension JudgeCommand {
    /// - Throws: `ValidationError` for options that do not go together.
    func validateProxy() throws {
        guard let through else {
            guard let option = proxy.given else { return }
            throw ValidationError("found \(option) without --through, expected both")
        }
        _ = try ProxyOptions.address(through, of: "--through")
        let others = optionsOfSessions + [("--har", !archives.isEmpty)]
        guard let (option, _) = others.first(where: \.1) else { return }
        throw ValidationError("found \(option) with --through, expected one of them")
    }

    /// Forwards and checks until the user ends it, then prints the verdict and writes the reports.
    ///
    /// - Throws: an `ExitCode` that is not 0, after saying why.
    func judgeProxy(
        _ through: String, _ required: [String], _ origin: ReportDocument.Origin, since began: ContinuousClock.Instant
    ) async throws {
        let description = try APIDescription(named: api)
        let address = try ProxyOptions.address(through, of: "--through")
        let suites = (try? ClientRule.suites(named: suites)) ?? []
        let (sequential, untilQuiet, quiet, limit, requests) = (sequential, untilQuiet, quiet, limit, proxy.requests)
        let verdict: @Sendable (ProviderProxy.Passed) -> ArchiveVerdict = { passed in
            ArchiveVerdict(
                passed: passed.exchanges, dropped: passed.dropped, through: address.origin, description, suites: suites,
                isSequential: sequential)
        }
        let passed = try await ProviderProxy(options: proxy, address: address, description: description)
            .run("checking the client at") { session in
                let live = LiveVerdict()
                defer { live.clear() }
                // Clients are in the order of their first requests; the names change when there is a second one.
                var last: [JournalReport] = []
                await session.watch(within: limit, requests: requests) { isChanged, silence in
                    if isChanged {
                        let reports = verdict(session.passed()).reports.reports
                        for (index, report) in reports.enumerated() {
                            let shown = reports.count == 1 ? live : LiveVerdict(name: report.session)
                            shown.show(report, since: last.indices.contains(index) ? last[index] : nil)
                        }
                        last = reports
                    }
                    return untilQuiet && silence >= quiet && last.contains { $0.exchanges > 0 }
                }
            }
        try conclude(verdict(passed), required, origin, since: began, arguments: ["--through", RunReport.quoted(through)])
    }
}
