import BankModel
import Contracts
import DriverProtocol
import Testing

/// Invariants on tokens, customers' data, and secrets.
struct OwnershipInvariantTests {
    private let bank = BankFacts(
        name: "toy", customers: [.init(login: "ava", password: "secret-of-ava"), .init(login: "ben", password: "secret-of-ben")],
        operations: [.login, .logout, .accounts])

    private func instance(_ steps: String, on other: BankFacts? = nil) -> Instance? {
        Make.instances("needs: [login, logout, accounts]\nsteps: \(steps)\nexpect: [{step: 1, outcome: ok}]", on: other ?? bank).first
    }

    private static let change = "[login, {login: {user: ben, password: secret-of-ben}}, accounts]"
    private var changing: Instance? { instance(Self.change) }

    private func evidence(_ token: String, _ view: JSON = ["accounts": [["id": "ben-1", "name": "Ben's own"]]]) -> Evidence {
        var evidence = Evidence(
            steps: Make.steps([1: .ok(view: [:]), 2: .ok(view: [:]), 3: .ok(view: view)]), journal: [Make.exchange(3, token: token)])
        evidence.owners = ["token#1": "ava", "token#2": "ben"]
        evidence.expected = [.accounts: ["accounts": [["id": "ava-1", "name": "Everyday"]]]]
        evidence.othersViews = ["ben": [.accounts: ["accounts": [["id": "ben-1", "name": "Ben's own"]]]]]
        return evidence
    }

    @Test func `a view of a step in which the customer changes is of either`() throws {
        let together = instance("[login, {together: [accounts, {login: {user: ben, password: secret-of-ben}}]}]")
        func broken(login: StepReport) throws -> [String] {
            var evidence = evidence("token#2")
            evidence.steps[2] = StepReport(.ok(view: ["accounts": [["id": "ben-1", "name": "Ben's own"]]]), started: 200, ended: 300)
            evidence.steps[3] = login
            return try Make.broken(together, evidence).filter { $0.hasPrefix("own-data-only") }
        }

        #expect(try broken(login: StepReport(.ok(view: [:]), started: 201, ended: 280)).isEmpty)
        #expect(try broken(login: StepReport(.ok(view: [:]), started: 301, ended: 380)).count == 1)
    }

    @Test func `one's own token and data are right`() throws {
        #expect(try Make.broken(changing, evidence("token#2")).isEmpty)
        #expect(try Make.held(changing, evidence("token#2")).contains("own-data-only"))
    }

    @Test func `a token of the customer before is reported`() throws {
        #expect(
            try Make.broken(changing, evidence("token#1")).first
                == "own-token-only: exchange 3 (GET /) sent token#1, which is ava's, while ben was signed in")
    }

    /// The request comes at 310, after the other customer has signed in at 290.
    @Test(arguments: [
        (200, 320, Receipt.End.kept, 0), (200, 300, .kept, 0), (295, 320, .kept, 1), (200, 300, .clientGone, 0),
    ])
    func `a request of a step that began before the sign-in may come after it`(
        began: Int64, ended: Int64, end: Receipt.End, count: Int
    ) throws {
        let together = instance("[login, {together: [accounts, {login: {user: ben, password: secret-of-ben}}]}]")
        var evidence = evidence("token#1")
        evidence.steps[2] = StepReport(.ok(view: [:]), started: began, ended: ended)
        evidence.steps[3] = StepReport(.ok(view: [:]), started: 201, ended: 290)
        evidence.journal[0].receipt = Receipt(headBytes: 9, end: end)

        #expect(try Make.broken(together, evidence).filter { $0.hasPrefix("own-token-only") }.count == count)
    }

    @Test(arguments: [(false, 1), (true, 0)])
    func `a request that the client cancelled before the sign-in may be answered after it`(isReset: Bool, count: Int) throws {
        var evidence = evidence("token#1")
        evidence.journal[0].receipt = Receipt(headBytes: 9, end: .fin)
        evidence.journal[0].receipt.isReset = isReset

        #expect(try Make.broken(changing, evidence).filter { $0.hasPrefix("own-token-only") }.count == count)
    }

    /// What an app reads ahead for the customer before may be on its way when ben has signed in, at 250.
    @Test(arguments: [(270, 0), (310, 1), (300_000_000, 1)])
    func `a request that no step asks for may have been on its way when another customer signed in`(at time: Int64, count: Int) throws {
        var evidence = evidence("token#1")
        evidence.journal[0].monoNanoseconds = time

        #expect(try Make.broken(changing, evidence).filter { $0.hasPrefix("own-token-only") }.count == count)
    }

    @Test func `a token that the bank never gave is reported`() throws {
        #expect(
            try Make.broken(changing, evidence("unknown")).first
                == "own-token-only: exchange 3 (GET /) sent a token that this bank did not issue")
    }

    @Test func `an unknown token may be the id of a consent that awaits its customer, where such an id is the credential`() throws {
        var berlin = bank
        berlin.consentIsCredential = true
        let changing = instance(Self.change, on: berlin)

        #expect(try Make.broken(changing, evidence("unknown")).isEmpty)
        #expect(try Make.broken(changing, evidence("token#1")).first?.hasPrefix("own-token-only") == true)
    }

    /// A client that signs in on the bank's page gets its token from another call than the one for a name and a password.
    @Test func `an unknown token may come from a response to a code that the case has made up`() throws {
        var evidence = evidence("unknown")
        var grant = Make.exchange(2, token: nil)
        grant.method = "POST"
        grant.requestBody = Array("grant_type=authorization_code&code=code#1".utf8)
        evidence.journal.insert(grant, at: 0)
        #expect(try Make.broken(changing, evidence).first?.hasPrefix("own-token-only") == true)

        evidence.journal[0].faults = [FaultRecord(rule: "rule-1", kind: "status", point: "request", applied: true)]

        #expect(try Make.broken(changing, evidence).isEmpty)
    }

    @Test func `a word for nothing in the place of a token is reported as it was sent`() throws {
        var evidence = evidence("unknown")
        evidence.journal[0].requestHeaders = [JournalEntry.Header("Authorization", "Bearer None")]
        #expect(try Make.broken(changing, evidence).first == "own-token-only: exchange 3 (GET /) sent `Bearer None` as its token")
    }

    @Test func `a token from before the sign-out is reported`() throws {
        let signedOut = instance("[login, logout, accounts]")
        var evidence = evidence("token#1", ["accounts": []])
        #expect(try Make.broken(signedOut, evidence).isEmpty, "the client may never have had it")

        evidence.journal.insert(Make.exchange(1, seq: 9, token: "token#1"), at: 0)

        #expect(try Make.broken(signedOut, evidence) == ["own-token-only: exchange 3 (GET /) sent token#1 after the sign-out"])
    }

    @Test func `what is another customer's is reported when it is shown`() throws {
        let merged: JSON = ["accounts": [["id": "ben-1", "name": "Ben's own"], ["id": "ava-1", "name": "Everyday"]], "stale": true]

        #expect(
            try Make.broken(changing, evidence("token#2", merged)) == [
                "own-data-only: step 3 (accounts) showed \"Everyday\" while ben was signed in"
            ])
    }

    /// A bank may send an amount without its sign, or in minor units: a row that the client should have dropped is still the customer's.
    @Test(
        arguments: [
            ([["amount": "14000.00", "direction": "debit"]], true), ([["minorUnits": 1_400_000]], true), ([["amount": "14000.01"]], false),
            ([["amount": "14000"]], true), ([["amount": 14000]], true), ([["amount": 141]], false),
        ] as [(JSON, Bool)])
    func `an amount that the bank has sent to the customer is her own`(_ served: JSON, _ isOwn: Bool) throws {
        let view: JSON = ["accounts": [["id": "ben-1", "name": "Ben's own", "amount": "-14000.00"]]]
        var evidence = evidence("token#2", view)
        evidence.expected = [.accounts: ["accounts": [["id": "ava-1", "name": "Everyday", "amount": "-14000.00"]]]]
        evidence.journal[0].customer = "ben"
        evidence.journal[0].responseBody = Array(served.text.utf8)

        let broken = try Make.broken(changing, evidence)

        #expect(broken == (isOwn ? [] : ["own-data-only: step 3 (accounts) showed \"-14000.00\" while ben was signed in"]))
    }

    @Test func `an amount of the customer's own row that another customer also has is not the other's`() throws {
        let rounded: JSON = ["accounts": [["id": "ben-row-1", "name": "Ben's own", "amount": "-120.00"]]]
        var evidence = evidence("token#2", rounded)
        evidence.expected = [.transactions: ["transactions": [["id": "ava-row-1", "amount": "-120.00"]]]]
        evidence.journal[0].customer = "ben"
        evidence.journal[0].responseBody = Array(#"{"accounts":[{"id":"ben-row-1","amount":"119.90","direction":"debit"}]}"#.utf8)
        #expect(try Make.broken(changing, evidence).isEmpty)

        evidence.steps[3]?.outcome = .ok(view: ["accounts": [["id": "unknown-row", "amount": "-120.00"]]])

        #expect(try Make.broken(changing, evidence) == ["own-data-only: step 3 (accounts) showed \"-120.00\" while ben was signed in"])
    }

    @Test(arguments: [
        ("1250.42", true), ("-1250.42", true), ("912.345", true), ("1250.40", false), ("1250.00", false), ("520.42", false),
    ])
    func `a long amount of another customer is reported in the customer's own row, unless it is round`(
        _ shown: String, _ isReported: Bool
    ) throws {
        var evidence = evidence("token#2", ["accounts": [["id": "ben-row-1", "name": "Ben's own", "balance": .string(shown)]]])
        evidence.expected = [.accounts: ["accounts": [["id": "ava-row-1", "balance": .string(shown)]]]]
        evidence.journal[0].customer = "ben"
        evidence.journal[0].responseBody = Array(#"{"accounts":[{"id":"ben-row-1","balance":"77.10"}]}"#.utf8)

        let broken = try Make.broken(changing, evidence)
        #expect(broken == (isReported ? ["own-data-only: step 3 (accounts) showed \"\(shown)\" while ben was signed in"] : []))

        evidence.journal[0].responseBody = Array(#"{"accounts":[{"id":"ben-row-1","balance":"\#(shown)"}]}"#.utf8)
        #expect(try Make.broken(changing, evidence).isEmpty)
    }

    @Test(arguments: [
        ("name", "Rental", true), ("name", "Bills", false), ("balance", "120.00", true), ("balance", "12.00", false),
        ("amount", "-120.00", true), ("amount", "-12.00", false),
    ])
    func `a text of up to five characters may be anybody's`(_ key: String, _ shown: String, _ isReported: Bool) throws {
        let row: JSON = .object(JSONObject([("id", "new"), (key, .string(shown))]))
        var evidence = evidence("token#2", ["accounts": [row]])
        evidence.expected = [.accounts: ["accounts": [row]]]

        let broken = try Make.broken(changing, evidence)

        #expect(broken == (isReported ? ["own-data-only: step 3 (accounts) showed \"\(shown)\" while ben was signed in"] : []))
    }

    @Test func `a day on which both customers have rows is nobody's`() throws {
        var evidence = evidence("token#2", ["accounts": [["id": "ben-row-1", "name": "Ben's own", "date": "2026-11-29"]]])
        evidence.expected = [.transactions: ["transactions": [["id": "ava-row-1", "date": "2026-11-29"]]]]

        #expect(try Make.broken(changing, evidence).isEmpty)
    }

    @Test func `a balance is compared with other customers' balances and with no amount of their rows`() throws {
        let bank = BankFacts(
            name: "toy", customers: [.init(login: "ava", password: "secret-of-ava"), .init(login: "ben", password: "secret-of-ben")],
            operations: [.login, .balance])
        let steps = "[login, {login: {user: ben, password: secret-of-ben}}, balance]"
        let instance = Make.instances("needs: [login, balance]\nsteps: \(steps)\nexpect: [{step: 1, outcome: ok}]", on: bank).first
        var evidence = evidence("token#2", ["balance": "120.00"])
        evidence.othersViews = [:]
        evidence.expected = [.transactions: ["transactions": [["id": "ava-row-1", "amount": "-120.00"]]]]
        #expect(try Make.broken(instance, evidence).isEmpty)

        evidence.expected[.balance] = ["balance": "120.00"]

        #expect(
            try Make.broken(instance, evidence) == ["own-data-only: step 3 (balance) showed \"120.00\" while ben was signed in"])
    }

    @Test func `data shown after the sign-out are reported`() throws {
        let signedOut = instance("[login, logout, accounts]")
        let view: JSON = ["accounts": [["id": "ava-1", "name": "Everyday"]], "stale": true]

        #expect(
            try Make.broken(signedOut, evidence("token#9", view)) == [
                "own-data-only: step 3 (accounts) showed \"Everyday\" while no customer was signed in"
            ])
    }

    @Test func `a view is expected of the customer who is signed in`() throws {
        let steps = "[login, {login: {user: ben, password: secret-of-ben}}, accounts]"
        let instance = try #require(
            Make.instances("needs: [login, accounts]\nsteps: \(steps)\nexpect: [{step: 3, view: expected}]", on: bank).first)

        var own = evidence("token#2")
        own.journal += [Make.exchange(1, token: nil), Make.exchange(2, token: nil)]
        var others = own
        others.steps[3]?.outcome = .ok(view: ["accounts": [["id": "ava-1", "name": "Everyday"]]])

        #expect(judge(instance, own).verdict == .pass)
        #expect(judge(instance, others).verdict == .fail)
    }

    @Test func `secrets are reported wherever they were found`() throws {
        let login = instance("[login]")
        func broken(_ finding: Evidence.FoundSecret) throws -> [String] {
            var evidence = Evidence(steps: Make.steps([1: .ok(view: [:])]), journal: [Make.exchange(1)])
            evidence.foundSecrets = [finding]
            return try Make.broken(login, evidence).map { String($0.prefix { $0 != ":" }) }
        }
        func found(
            _ kind: Evidence.FoundSecret.Kind, _ location: Evidence.FoundSecret.Location, _ path: String, mode: Int? = nil
        ) -> Evidence.FoundSecret {
            var finding = Evidence.FoundSecret(
                token: "secret#1", kind: kind, location: location, path: path, encoding: "raw", after: 1, isDuring: true)
            finding.mode = mode
            return finding
        }

        #expect(try broken(found(.password, .disk, "store", mode: 0o600)) == ["no-secret-on-disk-in-clear"])
        #expect(try broken(found(.data, .disk, "cache", mode: 0o600)) == ["no-secret-on-disk-in-clear"])
        #expect(try broken(found(.token, .disk, "token", mode: 0o600)).isEmpty)
        #expect(try broken(found(.token, .disk, "token", mode: 0o640)) == ["files-private"])
        #expect(try broken(found(.token, .disk, "../drivers/x", mode: 0o600)) == ["no-secret-on-disk-in-clear"])
        #expect(try broken(found(.token, .log, "stderr")) == ["no-secret-in-log"])
        #expect(try broken(found(.password, .log, "the response to step 1")) == ["no-secret-in-log"])
        #expect(try broken(found(.password, .address, "exchange 1")) == ["no-secret-in-address"])
        // A case asks for these; a client may store one while its customer is signed in.
        #expect(try broken(found(.idToken, .disk, "id.jwt", mode: 0o644)).isEmpty)
        #expect(try broken(found(.idToken, .log, "stderr")).isEmpty)
    }

    @Test func `a rule does not hold where a file was not searched to its end`() throws {
        let login = instance("[login]")
        func held(_ mayHoldSecret: Bool) throws -> Bool {
            var evidence = Evidence(steps: Make.steps([1: .ok(view: [:])]), journal: [Make.exchange(1)])
            evidence.unsearched = [
                Evidence.Unsearched(path: "a", reason: "b", mayHoldSecret: mayHoldSecret, after: Evidence.FoundSecret.atEnd)
            ]
            return try Make.held(login, evidence).contains("no-secret-on-disk-in-clear")
        }

        #expect(try held(false))
        #expect(try !held(true))
    }
}
