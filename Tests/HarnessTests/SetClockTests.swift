import BankFiles
import BankModel
import Contracts
import Platform
import Testing

/// Cases in which the machine's wall clock is set, which clients read.
@Suite(.timeLimit(.minutes(10))) struct SetClockTests {
    /// The names of the sessions, in the order in which they were opened.
    private final class Sessions: Sendable {
        private let names = Locked<[String]>([])

        func note(_ name: String) { names.withLock { $0.append(name) } }

        var all: [String] { names.withLock { $0 } }
    }

    /// Runs one case, and returns the names of its sessions too, without that in which the driver is tried out.
    ///
    /// - Parameter isSet: whether the clock is set in the session of that name.
    private func run(
        _ mode: String, invariants: [Invariant] = [], isSet: @escaping @Sendable (String) -> Bool
    ) async throws -> (results: [InstanceResult], sessions: [String]) {
        let sessions = Sessions()
        let report = try await DriverTroubleTests.run(
            mode, invariants: invariants,
            clockWasSet: { name in
                sessions.note(name)
                return isSet(name) ? .seconds(3600) : .zero
            })
        return (report.results, sessions.all.filter { $0 != "c0" })
    }

    @Test func `a case that fails each time that the clock is set is inconclusive`() async throws {
        let (results, sessions) = try await run("falsifier") { _ in true }

        #expect(results.map(\.judgement.verdict) == [.inconclusive])
        let texts = results.first?.judgement.reasons.map(\.finding.seen.text) ?? []
        #expect(texts.first == "the machine's clock was set by about 3600 s while the case ran")
        #expect(texts.contains { $0.contains("reported ok, but the bank received no request") }, "\(texts)")
        #expect(sessions == ["c1", "c1-again"])
    }

    @Test func `a case that fails again while the clock is not set fails`() async throws {
        let (results, sessions) = try await run("falsifier") { $0 == "c1" }

        #expect(results.map(\.judgement.verdict) == [.fail])
        #expect(sessions == ["c1", "c1-again"])
    }

    @Test func `a case that passes while the clock is set has passed`() async throws {
        let (results, sessions) = try await run("conforming") { _ in true }

        #expect(results.map(\.judgement) == [Judgement(.pass)])
        #expect(sessions == ["c1"])
    }

    // MARK: invariants

    /// A case that passes though the client writes a token into its log.
    private func leaking(_ isSet: @escaping @Sendable (String) -> Bool) async throws -> (results: [InstanceResult], sessions: [String]) {
        let line = "- {id: invariant.no-secret-in-log, why: because, authority: none, holds: no-secret-in-log}"
        let complaints = Complaints()
        let node = try #require(Node.parse(yaml: "contract: 1\ninvariants:\n\(line)\n", file: "i.yaml", complaints))
        let invariants = Invariant.list(node, complaints)
        try #require(invariants.count == 1, "\(complaints.all)")
        return try await run("leak", invariants: invariants, isSet: isSet)
    }

    @Test func `an invariant that is broken each time that the clock is set is inconclusive`() async throws {
        let (results, sessions) = try await leaking { _ in true }

        #expect(results.map(\.judgement.verdict) == [.pass, .inconclusive])
        #expect(results.last?.judgement.reasons.map(\.finding.seen.text).contains("token#1 is in stderr, raw") == true)
        #expect(results.allSatisfy { $0.held.isEmpty })
        #expect(sessions == ["c1", "c1-again"])
    }

    @Test func `an invariant that is broken again while the clock is not set is broken`() async throws {
        let (results, _) = try await leaking { $0 == "c1" }

        #expect(results.map(\.judgement.verdict) == [.pass, .fail])
    }
}
