import BankFiles
import BankModel
import Contracts
import DriverProtocol
import Foundation
import TestBanks
import Testing

@Suite struct LoadingTests {
    private func suite(_ body: String) -> String { "contract: 1\nsuite: toy\ncases:\n- id: toy.a\n  why: because\n" + body }

    @Test func `reports all faults of a file at once with line and column`() {
        let found = Make.complaints(
            suite(
                """
                  needs: [login, acounts]
                  stepps: [login]
                  steps: [login, revoke]
                  expect:
                  - {stepp: 1, outcome: ok}
                  - {control: 9}
                """))

        #expect(found.contains("t.yaml:7:3: unknown key `stepps` in a case; did you mean `steps`?"))
        #expect(found.contains { $0.hasPrefix("t.yaml:6:18: found `acounts`, expected") && $0.hasSuffix("did you mean `accounts`?") })
        #expect(found.contains { $0.hasPrefix("t.yaml:8:18: unknown step `revoke`") })
        #expect(found.contains("t.yaml:10:5: unknown predicate `stepp`; did you mean `step`?"))
        #expect(found.contains { $0.hasPrefix("t.yaml:11:15: found `9`, expected a whole number from 1 to") })
    }

    @Test(
        arguments: [
            ("needs: [accounts]\n  steps: [accounts]\n  expect: []", "a case that expects nothing cannot fail"),
            (
                "needs: [accounts]\n  steps: [accounts, together: []]\n  expect: [{control: 1}]",
                "found an empty list, expected at least one step"
            ),
            ("needs: [login]\n  steps: [login, accounts]\n  expect: [{control: 2}]", "the step `accounts` is not among the case's `needs`"),
            (
                "needs: [login]\n  steps: [login]\n  expect: [{fired: 1}]",
                "`fired` needs a step `fault` or `outage`, or an outage in `given`"
            ),
            (
                "needs: [login]\n  steps: [login, restart]\n  expect: [{control: 2}]",
                "found step 2, which requests no operation of the client"
            ),
            (
                "needs: [login]\n  steps: [{fault: close}, login]\n  expect: [{fired: {step: 2}}]",
                "found step 2, which sets no rule, expected a step `fault` or `outage`"
            ),
            ("needs: [login]\n  steps: [{fault: close}, login]\n  expect: [{fired: many}]", "found `many`, expected a whole number"),
            ("needs: [pay]\n  steps: [pay: {intent: A}]\n  expect: [{control: 1}]", "`pay` needs the argument `amount`"),
            ("needs: [pay]\n  steps: [pay: {intent: A, amount: 10.00}]\n  expect: [{control: 1}]", "expected an amount in quotes"),
            (
                "needs: [pay]\n  steps: [pay: {intent: A, amount: \"1.00\"}]\n  expect: [{ledger: {B: 1}}]",
                "found the intent `B`, expected A"
            ),
            ("needs: [login]\n  steps: [{fault: {clse: {}}}, login]\n  expect: [{fired: 1}]", "did you mean `close`?"),
            ("needs: [login]\n  steps: [login]\n  expect: [{step: 1, error: unauthorised}]", "did you mean `unauthorized`?"),
            (
                "needs: [login]\n  steps: [login]\n  expect: [{step: 1, outcome: error, view: {signed_in: false}}]",
                "a step cannot end both in success and with an error"
            ),
            (
                "needs: [login]\n  steps: [login, {fault: stop, times: 1}]\n  expect: [{control: 1}]",
                "unknown key `times` in the end of all faults"
            ),
            ("needs: [login]\n  steps: [login]\n  expect: [{step: 1}]", "the expectation does not define how the step ends"),
            (
                "needs: [login]\n  matrix: {by: [a]}\n  except: [{by: b}]\n  steps: [login]\n  expect: [{control: 1}]",
                "found `b`, expected a value of `by`, a"
            ),
        ])
    func `an error shows what is wrong`(body: String, expected: String) {
        let found = Make.complaints(suite("  " + body))

        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }

    @Test func `intents at once must differ in amount`() {
        let pays = "pay: {intent: A, amount: \"1.00\"}, pay: {intent: B, amount: \"1.00\"}"
        let found = Make.complaints(suite("  needs: [pay]\n  steps: [together: [\(pays)]]\n  expect: [{control: 1}]"))

        #expect(found.contains { $0.contains("the intents A and B under `together` must differ in amount") }, "\(found)")
    }

    @Test func `a fault of one case is reported once whatever the matrix`() {
        let found = Make.complaints(
            suite("  needs: [login]\n  matrix: {by: [a, b, c]}\n  steps: [login, nonsense]\n  expect: [{control: 1}]"))

        #expect(found.count == 1, "\(found)")
    }

    @Test func `a case of more steps or combinations than anyone writes is rejected and not expanded`() {
        let values = (0..<200).map(String.init).joined(separator: ", ")
        let steps = Array(repeating: "login", count: 5000).joined(separator: ", ")
        let wide = Make.complaints(
            suite("  needs: [login]\n  matrix: {by: [\(values)], to: [\(values)]}\n  steps: [login]\n  expect: [{control: 1}]"))
        let long = Make.complaints(suite("  needs: [login]\n  steps: [\(steps)]\n  expect: [{control: 1}]"))

        #expect(wide.contains("t.yaml:7:11: found more than 10000 combinations of `by` and the keys after it, expected fewer values"))
        #expect(long.contains("t.yaml:7:10: found 5000 steps, expected at most 1000"))
    }

    @Test func `the matrix is expanded in file order without what is excepted`() {
        let instances = Make.instances(
            """
            needs: [login]
            matrix: {user: [x, y], protocol: [h1], time_zone: [UTC, Europe/London]}
            except: [{user: y, time_zone: UTC}]
            steps: [login: {user: $user}]
            expect: [{control: 1}]
            """, on: BankFacts(name: "toy", operations: [.login]))

        #expect(
            instances.map(\.name) == [
                "toy.case@toy[user=x,protocol=h1,time_zone=UTC]", "toy.case@toy[user=x,protocol=h1,time_zone=Europe/London]",
                "toy.case@toy[user=y,protocol=h1,time_zone=Europe/London]",
            ])
        #expect(instances.map(\.given.timeZone) == ["UTC", "Europe/London", "Europe/London"])
        #expect(instances.last?.allSteps.first?.action.argument("user") == "y")
    }

    @Test func `a value of the matrix in quotes stays a text`() throws {
        let instances = Make.instances(
            """
            needs: [login, accounts]
            matrix: {sum: ["1.05", 2.5, "true"]}
            steps: [login, accounts]
            expect: [{step: 2, view: {sum: $sum}}]
            """)
        let shown: [JSON] = ["1.05", .number(try #require(JSONNumber("2.5"))), "true"]

        let passes: [[Bool]] = instances.map { instance in
            shown.map { (sum: JSON) -> Bool in
                let evidence = Make.allWell { $0.steps[2]?.outcome = .ok(view: ["sum": sum]) }
                return judge(instance, evidence).verdict == .pass
            }
        }

        #expect(passes == [[true, false, false], [false, true, false], [false, false, true]])
    }

    @Test func `a case runs only where the bank has what it needs`() {
        var bank = Make.bank
        bank.operations = [.transactions]
        let yaml = "needs: [read]\nsteps: [login, {fault: close, on: {role: $read}}, read]\nexpect: [{control: 3}]"

        let instance = Make.instances(yaml, on: bank).first
        bank.operations = [.login]

        #expect(instance?.allSteps.last?.action.operation == .transactions)
        #expect(instance?.needs == [.transactions, .login])
        #expect(Make.instances(yaml, on: bank).isEmpty)
    }

    @Test func `an outage that there is not is reported with its position`() throws {
        let plans = PlanLibrary(stubs: Clone.stubs)
        let known = try #require(Make.reading("{control: 1}", steps: "[login, outage: maintenance, accounts, outage: stop]"))
        let unknown = try #require(Make.reading("{control: 1}", steps: "[login, outage: maintenence, accounts]"))

        #expect(try plans.plans(of: [known]).keys.sorted() == ["maintenance"])
        let error = #expect(throws: ComplaintsError.self) { try plans.plans(of: [known, unknown]) }
        #expect(error?.description.contains("did you mean `maintenance`?") == true, "\(error?.description ?? "")")
        #expect(error?.complaints.first?.position.line != nil)
    }

    @Test(
        arguments: [
            ("steps: [login, {fault: close, on: {role: goals}}, accounts]\nexpect: [{fired: 1}]", "so that the fault can never apply"),
            ("steps: [login, accounts]\nexpect: [{requests: {role: goals, min: 1}}]", "so that no request can match"),
            ("steps: [login, accounts]\nexpect: [{order: [login, goals]}]", "expected login or accounts, or `banks` without toy"),
            ("steps: [login, accounts]\nexpect: [{requests: {role: goals, max: 1}}]", nil),
            ("steps: [login, {fault: close, on: {role: login}}, accounts]\nexpect: [{fired: 1}]", nil),
        ] as [(String, String?)])
    func `a role that no operation of the bank has is reported with its position`(body: String, expected: String?) throws {
        var bank = Make.bank
        bank.roles = [(.login, []), (.accounts, [])]
        let complaints = Complaints()
        let lines = body.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
        let suite = Contracts.Suite(Make.node(self.suite("  needs: [login, accounts]\n" + lines), complaints), name: "toy", complaints)

        _ = try #require(suite).cases.flatMap { $0.instances(on: bank, complaints) }

        if let expected {
            #expect(complaints.all.contains { $0.description.contains(expected) }, "\(complaints.all)")
        } else {
            #expect(complaints.all.isEmpty, "\(complaints.all)")
        }
        #expect(complaints.all.allSatisfy { $0.position.line == 7 || $0.position.line == 8 })
    }

    @Test func `a bank that there is not is reported with its position`() throws {
        let complaints = Complaints()
        func suite(_ banks: String) throws -> Contracts.Suite {
            let yaml = self.suite("  needs: [login]\n  banks: [\(banks)]\n  steps: [login]\n  expect: [{control: 1}]")
            let suite = Contracts.Suite(Make.node(yaml, complaints), name: "toy", complaints)
            return try #require(suite)
        }

        try [suite("roundup, countrfoil"), suite("counterfoil")].checkBanks(["counterfoil", "roundup"], complaints)
        // Somebody's own bank, beside contracts of others that are not here.
        try [suite("bins, roundup")].checkBanks(["big"], complaints)

        #expect(
            complaints.all.map(\.description) == [
                "t.yaml:7:20: found the bank `countrfoil`, expected counterfoil or roundup; did you mean `counterfoil`?"
            ])
    }

    @Test func `a client without operation, bank or feature is unsupported`() throws {
        let instance = try #require(Make.reading("{control: 2}", steps: "[login, together: [accounts, accounts]]"))
        func reason(_ operations: [String], _ features: [String], _ banks: [String]?) -> String? {
            instance.unsupported(by: DriverHello(nonce: "", client: "c", banks: banks, operations: operations, features: features))
        }

        #expect(reason(["login", "accounts"], ["together"], nil) == nil)
        #expect(reason(["login"], ["together"], nil) == "the client does not support the operation `accounts`")
        #expect(reason(["login", "accounts"], [], nil) == "the client does not support the feature `together`")
        #expect(reason(["login", "accounts"], ["together"], ["other"]) == "the client does not support the bank toy")
    }

    @Test func `a client that takes no authority is not judged under TLS`() throws {
        var instance = try #require(Make.reading("{control: 2}", steps: "[login, accounts]"))
        instance.given.wireProtocol = .h1s
        func reason(_ features: [String]) -> String? {
            let operations = ["login", "accounts"]
            return instance.unsupported(by: DriverHello(nonce: "", client: "c", banks: nil, operations: operations, features: features))
        }

        #expect(reason(["ca"]) == nil)
        #expect(reason([])?.hasPrefix("the client does not support the feature `ca`: it ignores `ca_file`") == true)
    }

    @Test func `a suite may be several files and an id stands once in all of them`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        func write(_ ids: [String], to file: String, suite: String = "toy") throws {
            let cases = ids.map { "- {id: \($0), why: because, needs: [login], steps: [login], expect: [{control: 1}]}\n" }.joined()
            try folder.write("contract: 1\nsuite: \(suite)\ncases:\n\(cases)", to: file)
        }
        try write(["toy.a", "toy.b"], to: "toy.first.yaml")
        try write(["toy.c", "toy.a"], to: "toy.second.yaml")
        try write(["tin.a"], to: "tin.yaml", suite: "tin")
        try write(["box.lid.a"], to: "box.lid.yaml", suite: "box.lid")
        let complaints = Complaints()

        let suites = ContractFiles(folder: folder.url, stubs: nil).suites(complaints)

        #expect(suites.map(\.name) == ["box", "tin", "toy"])
        #expect(suites.last?.cases.map(\.id) == ["toy.a", "toy.b", "toy.c", "toy.a"])
        let reported = complaints.all.map(\.description)
        #expect(reported.count == 2, "\(reported)")
        #expect(
            reported.contains { $0.hasSuffix("box.lid.yaml:2:8: found `box.lid`, expected `box`, as the file is named") }, "\(reported)")
        #expect(reported.contains { $0.contains("toy.second.yaml:5:3: the case `toy.a` is declared twice; first at ") }, "\(reported)")
    }

    @Test func `shipped contracts load without complaint`() throws {
        let complaints = Complaints()

        let suites = ContractFiles(folder: Clone.contracts, stubs: Clone.root.appending(path: "Stubs")).suites(complaints)

        #expect(complaints.all.map(\.description) == [])
        #expect(suites.flatMap(\.cases).count >= 25)
    }

    @Test func `every shipped must names the rule that it rests on`() throws {
        let files = ContractFiles(folder: Clone.contracts, stubs: Clone.root.appending(path: "Stubs"))

        let must = files.suites(Complaints()).flatMap(\.cases).filter { $0.level == .must }
        let invariants = files.invariants(Complaints())

        #expect(must.count > 100)
        let unfounded = must.filter { $0.authority == nil }.map(\.id)
        #expect(unfounded.isEmpty)
        #expect(invariants.count == ClientRule.names.count)
        let unfoundedRules = invariants.filter { $0.authority == nil }.map(\.id)
        #expect(unfoundedRules.isEmpty)
    }

    @Test(arguments: [
        ("[login, {fault: close, on: {connection: cold}}, accounts]", 1),
        ("[login, {connections: cold}, {fault: close, on: {connection: cold}}, accounts]", 0),
        ("[{fault: close, on: {connection: cold}}, login, accounts]", 0),
        ("[login, restart, {fault: close, on: {connection: cold}}, accounts]", 0),
        ("[login, {connections: warm}, {fault: close, on: {connection: cold}}, accounts]", 1),
        ("[login, {fault: close, on: {connection: warm}}, accounts]", 0),
    ])
    func `a rule for cold connections that no request may match is warned of`(steps: String, count: Int) throws {
        let complaints = Complaints()
        let node = Make.node(
            "contract: 1\nsuite: toy\ncases:\n- id: toy.a\n  why: because\n  level: should\n  needs: [login, accounts]\n  steps: \(steps)\n"
                + "  expect: [{fired: 1}]", complaints)

        _ = Suite(node, name: "toy", complaints)

        #expect(complaints.errors == [])
        #expect(complaints.all.count == count, "\(complaints.all)")
        for warning in complaints.all {
            #expect(warning.description.contains("expected a step `connections: cold` before it"))
        }
    }

    @Test(arguments: ["{fired: 1}", "{requests: {after: $struck, max: 1}}"])
    func `the outage with which a session begins has the case's rules`(expectation: String) {
        func complaints(_ given: String) -> [String] {
            Make.complaints(
                suite("  needs: [login, accounts]\n\(given)  steps: [login, accounts]\n  expect: [\(expectation), {control: 2}]"))
        }

        #expect(!complaints("  given: {session: {plan: lost}}\n").contains { $0.contains("needs a step") })
        #expect(complaints("").contains { $0.contains("needs a step `fault` or `outage`, or an outage in `given`") })
    }
}
