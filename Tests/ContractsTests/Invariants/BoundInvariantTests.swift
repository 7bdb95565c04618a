import BankModel
import Contracts
import DriverProtocol
import Testing

/// Nothing goes on for ever, to another host, or in clear text; and the file of invariants is read strictly.
struct BoundInvariantTests {
    private let reads = Make.reading("{step: 3, outcome: ok}")

    private func evidence(_ journal: [JournalEntry], baseURL: String = "http://127.0.0.1:80") -> Evidence {
        Make.allWell {
            $0.journal = journal
            $0.baseURL = baseURL
        }
    }

    @Test func `too many requests for one step are reported`() throws {
        let five = (1...5).map { (n: Int) in Make.exchange(3, seq: n, query: "page=\(n)") }
        let atms = Make.exchange(3, seq: 7, path: "/atms")

        #expect(try Make.broken(reads, evidence(five + [atms])).isEmpty)
        let six = try Make.broken(reads, evidence(five + [Make.exchange(3, seq: 6, query: "page=6")]))
        let same = try Make.broken(reads, evidence((1...4).map { Make.exchange(3, seq: $0) }))
        #expect(six == ["bounded: the client sent 6 requests in step 3 (accounts)"])
        #expect(same == ["bounded: the client sent the same request 4 times in step 3 (accounts)"])
        let four = (1...4).map { (n: Int) in Make.exchange(1, seq: n, query: "page=\(n)") }
        #expect(try Make.broken(reads, evidence(four)) == ["bounded: the client sent 4 requests in step 1 (login)"])
    }

    @Test func `a request that nobody asked for is reported`() throws {
        let late: Int64 = 1_000_000_000
        func broken(_ roles: [String] = [], method: String = "GET", query: String? = nil) throws -> [String] {
            var unasked = Make.exchange(9, at: late, roles: roles, query: query)
            unasked.method = method
            return try Make.broken(reads, evidence([Make.exchange(3), unasked])).filter { $0.hasPrefix("bounded") }
        }

        #expect(try broken() == ["bounded: exchange 9 (GET /) came after the client had reported the result of every step"])
        #expect(try broken(method: "POST").count == 1)
        #expect(try broken(["pay"], method: "POST", query: "a=1").count == 1)
        #expect(try broken(["logout"], method: "POST").isEmpty)
    }

    /// Prefetching, and a payment whose state the app follows while another screen is open.
    @Test func `an app may read ahead and ask how a payment stands while no step runs`() throws {
        let late: Int64 = 1_000_000_000
        let ahead = Make.exchange(9, at: late, query: "cursor=c2")
        let probes = ["HEAD", "OPTIONS"].map { method in
            var probe = Make.exchange(9, seq: method.count + 20, at: late)
            probe.method = method
            return probe
        }
        let asks = (10...14).map { (n: Int) in
            Make.exchange(n, at: late + Int64(n) * 1_000_000_000, roles: ["payment_status"], path: "/payments/1")
        }

        #expect(try Make.broken(reads, evidence([Make.exchange(3), ahead] + probes + asks)).isEmpty)
    }

    @Test(arguments: [("challenge", 0), ("accounts", 1)])
    func `a client polls while the customer decides elsewhere`(operation: String, strays: Int) throws {
        var bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .accounts])
        bank.decisionCalls = ["challenge"]
        let reading = Make.instances("needs: [login, accounts]\nsteps: [login, accounts]\nexpect:\n- {step: 2, outcome: ok}", on: bank)
            .first
        let polls = (1...5).map { (n: Int) in
            var poll = Make.exchange(9, seq: 20 + n, at: Int64(n) * 1_000_000_000)
            poll.operation = operation
            return poll
        }

        let broken = try Make.broken(reading, evidence([Make.exchange(3)] + polls)).filter { $0.hasPrefix("bounded") }

        #expect(broken.count == strays)
    }

    @Test func `a client that watches an account may send requests at any time from then on`() throws {
        let bank = BankFacts(
            name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .accounts, .watch])
        let watching = Make.instances(
            "needs: [login, accounts, watch]\nsteps: [login, accounts, watch]\nexpect:\n- {step: 3, outcome: ok}", on: bank
        ).first

        func often(at time: Int64) -> [JournalEntry] { (0...6).map { (n: Int) in Make.exchange(9 - n, at: time - Int64(n) * 4) } }

        #expect(try Make.broken(watching, evidence(often(at: 1_000_000_000))).isEmpty)
        #expect(try Make.broken(watching, evidence(often(at: 30))).count == 1)
    }

    /// TanStack Query tries a read again three times by default, RTK Query five times.
    @Test func `a read ahead may be tried again a few times, and not without end`() throws {
        let late: Int64 = 1_000_000_000
        func reads(_ times: Int) -> [JournalEntry] {
            (0..<times).map { (n: Int) in Make.exchange(10 + n, at: late + Int64(n), roles: ["balance"], query: "account=1") }
        }

        #expect(try Make.broken(self.reads, evidence([Make.exchange(3)] + reads(6))).isEmpty)
        #expect(try Make.broken(self.reads, evidence([Make.exchange(3)] + reads(7))).count == 1)
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func `a read ahead whose response a fault has changed may be tried again`(isChanged: Bool, strays: Int) throws {
        let tries = [10, 11].map { (n: Int) in
            var read = answered(Make.exchange(n, at: 1_000_000_000 + Int64(n), roles: ["balance"], query: "account=1"))
            if isChanged { read.faults = [FaultRecord(rule: "rule-1", kind: "status", point: "request", applied: true)] }
            return read
        }

        #expect(try Make.broken(reads, evidence([Make.exchange(3)] + tries)).count == strays)
    }

    @Test(arguments: [200, 503, 400])
    func `a token may be renewed while no step runs a few times, and not without end`(status: Int) throws {
        func renewals(_ times: Int) throws -> Int {
            let renewals = (0..<times).map { (n: Int) in
                let time = 1_000_000_000 + Int64(n)
                var renewal = Make.exchange(10 + n, at: time, roles: ["refresh"], token: nil, status: status, path: "/token")
                renewal.method = "POST"
                renewal.receipt = Receipt(headBytes: 9, end: .kept)
                return renewal
            }
            return try Make.broken(reads, evidence([Make.exchange(3)] + renewals)).count { $0.hasPrefix("bounded") }
        }

        #expect(try renewals(1) == 0)
        #expect(try renewals(3) == (status == 400 ? 1 : 0), "a rejected one is not repeated")
        #expect(try renewals(4) == 1)
    }

    @Test func `an app may read again what a payment has changed, and what a sign-in shows`() throws {
        func strays(after change: JournalEntry?) throws -> [String] {
            let reads = [Make.exchange(3), Make.exchange(9, at: 1_000_000_000)].map { read in
                var read = read
                read.committed = true
                return read
            }
            let journal = [reads[0]] + (change.map { [$0] } ?? []) + [reads[1]]
            return try Make.broken(self.reads, evidence(journal)).filter { $0.hasPrefix("bounded") }
        }
        var payment = Make.exchange(8, at: 320, path: "/payments")
        payment.method = "POST"
        payment.committed = true
        let again = ["bounded: exchange 9 (GET /) came after the client had reported the result of every step"]

        #expect(try strays(after: nil) == again)
        #expect(try strays(after: payment).isEmpty)
        #expect(try strays(after: Make.exchange(8, at: 320, roles: ["login"], path: "/token")).isEmpty)
        #expect(try strays(after: Make.exchange(8, at: 320, roles: ["refresh"], path: "/token")) == again)
    }

    /// As an app that reads its screens again after a payment, while the bank fails: the first attempt comes soon after the step that had shown
    /// them, and is not that step's.
    @Test func `a read that a payment has caused is not one of the step before the payment`() throws {
        let paying = Make.instances(
            "needs: [login, accounts, pay]\nsteps: [login, accounts, pay: {intent: A, amount: \"10.00\"}]\nexpect:\n- {step: 3, outcome: ok}"
        ).first
        func strays(_ reads: JournalEntry...) throws -> [String] {
            let evidence = Make.orders { $0.journal = [answered(Make.payment(3, key: "a"))] + reads }
            return try Make.broken(paying, evidence).filter { $0.hasPrefix("bounded") }
        }
        let first = Make.exchange(5, at: 360, roles: ["accounts"])
        let late = Make.exchange(6, at: 1_000_000_000, roles: ["accounts"])
        let payees = Make.exchange(5, at: 360, path: "/payees")
        let later = Make.exchange(6, at: 1_000_000_000, path: "/payees")

        #expect(try strays(first, late).isEmpty)
        #expect(try strays(payees, later).isEmpty)
    }

    private func answered(_ exchange: JournalEntry, at time: Int64? = nil) -> JournalEntry {
        var exchange = exchange
        exchange.receipt = Receipt(headBytes: 9, end: .kept)
        exchange.monoNanoseconds = time ?? exchange.monoNanoseconds
        return exchange
    }

    /// A payment order that a step has left open: the bank failed.
    private func leftOpen(_ n: Int, key: String) -> JournalEntry {
        var payment = answered(Make.payment(n, key: key))
        payment.status = 503
        payment.committed = false
        return payment
    }

    /// As an app that keeps its screen up to date while its outbox works off several orders.
    @Test(arguments: [(2, 0), (3, 1)])
    func `an app may read again after each payment of its outbox`(reads: Int, strays: Int) throws {
        let late: Int64 = 1_000_000_000
        let sent = ["a", "b"].enumerated().map { answered(Make.payment(8, seq: 8 + $0, key: $1), at: late + Int64($0) * 20) }
        let shown = (0..<reads).map { (n: Int) in answered(Make.exchange(12 + n, at: late + 10 + Int64(n) * 20, roles: ["balance"])) }
        let evidence = Make.orders {
            for n in [2, 3] { $0.steps[n]?.outcome = .error("outcome_unknown", detail: nil) }
            $0.journal = [leftOpen(2, key: "a"), leftOpen(3, key: "b"), sent[0], shown[0], sent[1]] + shown.dropFirst()
        }

        let broken = try Make.broken(Make.paying("{step: 2, outcome: ok}"), evidence).filter { $0.hasPrefix("bounded") }

        #expect(broken.count == strays)
    }

    @Test(arguments: [(true, 10, 0), (true, 11, 1), (false, 2, 1)])
    func `a client may look for a payment whose outcome is unknown, and not without end`(isOpen: Bool, times: Int, strays: Int) throws {
        let looks = (0..<times).map { (n: Int) in
            answered(Make.exchange(10 + n, at: 1_000_000_000 + Int64(n), roles: ["transactions"]))
        }
        let evidence = Make.orders {
            $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
            $0.journal = [isOpen ? leftOpen(2, key: "a") : answered(Make.payment(2, key: "a"))] + looks
        }

        let broken = try Make.broken(Make.paying("{step: 2, outcome: ok}"), evidence).filter { $0.hasPrefix("bounded") }

        #expect(broken.count == strays)
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func `a success that a fault has changed leaves an order open`(isByFault: Bool, strays: Int) throws {
        var accepted = answered(Make.payment(2, key: "a"))
        accepted.status = 202
        if isByFault { accepted.faults = [FaultRecord(rule: "rule-1", kind: "status", point: "request", applied: true)] }
        let late: Int64 = 1_000_000_000
        let again = answered(Make.payment(8, seq: 8, key: "a"), at: late)
        let looks = [10, 11].map { (n: Int) in answered(Make.exchange(n, at: late + Int64(n), roles: ["transactions"])) }
        func broken(_ unasked: [JournalEntry]) throws -> Int {
            let evidence = Make.orders {
                $0.steps[2]?.outcome = .error("outcome_unknown", detail: nil)
                $0.journal = [accepted] + unasked
            }
            return try Make.broken(Make.paying("{step: 2, outcome: ok}"), evidence).count { $0.hasPrefix("bounded") }
        }

        #expect(try broken([again]) == strays)
        #expect(try broken(looks) == strays)
    }

    @Test func `a client that was restarted may read by itself what it has read before`() throws {
        let restarting = Make.reading("{step: 4, outcome: ok}", steps: "[login, accounts, restart, accounts]")
        func evidence(at time: Int64) -> Evidence {
            Make.allWell {
                $0.steps[3] = StepReport(.done, started: 9_000_000_000, ended: 9_000_000_000)
                $0.steps[4] = StepReport(.ok(view: [:]), started: 9_000_000_100, ended: 9_000_000_200)
                $0.journal = [Make.exchange(2), Make.exchange(3, at: time), Make.exchange(4, at: 9_000_000_150)]
            }
        }

        #expect(try Make.broken(restarting, evidence(at: 8_000_000_000)).isEmpty)
        #expect(try Make.broken(restarting, evidence(at: 19_000_000_000)).count == 1)
    }

    @Test func `who hangs or dies is reported`() throws {
        var evidence = evidence([])
        evidence.steps[3]?.outcome = .hung
        #expect(try Make.broken(reads, evidence) == ["never-hangs: the client hung in step 3 (accounts)"])

        evidence.steps[3]?.outcome = .crashed
        #expect(try Make.broken(reads, evidence) == ["never-dies: the client crashed in step 3 (accounts)"])
    }

    @Test func `clear text to a bank of HTTPS is reported`() throws {
        var secure = Make.exchange(2)
        secure.tls = "TLSv1.3"

        #expect(try Make.broken(reads, evidence([secure], baseURL: "https://127.0.0.1:80")).isEmpty)
        #expect(
            try Make.broken(reads, evidence([secure, Make.exchange(3)], baseURL: "https://127.0.0.1:80"))
                == ["tls-stays-tls: exchange 3 (GET /) sent a request in clear text"])
    }

    @Test func `only a bare request follows a redirect elsewhere`() throws {
        var redirect = Make.exchange(2, status: 302)
        redirect.host = "127.0.0.1:80"
        redirect.responseHeaders = [.init("Location", "http://localhost:81/x")]
        var followed = Make.exchange(3, token: nil)
        followed.host = "localhost:81"
        var carrying = followed
        carrying.token = "token#1"

        #expect(try Make.broken(reads, evidence([redirect, followed])).isEmpty)
        #expect(
            try Make.broken(reads, evidence([redirect, carrying])) == [
                "no-foreign-host: exchange 3 (GET /) sent a token to localhost, which stands for another host here"
            ])
        #expect(
            try Make.broken(reads, evidence([followed])) == [
                "no-foreign-host: exchange 3 (GET /) sent a request to localhost, which stands for another host here"
            ])
    }

    @Test func `a run that broke down shows nothing`() throws {
        var evidence = evidence([Make.exchange(9, at: 1_000_000_000)])
        evidence.harnessTrouble = "the bank was gone"

        #expect(try Make.broken(reads, evidence).isEmpty)
    }

    @Test(arguments: [
        ("{id: invariant.a, why: w, authority: s, holds: pays-what-was-wishd}", "2:", "did you mean `pays-what-was-wished`?"),
        ("{id: invariant.a, why: w, authority: s, holds: {bounded: {requests: 1}}}", "2:", "`pages` is missing"),
        ("{id: invariant.a, why: w, authority: s, holds: {bounded: {requests: 0, pages: 1}}}", "2:", "a whole number from 1"),
        ("{id: a, why: w, authority: s, holds: never-dies}", "2:", "expected `invariant.` and a name"),
        ("{id: invariant.a, why: w, holds: never-dies}", "2:", "`authority` is missing"),
        ("{id: invariant.a, why: w, authority: s, holds: never-dies, when: now}", "2:", "unknown key `when`"),
        ("{id: invariant.a, why: w, authority: s, holds: {files-private: {mode: 600}}}", "2:", "permission bits in octal"),
    ])
    func `a slip in the file is reported with its position`(line: String, position: String, expected: String) {
        let complaints = Complaints()

        _ = Invariant.list(Make.node("contract: 1\ninvariants: [\(line)]", complaints), complaints)

        let found = complaints.all.map(\.description)
        #expect(found.contains { $0.hasPrefix("t.yaml:\(position)") && $0.contains(expected) }, "\(found)")
    }

    @Test func `an exemption from nothing is reported`() {
        let complaints = Complaints()
        let yaml = """
            contract: 1
            suite: toy
            cases:
            - {id: toy.a, why: w, level: should, exempt: [boundd, "why"], needs: [login], steps: [login], expect: [{control: 1}]}
            """
        let suite = Suite(Make.node(yaml, complaints), name: "toy", complaints)

        [suite].compactMap(\.self).checkExemptions(Make.invariants, complaints)

        #expect(
            complaints.all.map(\.description).contains {
                $0.contains("found the invariant `boundd`") && $0.contains("did you mean `bounded`?")
            })
    }
}
