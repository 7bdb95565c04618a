import BankModel
import Contracts
import DriverProtocol
import Faults
import Foundation
import TestBanks
import Testing

/// Shipped cases that accept each of the readings that their source allows.
@Suite struct ShippedReadingTests {
    private static let folder = Clone.contracts

    /// The instances of a shipped case on a bank with these operations.
    private func instances(
        _ id: String, in file: String, on name: String, with operations: [DriverOperation] = [.login, .accounts, .transactions, .status]
    ) throws -> [Instance] {
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        let found = text.components(separatedBy: "\n- id: ").first { $0.hasPrefix(id + "\n") }
        let suite = String(id.prefix { $0 != "." })
        let complaints = Complaints()
        let node = Make.node("contract: 1\nsuite: \(suite)\ncases:\n- id: " + (try #require(found)), complaints)
        let bank = BankFacts(name: name, customers: [.init(login: "ava", password: "secret")], operations: operations)
        let instances = Suite(node, name: suite, complaints)?.cases.flatMap { $0.instances(on: bank, complaints) } ?? []
        try #require(complaints.all.isEmpty, "\(complaints.all)")
        return instances
    }

    /// The unmet expectations about steps, where each step that asks for something ends so.
    private func unmet(_ instance: Instance, _ outcomes: (NumberedStep) -> StepOutcome) -> [String] {
        let steps = Dictionary(uniqueKeysWithValues: instance.allSteps.map { ($0.n, outcomes($0)) })
        let scene = Scene(instance, Evidence(steps: Make.steps(steps)))
        return instance.expectations.filter { $0 is StepPredicate }.flatMap { $0.judge(scene) }.map(\.seen)
    }

    /// Three rows of the bank `snapshot`, the newest first, the newest on that day of the month.
    private func view(_ ids: [String], _ texts: [String], month: String, newest: Int) -> JSON {
        let rows = zip(ids, texts).enumerated().map { index, row -> JSON in
            [
                "id": .string(row.0), "date": .string("\(month)-\(newest - index)"), "description": .string(row.1),
                "amount": .string("1.0\(index + 1)"),
            ]
        }
        return ["transactions": .array(rows)]
    }

    @Test(arguments: ["data.day-of-23-hours", "data.day-of-25-hours"])
    func `a client may ignore a period that the bank does not know`(id: String) throws {
        let instance = try #require(try instances(id, in: "data.time.yaml", on: "snapshot").first)
        let isShort = id == "data.day-of-23-hours"
        let ids = isShort ? ["8967", "8966", "8965"] : ["8977", "8976", "8975"]
        let texts = ["The day after", isShort ? "The short day" : "The long day", "The day before"]
        let (month, newest) = isShort ? ("2026-03", 30) : ("2026-10", 26)
        let whole = view(ids, texts, month: month, newest: newest)
        let shifted = view(ids, texts, month: month, newest: newest - 1)

        #expect(unmet(instance) { _ in .ok(view: whole) } == [])
        #expect(unmet(instance) { _ in .ok(view: shifted) } != [])
    }

    @Test func `a client may ask the same https address again after a redirect to clear text`() throws {
        let instances = try instances("tls.no-downgrade", in: "tls.yaml", on: "toy")

        #expect(instances.count == 8)
        for instance in instances {
            let shown = StepOutcome.ok(view: ["accounts": []])
            let signedOut = unmet(instance) { step in step.label == "during" ? .error("unauthorized", detail: nil) : shown }
            #expect(unmet(instance) { _ in shown } == [])
            #expect(signedOut != [])
        }
    }

    @Test(arguments: [("errors.unknown-status", "errors.yaml"), ("errors.cold-unexpected-success", "errors.cold.yaml")])
    func `a status whose class is success and that no document defines has no case`(id: String, file: String) throws {
        let statuses = try instances(id, in: file, on: "toy").flatMap(\.parameters).filter { $0.key == "status" }.map(\.value)

        #expect(statuses.contains("204"))
        #expect(!statuses.contains("299"))
    }

    @Test(arguments: [(StepOutcome.ok(view: [:]), Verdict.pass), (.error("offline", detail: nil), .fail)])
    func `a client that fails a read because of a GOAWAY fails the case about it`(read: StepOutcome, expected: Verdict) throws {
        let instance = try #require(try instances("wire.goaway-before-response", in: "wire.yaml", on: "toy").first)
        var outcomes: [Int: StepOutcome] = [:]
        for step in instance.allSteps where step.action.asked != nil {
            outcomes[step.n] = step.label == "announced" ? read : .ok(view: ["accounts": []])
        }
        let steps = Make.steps(outcomes)
        var journal: [JournalEntry] = []
        for (n, report) in steps.sorted(by: { $0.key < $1.key }) {
            var exchange = Make.exchange(journal.count + 1)
            exchange.monoNanoseconds = report.started + 1
            exchange.roles = n == 1 ? ["login"] : ["accounts"]
            journal.append(exchange)
        }

        #expect(judge(instance, Evidence(steps: steps, journal: journal)).verdict == expected)
    }

    @Test func `a parser may accept a form that is not JSON if the data shown is right`() throws {
        let instances = try instances("body.own-text-extended", in: "body.json.yaml", on: "toy")

        #expect(instances.count == 11)
        for instance in instances {
            let shown: StepOutcome = .ok(view: ["accounts": []])
            let all = unmet(instance) { _ in shown }
            let rejected = unmet(instance) { step in step.label == "during" ? .error("decode", detail: nil) : shown }
            let other = unmet(instance) { (step: NumberedStep) -> StepOutcome in
                let row: JSON = ["id": .string(step.label ?? "")]
                return .ok(view: ["accounts": [row]])
            }
            #expect(all.isEmpty)
            #expect(rejected.isEmpty)
            #expect(!other.isEmpty)
        }
    }

    @Test(arguments: [
        ("body.cut-short-length", "body.framing.yaml", "too_large"), ("body.longer-length-whole-json", "body.framing.yaml", "too_large"),
        ("body.bad-chunk", "body.framing.yaml", "too_large"), ("body.huge-refused", "body.framing.yaml", "offline"),
        ("body.bad-gzip", "body.framing.yaml", "timeout"), ("body.compression-cut", "body.coded.yaml", "timeout"),
        ("body.unknown-coding", "body.coded.yaml", "timeout"), ("wire.reset-mid-body", "wire.yaml", "too_large"),
        ("wire.cold-reset-mid-body", "wire.cold.yaml", "too_large"),
    ])
    func `an unreadable body may be what the HTTP library calls it`(id: String, file: String, error: String) throws {
        let instances = try instances(id, in: file, on: "toy")

        #expect(!instances.isEmpty)
        for instance in instances {
            let shown: StepOutcome = .ok(view: ["accounts": []])
            let named = unmet(instance) { step in step.label == "during" ? .error(error, detail: nil) : shown }
            let signedOut = unmet(instance) { step in step.label == "during" ? .error("unauthorized", detail: nil) : shown }
            #expect(named.isEmpty)
            #expect(!signedOut.isEmpty)
        }
    }

    @Test(arguments: [
        "pages.repeated-cursor-stops", "pages.overlap-deduplicated", "pages.expired-cursor-restarts", "pages.expired-cursor-every-time",
        "pages.bounded", "pages.no-partial-shown-as-whole", "pages.refused-page-not-shown-as-whole",
    ])
    func `a client may give up a list whose pages do not fit together, with any error`(id: String) throws {
        let instances = try instances(id, in: "pages.yaml", on: "counterfoil")
        let failed = StepOutcome.error("failed", detail: nil)
        let shown = StepOutcome.ok(view: ["transactions": [["id": "1"], ["id": "2"]]])
        let part = StepOutcome.ok(view: ["transactions": [["id": "1"]]])

        #expect(!instances.isEmpty)
        for instance in instances {
            #expect(unmet(instance) { $0.label == "transactions-during" ? failed : shown } == [])
            #expect(unmet(instance) { $0.label == "transactions-during" ? part : shown } != [])
        }
    }

    @Test(arguments: [
        ("data.impossible-dates-dropped", "data.dates.yaml"), ("data.second-60", "data.dates.yaml"), ("data.leap-days", "data.time.yaml"),
        ("data.amount-as-text-or-number", "data.names.yaml"), ("data.instant-without-zone", "data.time.yaml"),
    ])
    func `a client may show no list rather than a part of it`(id: String, file: String) throws {
        let instances = try instances(id, in: file, on: "bins")
        let shown = StepOutcome.ok(view: ["transactions": []])

        #expect(!instances.isEmpty)
        for instance in instances {
            let given = unmet(instance) { $0.label == "transactions-during" ? .error("decode", detail: nil) : shown }
            let empty = unmet(instance) { _ in shown }
            #expect(given == [])
            #expect(empty != [])
        }
    }

    @Test(arguments: [
        ("data.exact-sum", "data.amounts.yaml"), ("data.large-amounts", "data.amounts.yaml"),
        ("data.ids-beyond-53-bits", "data.names.yaml"),
    ])
    func `a client may reject a number with more digits than it reads exactly`(id: String, file: String) throws {
        let instances = try instances(id, in: file, on: "bins", with: [.login, .balance, .transactions])
        let shown = StepOutcome.ok(view: ["balance": "2749.00", "transactions": []])

        #expect(!instances.isEmpty)
        for instance in instances {
            let rejected = unmet(instance) { $0.label?.hasSuffix("-during") == true ? .error("decode", detail: nil) : shown }
            let rounded = unmet(instance) { _ in shown }
            #expect(rejected == [])
            #expect(rounded != [])
        }
    }

    @Test(arguments: [(200, UnmetExpectation.Weight.absent), (400, .failure)])
    func `a list that the client reads again does not exercise a case about its first page`(
        status: Int, expected: UnmetExpectation.Weight
    ) throws {
        let instances = try instances("pages.short-page-is-not-the-last", in: "pages.cursors.yaml", on: "counterfoil")
        let instance = try #require(instances.first)
        let whole: JSON = ["transactions": [["id": "1"]]]
        var outcomes: [Int: StepOutcome] = [:]
        for step in instance.allSteps where step.action.asked != nil { outcomes[step.n] = .ok(view: whole) }
        let last = try #require(outcomes.keys.max())
        var changed = Make.exchange(last, seq: 1, roles: ["transactions"])
        changed.faults = [FaultRecord(rule: "rule-1", kind: "status", point: "response", applied: true)]
        let next = Make.exchange(last, seq: 2, roles: ["transactions"], status: status, query: "cursor=a")
        var again = Make.exchange(last, seq: 3, roles: ["transactions"])
        again.receipt = Receipt(headBytes: 9, end: .kept)
        var evidence = Evidence(steps: Make.steps(outcomes), journal: [changed, next, again])
        evidence.expected = [.transactions: whole]
        let scene = Scene(instance, evidence)
        let weights = instance.expectations.filter { $0 is StepPredicate }.flatMap { $0.judge(scene) }.map(\.weight)

        #expect(weights == [expected])
    }

    @Test func `a client that stores data need not store pictures`() throws {
        let instances = try instances(
            "offline.images-cached-data-not", in: "offline.yaml", on: "counterfoil", with: [.login, .accounts, .image])
        let instance = try #require(instances.first)
        let picture: JSON = ["sha256": "1d4c646a202a4ca61f5355a3d71b3a0dafff61a123f75cdb3e14cab716cc972b"]
        func unmetAfter(_ last: StepOutcome) -> [String] {
            unmet(instance) { step in
                if step.label == "image-during" { return last }
                return step.action.asked == .image ? .ok(view: picture) : .ok(view: ["accounts": []])
            }
        }

        #expect(unmetAfter(.error("offline", detail: nil)) == [])
        #expect(unmetAfter(.ok(view: picture)) == [])
        #expect(unmetAfter(.ok(view: ["sha256": "00"])) != [])
    }

    @Test(arguments: ["counterfoil", "roundup"])
    func `a client may read an id as a UUID, and finds the account of any other id`(bank: String) throws {
        let instance = try #require(
            try instances("data.account-id-is-encoded", in: "data.accounts.yaml", on: bank, with: [.login, .balance]).first)
        func unmet(_ balance: StepOutcome) -> [String] { self.unmet(instance) { $0.label == "balance" ? balance : .ok(view: [:]) } }

        #expect(unmet(.ok(view: ["balance": "712.04"])) == [])
        #expect(unmet(.error("decode", detail: nil)) == [])
        #expect(unmet(.error("not_found", detail: nil)) != [], "the slash led elsewhere")
        #expect(unmet(.ok(view: ["balance": "0.00"])) != [])
    }

    @Test(arguments: ["auth.refresh-token-stays-if-none-comes", "auth.lifetime-is-optional", "auth.lifetime-as-a-text"])
    func `a client that loads each account meets the outage of what the case does not answer`(id: String) throws {
        let instance = try #require(try instances(id, in: "auth.answers.yaml", on: "counterfoil").first)
        let shown = StepOutcome.ok(view: ["accounts": []])
        func unmet(_ renewed: StepOutcome) -> [String] { self.unmet(instance) { $0.label == "renewed" ? renewed : shown } }

        #expect(unmet(shown) == [])
        #expect(unmet(.error("unavailable", detail: nil)) == [])
        #expect(unmet(.error("decode", detail: nil)) != [], "a token without a lifetime is one")
        #expect(unmet(.error("unauthorized", detail: nil)) != [])
    }

    @Test(arguments: [
        ("body.unknown-account-type-keeps-list", "body.fields.yaml", "5f1c0a10-0000-4000-8000-000000000a0f"),
        ("body.duplicate-keys", "body.json.yaml", "acc-2"),
    ])
    func `a case that brings accounts also brings each of them by itself`(id: String, file: String, account: String) throws {
        for (bank, path) in [("counterfoil", "/v1/accounts/acc-2"), ("roundup", "/api/v2/accounts/\(account)/balance")] {
            let instance = try #require(try instances(id, in: file, on: bank).first)
            let rules = instance.allSteps.compactMap { (step: NumberedStep) -> Rule? in
                guard case .fault(let rule) = step.action else { return nil }
                return rule
            }

            #expect(rules.count { rule in rule.on.path.map { globMatches($0, path) } ?? false } == 1, "\(bank)")
        }
    }

    @Test func `a text that no parser in wide use accepts is a decode error`() throws {
        let instances = try instances("body.own-text-damaged", in: "body.json.yaml", on: "toy")

        #expect(instances.count == 4)
        for instance in instances { #expect(unmet(instance) { _ in .ok(view: ["accounts": []]) } != []) }
    }
}
