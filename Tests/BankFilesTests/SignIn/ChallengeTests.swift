import BankCore
import BankFiles
import BankModel
import Testing

/// Step-up: requests that the customer confirms by a code or in another app. Those on the bank's page are `ChallengePageTests`'.
@Suite struct ChallengeTests {
    @Test func `without challenges the bank is as before`() throws {
        for kind in [nil, ChallengePolicy.Setting.off] {
            var payer = try Payer(kind)

            #expect(payer.pay().status == 201)
            payer.app.now = payer.app.now + .seconds(800)
            #expect(payer.oldRows().status == 200)
            #expect(payer.app.state.challenges.all.isEmpty)
        }
    }

    @Test func `the right code executes the payment once, under its key`() throws {
        var payer = try Payer()

        let challenged = payer.pay()
        #expect(challenged.status == 403)
        #expect(challenged.name == .stepUp)
        #expect(challenged.json("challenge") == "challenge-1")
        #expect(challenged.json("challenge_kind") == "otp")
        #expect(payer.payments == 0)
        #expect(payer.pay().json("challenge") == "challenge-1", "a repetition gets the same challenge")
        #expect(payer.pay("11.00").name == .keyMismatch)

        #expect(payer.answer("0000").json("state") == "approved")
        #expect(payer.payments == 1)
        #expect(payer.app.state.ledger.movements.first?.key == "k1")
        let again = payer.pay()
        #expect(again.status == 201)
        #expect(again.replayed)
        #expect(payer.answer("0000").status == 200, "the answer can be repeated")
        #expect(payer.payments == 1)
        #expect(payer.app.state.audit(at: payer.app.now).isEmpty)
    }

    @Test func `three wrong codes lock a challenge`() throws {
        var payer = try Payer()
        _ = payer.pay()

        for _ in 1...2 { #expect(payer.answer("1234").status == 422) }
        let locked = payer.answer("1234")
        #expect(locked.status == 409)
        #expect(locked.json("state") == "locked")
        #expect(payer.answer("0000").status == 409)
        #expect(payer.payments == 0)
        #expect(payer.pay().json("challenge") == "challenge-2", "a new attempt is challenged again")
    }

    @Test func `a challenge takes its code until it expires`() throws {
        var payer = try Payer()
        _ = payer.pay()
        payer.app.now = payer.app.now + .seconds(299)

        #expect(payer.state() == "pending")
        #expect(payer.answer("0000").json("state") == "approved")
        #expect(payer.payments == 1)
    }

    @Test func `an expired challenge takes no code, and the same order can be paid again`() throws {
        var payer = try Payer()
        _ = payer.pay()
        payer.app.now = payer.app.now + .seconds(300)

        #expect(payer.answer("0000").json("state") == "expired")
        #expect(payer.pay().json("challenge") == "challenge-2")
        #expect(payer.answer("0000", 2).status == 200)
        #expect(payer.pay().replayed)
        #expect(payer.payments == 1)
    }

    @Test func `a decoupled challenge is approved, or denied, from outside`() throws {
        var payer = try Payer(.decoupled)
        let challenged = payer.pay()
        #expect(challenged.json("challenge_kind") == "decoupled")
        #expect(String(decoding: challenged.body, as: UTF8.self).contains(#""poll_after":0.500"#))
        #expect(payer.answer("0000").status == 400, "it takes no code")
        #expect(payer.state() == "pending")
        let now = payer.app.now

        _ = try payer.app.state.decide(challenge: 1, approves: true, .usual, at: now)
        #expect(payer.state() == "approved")
        #expect(payer.payments == 1)
        #expect(throws: ChallengeError.ended(1, .approved)) { try payer.app.state.decide(challenge: 1, approves: false, .usual, at: now) }

        _ = payer.pay(key: "k2")
        _ = try payer.app.state.decide(challenge: 2, approves: false, .usual, at: now)
        #expect(payer.state(2) == "denied")
        #expect(payer.payments == 1)
        #expect(throws: ChallengeError.unknown(3, known: 2)) { try payer.app.state.decide(challenge: 3, approves: true, .usual, at: now) }
    }

    @Test func `a decoupled challenge approves itself by the session clock`() throws {
        var payer = try Payer(.decoupled, changing: [("{interval: 500ms}", "{interval: 500ms, approves_after: 10s}")])
        _ = payer.pay()
        let due = payer.app.now + .seconds(10)

        #expect(payer.app.state.nextDue == due)
        #expect(payer.app.state.approveFirst(by: due + .seconds(-1), .usual) == nil)
        #expect(payer.app.state.approveFirst(by: due + .seconds(20), .usual)?.at == due)
        #expect(payer.payments == 1)
        #expect(payer.app.state.ledger.movements.first?.at == due)
        #expect(payer.app.state.approveFirst(by: due + .seconds(20), .usual) == nil)
    }

    @Test func `approvals and scheduled events happen in the order of their instants`() throws {
        var payer = try Payer(.decoupled, changing: [("{interval: 500ms}", "{interval: 500ms, approves_after: 10s}")])
        _ = payer.pay()
        let start = payer.app.now
        var salary = BankEvent(.paymentIn)
        (salary.account, salary.amount, salary.name) = ("ava-gbp", "1.00", "Acme")
        for seconds in [5, 15] { _ = try payer.app.state.schedule(LifeEvent(salary, after: .seconds(seconds), every: nil), at: start) }

        var times: [Instant] = []
        while let done = payer.app.state.performFirstDue(by: start + .seconds(60), .usual) { times.append(done.at) }

        #expect(times == [5, 10, 15].map { start + .seconds($0) })
        #expect(payer.app.state.ledger.movements.map(\.at) == times)
    }

    @Test func `a payment that its repetition makes delays no other payment`() throws {
        var payer = try Payer(.decoupled)
        let now = payer.app.now
        _ = payer.pay()
        let repetition = payer.ticket(key: "k1")
        _ = try payer.app.state.decide(challenge: 1, approves: true, .usual, at: now)
        #expect(payer.payments == 0, "the repetition has the key")

        _ = payer.pay(key: "k2")
        _ = try payer.app.state.decide(challenge: 2, approves: true, .usual, at: now)
        #expect(payer.app.state.ledger.movements.map(\.key) == ["k2"])
        let ticket = try #require(repetition)
        #expect(payer.app.state.execute(ticket, at: now).status == 201)
        #expect(payer.app.state.ledger.movements.map(\.key) == ["k2", "k1"])
    }

    @Test(arguments: [(ChallengePolicy.Setting.off, false), (.otp, true)])
    func `payments count for the limit of challenges only where they are challenged`(
        _ kind: ChallengePolicy.Setting, _ isRejected: Bool
    ) throws {
        var payer = try Payer(kind)
        let limit = SessionSize(payments: 2)
        for number in 1...limit.tokens {
            if isRejected { _ = payer.pay(key: "k\(number)") } else { _ = try payer.app.state.issueTokens(login: "ava", at: payer.app.now) }
        }

        let admitted = payer.ticket(key: "new")
        let ticket = try #require(admitted)
        #expect(payer.app.state.rejects(ticket, limit) == isRejected)
    }

    @Test func `held requests with long texts fill a session too`() throws {
        var payer = try Payer()
        let reference = String(repeating: "n", count: 1 << 20)
        for number in 1...8 {
            _ = payer.send(
                "POST", "/v1/payments", key: "k\(number)",
                #"{"from":"ava-gbp","to":"payee-lark","amount":{"amount":"10.00","currency":"GBP"},"reference":"\#(reference)"}"#)
        }

        let admitted = payer.ticket(key: "new")
        let ticket = try #require(admitted)
        #expect(payer.app.state.rejects(ticket, SessionSize(payments: 1000)))
        #expect(!payer.app.state.rejects(ticket, .usual))
    }

    @Test func `reads of old rows are confirmed, and the token stays valid`() throws {
        var payer = try Payer()
        #expect(payer.oldRows().status == 200)
        payer.app.now = payer.app.now + .seconds(301)

        #expect(payer.oldRows().json("challenge") == "challenge-1")
        #expect(payer.oldRows().json("challenge") == "challenge-1")
        #expect(payer.send("GET", "/v1/accounts/ava-gbp/transactions").status == 200)
        #expect(payer.answer("0000").status == 200)
        #expect(payer.oldRows().status == 200)
        payer.app.now = payer.app.now + .seconds(301)
        #expect(payer.oldRows().json("challenge") == "challenge-2")
    }

    @Test func `a challenge and its payment survive a restart of the server`() throws {
        var payer = try Payer()
        _ = payer.pay()
        _ = payer.answer("1234")
        try payer.restart()

        #expect(payer.pay().json("challenge") == "challenge-1")
        #expect(payer.app.state.challenges[1]?.wrongCodes == 1)
        #expect(payer.answer("0000").status == 200)
        try payer.restart()
        #expect(payer.pay().replayed)
        #expect(payer.payments == 1)
    }

    @Test func `the log of a session recreates its challenges, and undoing them takes them back`() throws {
        var payer = try Payer()
        let opening = payer.app.state
        payer.app.state.isLogged = true
        _ = payer.pay()
        _ = payer.answer("0000")
        let changes = payer.app.state.drainChanges()
        let (bytes, response) = payer.app.state.image(of: changes)

        var replayed = opening
        #expect(try replayed.audit(bytes, response: response, at: payer.app.now).isEmpty)
        #expect(replayed.image == payer.app.state.image)
        payer.app.state.undo(changes)
        #expect(payer.app.state.challenges.all.isEmpty)
        #expect(payer.payments == 0)
        #expect(payer.pay().json("challenge") == "challenge-1", "the key is free again")
    }

    @Test func `another customer's challenge is not found, and an invalid payment is rejected at once`() throws {
        var payer = try Payer()
        #expect(payer.pay("0.00", key: "k2").status == 400)
        #expect(payer.pay("99999.00", key: "k3").name == .insufficientFunds)
        #expect(payer.app.state.challenges.all.isEmpty)
        _ = payer.pay()

        payer.token = try payer.app.state.issueTokens(login: "ben", at: payer.app.now).access.text
        #expect(payer.answer("0000").status == 404)
        #expect(payer.answer("0000", 9).status == 404)
        #expect(payer.app.state.challenges[1]?.stage == .pending)
    }

    @Test(arguments: [("\"99.99\"", 201), ("\"100.00\"", 201), ("\"100.01\"", 403)])
    func `only larger payments are challenged`(_ amount: String, _ status: Int) throws {
        var payer = try Payer(changing: [("step_up: always", "step_up: {over: 10000}")])

        #expect(payer.pay(String(amount.dropFirst().dropLast())).status == status)
    }

    @Test(arguments: [
        ("challenges: {interval: 500ms}", "", "`challenges` is missing in the bank: it challenges no request"),
        ("step_up: always", "step_up: sometimes", "`always`, {over: …} or {within: …, for: …}"),
        ("{interval: 500ms}", "{approves_after: 5m}", "found `5m`, expected less than `lifetime`, which is 5m"),
        (
            "    challenge: {id: {path: id}, code: {body: code}}", "    challenge: {id: {path: id}}\n    key: dialect",
            "`key` beside `challenge`"
        ),
        ("step_up: {within: 5m", "step_up: {over: 5, within: 5m", "`over`"),
        ("step_up: always", "step_up: always\n    if_match: {read: account}", "`step_up` beside `if_match`"),
        ("step_up: always", "step_up: always\n    uses: {consent: {consents: {body: id}}}", "`step_up` beside `uses`"),
    ])
    func `a mistake in the bank's file is reported`(_ old: String, _ new: String, _ complaint: String) throws {
        let error = #expect(throws: (any Error).self) { try App(changing: [(old, new)]) }

        #expect("\(error.map { "\($0)" } ?? "")".contains(complaint))
    }
}

extension BankResponse {
    /// A text of its JSON body.
    fileprivate func json(_ member: String) -> String? { (try? JSON(parsing: body))?[member]?.string }
}
