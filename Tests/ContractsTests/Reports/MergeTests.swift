import BankModel
import Testing

@testable import Contracts

/// The reports of shards, joined into that of the whole run.
@Suite struct MergeTests {
    /// A run of `toy.c0` to `toy.c11`, twice each, of which some went wrong for one reason and one broke an invariant.
    private func whole() throws -> RunReport {
        var results: [InstanceResult] = []
        let reason = UnmetExpectation(expected: "a thing", seen: "another")
        for repetition in 1...2 {
            for number in 0..<12 {
                var instance = try #require(Make.reading("{control: 2}"))
                instance.caseID = "toy.c\(number)"
                let verdict: Verdict = number % 3 == 0 ? .fail : number == 5 ? .unsupported : .pass
                results.append(
                    InstanceResult(
                        instance, Make.allWell(), Judgement(verdict, verdict == .pass ? [] : [reason]), duration: .milliseconds(number),
                        repetition: repetition))
                guard number == 4 else { continue }
                instance.brokenIn = Instance.BrokenIn(instance: instance.name, caseID: instance.caseID)
                instance.caseID = "invariant.bounded"
                results.append(InstanceResult(instance, Make.allWell(), Judgement(.fail, [reason]), repetition: repetition))
            }
        }
        var report = RunReport(client: "toy 1", command: "./toy", seed: 7, results: results, duration: .seconds(9))
        report.skipped = 2
        report.contracts = String(repeating: "c", count: 64)
        report.origin = .init(started: Instant(seconds: 100), host: "one", version: "0.1.0")
        return report
    }

    /// The report of one shard, as it is read from its file.
    private func shard(_ number: Int, of count: Int = 3, _ change: (inout RunReport) -> Void = { _ in }) throws -> FiledReport {
        var report = try whole()
        report.part = RunPart(try #require(Shard(number, of: count)), total: 24, cut: String(repeating: "a", count: 64))
        report.positions = Dictionary(uniqueKeysWithValues: (0..<12).map { ("toy.c\($0)@toy", $0) })
        report.results = report.results.filter { (report.positions[$0.instance.filterName] ?? 0) % count == number - 1 }
        report.duration = .seconds(10 - number)
        report.origin.started = Instant(seconds: Int64(99 + number))
        change(&report)
        let json = try JSON(parsing: report.document.json.pretty)
        return FiledReport("\(number).json", try ReportDocument(json: json, file: "\(number).json"))
    }

    private func complaint(_ files: FiledReport...) -> String {
        do {
            _ = try ReportDocument.merged(files)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `merged shards are the whole run, in whatever order they come`() throws {
        let merged = try ReportDocument.merged([shard(3), shard(1), shard(2)])

        #expect(merged == (try whole().document))
        #expect(merged.results.contains { !$0.exchanges.isEmpty })
        #expect(merged.json.pretty == (try whole().document.json.pretty))
        #expect(try shard(2).run.summary.hasSuffix("2 skipped, shard 2/3"))
    }

    @Test func `a run of one shard is a run`() throws { #expect(try ReportDocument.merged([shard(1, of: 1)]) == (try whole().document)) }

    @Test func `what is missing, doubled or of another run is rejected, each with its file`() throws {
        let (one, two, three) = (try shard(1), try shard(2), try shard(3))

        #expect(complaint(one, three).contains("--merge: found no report of the shard 2/3, expected one of each of the 3 shards"))
        #expect(complaint(three).contains("found no report of the shards 1/3, 2/3"))
        #expect(
            complaint(one, two, three, FiledReport("x.json", two.run)).contains(
                "x.json: found shard 2/3 again, expected it once: 2.json has it"))
        #expect(complaint(one, try shard(2) { $0.seed = 8 }, three).contains("2.json: found the seed 8, expected 7 as in 1.json"))
        #expect(
            complaint(one, try shard(2) { $0.client = "toy 2" }, three).contains(
                "2.json: found the client toy 2, expected toy 1 as in 1.json"))
        #expect(
            complaint(one, two, try shard(3) { $0.origin.version = "0.2.0" }).contains(
                "3.json: found the version 0.2.0, expected 0.1.0 as in 1.json"))
        #expect(
            complaint(one, two, try shard(3) { $0.contracts = nil }).contains("3.json: found contracts with the digest none, expected ccc"))
        let other = try shard(2) { $0.part?.cut = String(repeating: "b", count: 64) }
        #expect(complaint(one, other, three).contains("2.json: found 24 instances with `cut` bbb"))
        #expect(complaint(one, other, three).contains("give each shard the same --filter"))
        #expect(
            complaint(one, two, three, try shard(4, of: 4)).contains(
                "4.json: found a run divided into 4 shards, expected 3 shards as in 1.json"))
        #expect(complaint(FiledReport("w.json", try whole().document), one).contains("w.json: found a report that is not of a shard"))
        #expect(complaint().contains("found no report"))
    }

    @Test func `all that does not fit is reported at once`() throws {
        let message = complaint(
            try shard(1),
            try shard(2) { report in
                report.seed = 8
                report.client = "x"
            })

        for part in ["the seed 8", "the client x", "no report of the shard 3/3"] { #expect(message.contains(part)) }
    }

    @Test func `two results for one position, and one without a position, are rejected`() throws {
        var (two, three) = (try shard(2), try shard(3))

        two.run.results[0].order = 1
        #expect(complaint(try shard(1), two, three).contains("2.json: results.0.order: found a result for position 1"))
        three.run.results[1].order = nil
        #expect(complaint(try shard(1), try shard(2), three).contains("3.json: results.1.order: found no position of toy."))
        three.run.results[1].order = 25
        #expect(
            complaint(try shard(1), try shard(2), three).contains("found the position 25, expected its position in the whole run, 1 to 24"))
    }

    @Test func `a shard without instances has no client to compare; one that broke off leaves no verdict`() throws {
        let empty: (inout RunReport) -> Void = { report in
            report.results = []
            report.client = RunReport.unknownClient
        }

        let quiet = try ReportDocument.merged([shard(1, empty), shard(2), shard(3)])
        let broken = try ReportDocument.merged([
            shard(1), shard(2),
            shard(3) { report in
                empty(&report)
                report.trouble = "the driver exited"
            },
        ])

        #expect(quiet.client == "toy 1")
        #expect(quiet.trouble == nil)
        #expect(broken.trouble == "shard 3/3: the driver exited")
        #expect(broken.exitCode(Demands()) == .noVerdict)
    }

    @Test func `a merged run is judged as one that was just made`() throws {
        let run = try ReportDocument.merged([shard(1), shard(2), shard(3)])
        let line = KnownFailing.Line(pattern: "*", reason: "later", until: CivilDate(daysSinceEpoch: 30_000), number: 1)
        let today = CivilDate(daysSinceEpoch: 20_000)
        var known = KnownFailing(lines: [line])

        #expect(run.exitCode(Demands()) == .failed)
        #expect(run.announced(by: known, on: today).exitCode(Demands()) == .staleKnownFailing)
        known.lines = (0..<4).map { KnownFailing.Line(pattern: "toy.c\($0 * 3)@*", reason: "later", until: line.until, number: $0) }
        known.lines.append(KnownFailing.Line(pattern: "invariant.*", reason: "later", until: line.until, number: 5))
        let announced = run.announced(by: known, on: today)
        #expect(announced.exitCode(Demands()) == .ok)
        #expect(announced.exitCode(Demands(maxUnsupported: 1)) == .failed)
        #expect(announced.exitCode(Demands(require: ["pay"])) == .failed)
        #expect(announced.exitCode(Demands(), unmatched: [line]) == .staleKnownFailing)
        #expect(announced.terminalText(Demands(require: ["pay"])).contains("the required suite `pay` was not exercised"))
        #expect(announced.announced(by: KnownFailing(), on: today) == run)
    }

    @Test(arguments: ["", "2", "0/5", "6/5", "1/0", "1/1001", "2/5/1", "-1/5", "+1/5", "a/b", "/5", "2/", " 2/5", "99999999999999999999/5"])
    func `some texts are no shard`(text: String) { #expect(Shard(text: text) == nil) }

    @Test func `a shard is written as it is read`() {
        #expect(Shard(text: "2/5")?.description == "2/5")
        #expect(Shard(text: "1000/1000")?.number == 1000)
    }

    @Test(arguments: [
        (#""number":2"#, #""number":4"#, "shard: found shard 4 of 3, expected one of 1 to 3"),
        (#""number":2"#, #""number":0"#, "shard.number"), (#""number":2"#, #""nmber":2"#, "nmber"),
        (#""cut":"aaaa"#, #""cut":"AAAA"#, "64 hexadecimal digits"),
    ])
    func `a shard of a report that cannot be is reported with its position`(_ part: String, _ damage: String, _ expected: String) throws {
        let json = try JSON(parsing: try shard(2).run.json.text.replacing(part, with: damage))
        let error = #expect(throws: ComplaintsError.self) { try ReportDocument(json: json, file: "a.json") }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test(
        arguments: [
            ("invariant.bounded@toy in pay.a[by=x]", "pay.a@toy[by=x]"), ("invariant.x in y@z", nil), ("invariant.x in @z", nil),
            ("pay.a@toy", nil), ("invariant.@ in ", "@"),
        ] as [(String, String?)])
    func `a name of any form is an invariant's only if it names the bank before the case`(name: String, instance: String?) {
        #expect(KnownFailing.instance(of: name) == instance)
    }

    @Test func `a report with a name that no run gives is read`() throws {
        #expect(try Report.document(Report.result("invariant.x in y@z", .pass)).summary.hasPrefix("1 passed of 1 "))
    }

    @Test func `a merged run has the baselines and the notes of all shards`() throws {
        var shards = try [shard(1), shard(2), shard(3)]
        shards[1].run.baseline = "bare 1"
        shards[2].run.baseline = "bare 1"
        shards[1].run.notes = ["left out 2 requests"]
        shards[2].run.notes = ["left out 2 requests", "assumed one client"]

        let run = try ReportDocument.merged(shards)

        #expect(run.baseline == "bare 1")
        #expect(run.notes == ["left out 2 requests", "assumed one client"])
        shards[2].run.baseline = "bare 2"
        #expect(try ReportDocument.merged(shards).baseline == "bare 1, bare 2")
    }

    @Test func `JUnit has the notes of a run without results`() throws {
        var run = try Report.document()
        run.notes = ["left out 2 requests"]
        let note = "<system-out>left out 2 requests</system-out>"

        #expect(
            ReportDocument.junit(of: [run]).contains(
                """
                  <testsuite name="notes" tests="0" failures="0" errors="0" skipped="0" time="0.000">
                    \(note)
                  </testsuite>
                </testsuites>
                """))
        run.trouble = "the driver exited"
        let broken = ReportDocument.junit(of: [run])
        #expect(broken.contains(note) && broken.contains("harness-error"))
    }
}
