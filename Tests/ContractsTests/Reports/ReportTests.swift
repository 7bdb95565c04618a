import BankModel
import DriverProtocol
import Foundation
import Testing

@testable import Contracts

@Suite struct ReportTests {
    private func report(_ verdicts: Verdict..., known: KnownFailing.Line? = nil) throws -> RunReport {
        let instance = try #require(Make.reading("{control: 2}"))
        let evidence = Make.allWell()
        let reason = UnmetExpectation(expected: "a <good> thing", seen: "a \"bad\" one")
        let results = verdicts.map { InstanceResult(instance, evidence, Judgement($0, $0 == .pass ? [] : [reason]), known: known) }
        return RunReport(client: "toy 1", command: "./toy --drive", seed: 7, results: results)
    }

    private let line = KnownFailing.Line(pattern: "toy.*", reason: "later", until: CivilDate(daysSinceEpoch: 30_000), number: 1)

    @Test func `exit codes have their precedence`() throws {
        let all = Demands()

        #expect(try report(.pass, .unsupported).document.exitCode(all) == .ok)
        #expect(try report(.fail, .inconclusive).document.exitCode(all) == .failed)
        #expect(try report(.pass, .inconclusive).document.exitCode(all) == .noVerdict)
        #expect(try report(.fail, .inconclusive).document.exitCode(Demands(maxInconclusive: 1)) == .failed)
        #expect(try report(.pass, .inconclusive).document.exitCode(Demands(maxInconclusive: 1)) == .ok)
        #expect(try report(.pass, .inconclusive, .inconclusive).document.exitCode(Demands(maxInconclusive: 1)) == .noVerdict)
        #expect(try report(.pass, .unsupported, .unsupported, .inconclusive).document.exitCode(Demands(maxInconclusive: 1)) == .ok)
        #expect(try report(.inconclusive).document.exitCode(Demands(maxInconclusive: 1)) == .nothingExercised)
        #expect(try report(.pass, .harnessError).document.exitCode(Demands(maxInconclusive: 9)) == .noVerdict)
        #expect(try report(.fail, .harnessError).document.exitCode(all) == .failed)
        #expect(try report(.pass, .fail).document.exitCode(all, unmatched: [line]) == .failed)
        #expect(try report(.pass, .unsupported).document.exitCode(Demands(maxUnsupported: 0), unmatched: [line]) == .failed)
        #expect(try report(.pass).document.exitCode(Demands(require: ["toy", "pay"]), unmatched: [line]) == .failed)
        #expect(try report(.pass).document.exitCode(Demands(require: ["toy"])) == .ok)
        #expect(try report(.unsupported, .notExercised).document.exitCode(all, unmatched: [line]) == .staleKnownFailing)
        #expect(try report(.unsupported, .notExercised).document.exitCode(all) == .nothingExercised)
        #expect(try report(.pass, known: line).document.exitCode(all) == .staleKnownFailing)
        #expect(try report(.fail, known: line).document.exitCode(all) == .ok)
    }

    @Test func `the last line shows the result of the run and why`() throws {
        func last(_ report: RunReport, _ demands: Demands = Demands()) -> String {
            report.document.terminalText(demands).split(separator: "\n").last.map(String.init) ?? ""
        }

        #expect(
            try last(report(.fail, .fail, .inconclusive, .harnessError))
                == "exit 1: 2 failures (1 cause), 1 inconclusive, 1 harness error")
        #expect(try last(report(.pass, .inconclusive)) == "exit 3: 1 inconclusive")
        #expect(try last(report(.unsupported)) == "exit 4: nothing was exercised")
        #expect(try last(report(.pass, .unsupported), Demands(maxUnsupported: 0)) == "exit 1: 1 unsupported, at most 0 allowed")
        #expect(try last(report(.pass, known: line)) == "exit 5: 1 known failure passed")
        #expect(try last(report(.pass)).hasPrefix("1 passed of 1 ("))
        #expect(try last(report(.fail, known: line)).hasPrefix("0 passed, 1 failed, 1 of them known of 1 ("))
    }

    @Test func `each known failure that passed is named, and unsupported instances are no known failures`() throws {
        var report = try report(.unsupported, known: line)
        for _ in 1...30 { report.results += try self.report(.pass, known: line).results }

        let lines = report.document.terminalText(Demands()).split(separator: "\n")

        #expect(lines.count { $0.hasPrefix("known failure passed: ") && $0.contains(": pass (later, until ") } == 30)
        #expect(!lines.contains { $0.hasPrefix("known    ") })
        #expect(lines.contains { $0.hasPrefix("1 unsupported: ") })
    }

    @Test func `a run that could not be made has no verdict`() throws {
        var report = try report()
        report.trouble = "the driver exited with status 1"

        #expect(report.document.exitCode(Demands()) == .noVerdict)
        #expect(report.document.terminalText(Demands()).contains("no verdict: the driver exited with status 1"))
        #expect(
            ReportDocument.junit(of: [report.document]).contains(
                "<error type=\"harness-error\" message=\"the driver exited with status 1\"/>"))
    }

    @Test func `failures of should count only at that level`() throws {
        let instance = try #require(Make.instances("level: should\nneeds: [login]\nsteps: [login]\nexpect: [{control: 1}]").first)
        let report = RunReport(
            client: "c", command: "c", seed: 1, results: [InstanceResult(instance, Evidence(), Judgement(.fail))])

        #expect(report.document.exitCode(Demands()) == .ok)
        #expect(report.document.exitCode(Demands(level: .should)) == .failed)
    }

    @Test func `a failure shows a newcomer what to do`() throws {
        var report = try report(.fail)
        report.results[0].evidence.stderr = "boom\n"
        report.results[0].evidence.journal[1].fault = FaultRecord(rule: "rule-1", kind: "close", point: "request", applied: true)

        let text = report.document.terminalText(Demands())

        #expect(text.contains("FAIL  toy.case@toy"))
        #expect(text.contains("why       because"))
        #expect(text.contains("\n  A \"bad\" one. A <good> thing.\n"))
        #expect(text.contains("step 2  accounts"))
        #expect(text.contains("#2 GET / token#1 → 200, fault close at request"))
        #expect(text.contains("    boom"))
        #expect(text.contains("counterfoil test --client './toy --drive' --filter toy.case@toy --seed 7"))
        #expect(text.hasSuffix("0 passed, 1 failed of 1 (toy 1, seed 7, 0.0 s)\nexit 1: 1 failure (1 cause)\n"))
    }

    @Test func `what was not run is reported once for each reason`() throws {
        let text = try report(.unsupported, .unsupported, .notExercised, .pass).document.terminalText(Demands())

        #expect(text.contains("2 unsupported: a \"bad\" one (toy.case@toy, toy.case@toy)\n"))
        #expect(text.contains("1 not exercised: A \"bad\" one. A <good> thing. (toy.case@toy)\n"))
        #expect(text.hasSuffix("1 passed, 2 unsupported, 1 not exercised of 4 (toy 1, seed 7, 0.0 s)\n"))
    }

    @Test func `JUnit is well formed and counts each kind`() throws {
        let xml = ReportDocument.junit(of: [try report(.pass, .fail, .harnessError, .inconclusive, .unsupported, .notExercised).document])

        #expect(xml.contains("tests=\"6\" failures=\"1\" errors=\"2\" skipped=\"2\""))
        #expect(xml.contains("A &quot;bad&quot; one. A &lt;good&gt; thing."))
        let parser = XMLCheck(xml)
        #expect(parser.isWellFormed)
        #expect(parser.elements["testcase"] == 6)
        #expect(parser.elements["failure"] == 1)
    }

    @Test func `JUnit has a failure for a required suite that was not exercised`() throws {
        let demands = Demands(require: ["toy", "pay"])
        let missed = ReportDocument.junit(of: [try report(.pass, .notExercised).document.evaluated(demands, unmatched: [])])

        #expect(missed.contains("<testsuites name=\"counterfoil\" tests=\"3\" failures=\"1\" errors=\"0\" "))
        #expect(missed.contains("<failure type=\"fail\" message=\"exit 1: the suite pay was not exercised\"/>"))
        #expect(XMLCheck(missed).isWellFormed)
        // One that fails by a result needs no other failure.
        let failed = ReportDocument.junit(of: [try report(.fail).document.evaluated(demands, unmatched: [])])
        #expect(XMLCheck(failed).elements["testcase"] == 1)
    }

    @Test func `a broken invariant is counted apart from the instances, in every report`() throws {
        var report = try report(.pass, .pass, .fail, .unsupported, known: line)
        let broken = ["invariant.bounded", "invariant.own-token-only"].map { id in
            var result = report.results[1]
            result.instance.brokenIn = Instance.BrokenIn(instance: result.instance.name, caseID: result.instance.caseID)
            result.instance.caseID = id
            result.judgement = Judgement(.fail, [UnmetExpectation(expected: "a thing", seen: "another")])
            result.known = id == "invariant.bounded" ? line : nil
            return result
        }
        report.results.insert(contentsOf: broken, at: 2)
        report.results[0].held = ["invariant.no-foreign-host"]
        report.trouble = "the run was interrupted"

        let xml = ReportDocument.junit(of: [report.document])

        let counts = "2 passed, 1 failed, 1 of them known, 1 unsupported of 4, invariants: 2 failed, 1 of them known"
        #expect(report.document.summary == "\(counts) (toy 1, seed 7, 0.0 s)")
        #expect(xml.contains("<testsuites name=\"counterfoil\" tests=\"8\" failures=\"1\" errors=\"1\" "))
        #expect(xml.contains("<testsuite name=\"toy\" tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"2\" "))
        #expect(xml.contains("<testsuite name=\"invariant\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" "))
        #expect(XMLCheck(xml).elements["testcase"] == 8)
        #expect(HTMLReport([report.document]).text.contains("<dt>results</dt><dd>4 in "))
    }

    @Test func `the page has the reason for the exit code`() throws {
        let document = try report(.pass).document
        let page = HTMLReport([document.evaluated(Demands(require: ["toy", "pay"]), unmatched: [])]).text

        #expect(page.contains("<p class=\"trouble\">exit 1: the suite pay was not exercised</p>"))
        #expect(!HTMLReport([document.evaluated(Demands(), unmatched: [])]).text.contains("exit "))
    }

    @Test func `annotations for GitHub are escaped and of the right level`() throws {
        let text = try report(.pass, .fail, .inconclusive, .unsupported).document.githubAnnotations(Demands())
        let known = try report(.fail, known: line).document.githubAnnotations(Demands())
        let stale = try report(.pass, known: line).document.githubAnnotations(Demands(require: ["pay"]), unmatched: [line])

        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("::error title=toy.case@toy::A \"bad\" one. A <good> thing.%0Awhy: because%0Aagain: "))
        #expect(lines[1].hasPrefix("::error title=toy.case@toy%3A inconclusive::"))
        #expect(known == "::notice title=toy.case@toy::known failure: later\n")
        #expect(stale.split(separator: "\n").map { $0.prefix(7) } == ["::error", "::error", "::error"])
        var should = try report(.fail)
        should.results[0].instance.level = .should
        should.results[0].judgement.reasons[0].finding.seen = "50% of it,\r\nno more"
        should.results[0].instance.why = "one\r\ntwo"
        #expect(
            should.document.githubAnnotations(Demands()).hasPrefix(
                "::warning title=toy.case@toy::50%25 of it, no more. A <good> thing.%0Awhy: one%0D%0Atwo%0A"))
        #expect(should.document.githubAnnotations(Demands(level: .should)).hasPrefix("::error"))
    }

    /// The runner takes a line with spaces before it for a command as well, and `##[…]` anywhere in one.
    @Test func `a driver's output is not a workflow command`() throws {
        let planted = "x\n::error::planted\n::add-mask::x\r::set-env name=a::b\n##[error]planted\u{1B}[2J"
        var report = try report(.fail, .unsupported, .harnessError)
        report.client = planted
        report.trouble = planted
        for number in report.results.indices {
            report.results[number].evidence.stderr = planted
            report.results[number].judgement.reasons[0].finding.seen = "\(planted)"
        }

        let text = report.document.githubText(Demands(), text: report.document.terminalText(Demands()), word: "word")

        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let open = try #require(lines.firstIndex(of: "::word::"))
        #expect(lines[0] == "::stop-commands::word")
        #expect(lines.filter { $0.contains("::word::") }.count == 1)
        #expect(lines[1..<open].allSatisfy { !$0.hasPrefix("::") && !$0.hasPrefix("##[") })
        let annotations = lines[(open + 1)...].filter { !$0.isEmpty }
        #expect(!annotations.isEmpty)
        for line in annotations {
            #expect(line.hasPrefix("::error title=") || line.hasPrefix("::warning title="), "\(line)")
            #expect(!line.contains("\r"))
        }
    }

    @Test func `JSON has its version and every result`() throws {
        let json = try JSON(parsing: try report(.pass, .fail).document.json.text)

        #expect(json["report"]?.int == 1)
        #expect(json["seed"]?.string == "7")
        #expect(json["results"]?.array?.compactMap { $0["verdict"]?.string } == ["pass", "fail"])
        #expect(json.at("counts.fail")?.int == 1)
    }

    @Test func `known failing lines need reason and date`() {
        let complaints = Complaints()
        let known = KnownFailing(
            """
            # announced
            pay.*@toy  # bank's own fault, see #12, until 2027-01-01
            auth.*
            auth.*  # until 2027-01-01
            auth.*  # soon
            """, file: "known.txt", complaints)

        #expect(known.lines.map(\.reason) == ["bank's own fault, see #12"])
        #expect(complaints.all.map(\.position.line) == [3, 4, 5])
    }

    @Test func `known failing lines may follow a byte order mark, end with CRLF, and name days that exist`() {
        let complaints = Complaints()
        let known = KnownFailing(
            "\u{FEFF}# announced\r\npay.*@toy  # bank's own fault, until 2027-01-01\r\nauth.*  # soon, until 2026-02-30\r\n",
            file: "known.txt",
            complaints)

        #expect(known.lines.map(\.reason) == ["bank's own fault"])
        #expect(
            complaints.all.map(\.description) == [
                "known.txt:3:1: found the day `2026-02-30`, expected one that exists, such as 2027-01-01"
            ])
    }

    @Test func `a known failing line holds to its last day`() throws {
        let known = KnownFailing(lines: [line])
        let last = CivilDate(daysSinceEpoch: 30_000)

        #expect(known.line(for: "toy.case@toy", on: last) == line)
        #expect(known.line(for: "toy.case@toy", on: CivilDate(daysSinceEpoch: 30_001)) == nil)
        #expect(known.line(for: "pay.case@toy", on: last) == nil)
        #expect(known.unmatched(among: ["pay.case@toy"]) == [line])
    }

    @Test(arguments: [
        ("invariant.told-as-it-was@*", "invariant.result-shown-as-received@toy in pay.once"),
        ("invariant.pays-only-wishes@toy in pay.*", "invariant.no-unrequested-payments@toy in pay.once"),
        ("invariant.result-shown-as-received@*", "invariant.result-shown-as-received@toy in pay.once"),
    ])
    func `a known-failing line may name an invariant as before`(pattern: String, name: String) {
        let known = KnownFailing("\(pattern)  # announced, until 2027-01-01", file: "known.txt", Complaints())

        #expect(known.line(for: name, on: CivilDate(daysSinceEpoch: 0))?.pattern == pattern)
        #expect(known.unmatched(among: [name]).isEmpty)
        #expect(known.line(for: "invariant.bounded@toy in auth.once", on: CivilDate(daysSinceEpoch: 0)) == nil)
    }
}

/// Counts a document's elements by a strict reading of what this report uses of XML: tags that open and close in order.
struct XMLCheck {
    private(set) var isWellFormed = true
    private(set) var elements: [String: Int] = [:]

    init(_ text: String) {
        var open: [String] = []
        var rest = Substring(text)
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("?") { continue }
            if tag.hasPrefix("/") {
                if open.popLast() != String(tag.dropFirst()) { isWellFormed = false }
                continue
            }
            let name = String(tag.prefix { $0 != " " && $0 != "/" })
            elements[name, default: 0] += 1
            if !tag.hasSuffix("/") { open.append(name) }
        }
        if !open.isEmpty || rest.contains("<") { isWellFormed = false }
        let references = ["amp;", "lt;", "gt;", "quot;", "#39;"]
        let afterEach = text.split(separator: "&", omittingEmptySubsequences: false).dropFirst()
        if !afterEach.allSatisfy({ after in references.contains { after.hasPrefix($0) } }) { isWellFormed = false }
    }
}
