import BankModel
import Contracts
import Testing

/// Failures that a baseline, the platform's bare HTTP stack, has too.
@Suite struct PlatformFailureTests {
    /// A run with one result for each name, failed for these reasons, or passed where there is none.
    private func report(_ client: String, _ reasons: [String: [UnmetExpectation]]) throws -> RunReport {
        let results = try reasons.sorted { $0.key < $1.key }.map { name, unmet in
            var instance = try #require(Make.reading("{control: 2}"))
            instance.caseID = name
            return InstanceResult(instance, Make.allWell(), Judgement(unmet.isEmpty ? .pass : .fail, unmet))
        }
        return RunReport(client: client, command: "./toy --drive", seed: 7, results: results)
    }

    private let resent = UnmetExpectation(expected: "the same bytes in every attempt", seen: "attempt \(2) with \(0) bytes")

    @Test func `a failure is shared if the baseline fails the instance for the same reasons`() throws {
        let other = UnmetExpectation(expected: "one key", seen: "2 keys")
        let again = UnmetExpectation(expected: "the same bytes in every attempt", seen: "attempt \(3) with \(17) bytes")
        var report = try report(
            "app 1", ["pay.alike": [resent], "pay.more": [resent, other], "pay.other": [other], "pay.own": [resent], "pay.passed": []])

        report.mark(
            sharedWith: try self.report("bare 1", ["pay.alike": [again], "pay.more": [resent], "pay.other": [resent], "pay.own": []]),
            as: .shared)

        let shared = report.results.filter { $0.platform != nil }.map(\.instance.caseID)
        #expect(shared == ["pay.alike"])
        #expect(report.baseline == "bare 1")
    }

    @Test func `a shared failure counts unless it is forgiven`() throws {
        let baseline = try report("bare 1", ["pay.a": [resent]])
        var shared = try report("app 1", ["pay.a": [resent]])
        var forgiven = shared
        shared.mark(sharedWith: baseline, as: .shared)
        forgiven.mark(sharedWith: baseline, as: .forgiven)

        #expect(shared.document.exitCode(Demands()) == .failed)
        #expect(forgiven.document.exitCode(Demands()) == .ok)
        #expect(
            shared.document.terminalText(Demands()).contains(
                "the platform does this too: 1 of 1 failure (baseline bare 1)\nplatform pay.a@toy: "))
        #expect(ReportDocument.junit(of: [shared.document]).contains("failures=\"1\""))
        #expect(ReportDocument.junit(of: [forgiven.document]).contains("<skipped message=\"the platform does this too\"/>"))
        #expect(shared.document.githubAnnotations(Demands()).contains("::error"))
        #expect(forgiven.document.githubAnnotations(Demands()).contains("::notice title=pay.a@toy::the platform does this too"))
    }

    @Test func `the JSON report keeps which failures are shared`() throws {
        var report = try report("app 1", ["pay.a": [resent], "pay.b": [resent]])
        report.mark(sharedWith: try self.report("bare 1", ["pay.a": [resent]]), as: .forgiven)

        let read = try ReportDocument(json: report.document.json, file: "report.json")

        #expect(read == report.document)
        #expect(read.results.map(\.platform) == [.forgiven, nil])
        #expect(read.exitCode(Demands()) == .failed)
    }

    @Test func `announced failures are not asked about, and a broken invariant stands for its instance`() throws {
        var report = try report("app 1", ["pay.a": [resent], "pay.b": [resent], "pay.c": []])
        report.results[1].known = KnownFailing.Line(pattern: "pay.b*", reason: "later", until: CivilDate(daysSinceEpoch: 30_000), number: 1)

        #expect(report.failed(of: report.results.map(\.instance)).map(\.caseID) == ["pay.a"])
    }
}
