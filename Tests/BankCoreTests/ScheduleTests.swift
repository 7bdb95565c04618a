import BankCore
import BankModel
import TestBanks
import Testing

/// Events that happen later by the session's clock, and `life` of a bank.
@Suite struct ScheduleTests {
    private static let day = Duration.seconds(86_400)

    private func salary(_ amount: String = "100.00") -> BankEvent {
        var event = BankEvent(.paymentIn)
        (event.account, event.amount, event.name) = ("a1", amount, "Acme")
        return event
    }

    /// Does what is due by the session's now; one event at a time, as a server does.
    @discardableResult
    private func live(_ till: inout Till, limit: SessionSize = .unlimited) -> [Instant] {
        var times: [Instant] = []
        while let event = till.state.performFirstDue(by: till.now, limit) { times.append(event.at) }
        till.state.settle(at: till.now)
        return times
    }

    @Test func `an event happens at its instant, whatever the size of the clock's steps`() throws {
        var ledgers: [Ledger] = []
        for steps in [1, 7, 400] {
            var till = try Till(TestFiles.living)
            let start = till.now
            _ = try till.state.schedule(LifeEvent(salary(), after: Self.day * 3, every: .month), at: till.now)
            _ = try till.state.schedule(LifeEvent(salary("7.00"), after: Self.day, every: .after(Self.day * 7)), at: till.now)
            for step in 1...steps {
                till.now = start + Self.day * (400 * step / steps)
                live(&till)
            }
            ledgers.append(till.state.ledger)
        }
        #expect(ledgers[0].movements.count == 13 + 58 + 1)
        #expect(ledgers[1] == ledgers[0])
        #expect(ledgers[2] == ledgers[0])
        #expect(ledgers[0].movements.map(\.at) == ledgers[0].movements.map(\.at).sorted())
    }

    @Test func `deliveries are the same whatever the size of the clock's steps`() throws {
        var deliveries: [[Delivery]] = []
        for steps in [1, 2] {
            var till = try Till(TestFiles.withWebhooks)
            _ = try till.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
            let token = try till.token()
            let start = till.now
            _ = till.pay("12.30", key: "k1", token: token)
            _ = try till.state.schedule(LifeEvent(salary(), after: .seconds(7200), every: nil), at: start)
            for step in 1...steps {
                till.now = start + .seconds(7200 * step / steps)
                live(&till)
                till.state.announceEnded()
            }
            let settled = try #require(till.state.webhooks.deliveries.map(\.event).first { $0.kind == .settled })
            #expect(settled.created == start + .seconds(60))
            deliveries.append(till.state.webhooks.deliveries)
        }
        #expect(deliveries[0].map(\.event.kind) == [.transaction, .settled, .transaction])
        #expect(deliveries[0] == deliveries[1])
    }

    @Test func `a month's event stays on its day, or on the last of a shorter month`() throws {
        var till = try Till(TestFiles.living)
        till.now = try #require(Instant(rfc3339: "2026-01-30T10:00:00Z"))
        _ = try till.state.schedule(LifeEvent(salary(), after: Self.day, every: .month), at: till.now)
        till.now = try #require(Instant(rfc3339: "2026-07-01T00:00:00Z"))
        #expect(
            live(&till).map { "\($0.date)" } == ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30"])
        #expect(till.state.schedule.events.first?.at.date.description == "2026-07-31")
        #expect(till.state.nextDue == till.state.schedule.events.first?.at)
    }

    @Test func `events of one instant happen in the order in which they were added`() throws {
        var till = try Till(TestFiles.living)
        var debit = BankEvent(.directDebit)
        (debit.account, debit.amount) = ("a1", "150.00")
        _ = try till.state.schedule(LifeEvent(salary(), after: Self.day, every: nil), at: till.now)
        _ = try till.state.schedule(LifeEvent(debit, after: Self.day, every: nil), at: till.now)
        till.now = till.now + Self.day
        live(&till)
        #expect(till.state.ledger.movements.compactMap(\.event) == ["payment-in", "direct-debit"])
        #expect(till.state.schedule.isEmpty)
    }

    @Test func `an event that cannot happen is missed with its reason, and comes again`() throws {
        var till = try Till(TestFiles.living)
        var debit = BankEvent(.directDebit)
        (debit.account, debit.amount) = ("a1", "150.00")
        _ = try till.state.schedule(LifeEvent(debit, after: Self.day, every: .after(Self.day)), at: till.now)
        till.now = till.now + Self.day * 2
        live(&till)
        #expect(till.state.ledger.movements.isEmpty)
        #expect(till.state.schedule.missed.map(\.reason) == Array(repeating: "the account a1 has less than 150.00 GBP", count: 2))
        #expect(till.state.schedule.events.count == 1)
    }

    @Test func `of the events that could not happen the last 100 are remembered`() throws {
        var till = try Till(TestFiles.living)
        var debit = BankEvent(.directDebit)
        (debit.account, debit.amount) = ("a1", "150.00")
        let start = till.now
        _ = try till.state.schedule(LifeEvent(debit, after: Self.day, every: .after(Self.day)), at: till.now)
        till.now = start + Self.day * 130

        live(&till)

        #expect(till.state.schedule.missed.map(\.at) == (31...130).map { start + Self.day * $0 })
    }

    @Test func `a full session misses its events and ends their repetition`() throws {
        var till = try Till(TestFiles.living)
        _ = try till.state.schedule(LifeEvent(salary(), after: Self.day, every: .after(Self.day)), at: till.now)
        _ = try till.state.schedule(LifeEvent(salary(), after: Self.day * 30, every: nil), at: till.now)
        till.now = till.now + Self.day * 1000
        live(&till, limit: SessionSize(payments: 3))
        #expect(till.state.ledger.movements.count == 3)
        #expect(till.state.schedule.events.isEmpty)
        #expect(till.state.schedule.missed.count == 2, "none is lost without a word")
    }

    @Test func `an event happens a thousand times at most`() throws {
        var till = try Till(TestFiles.living)
        _ = try till.state.schedule(LifeEvent(salary("0.01"), after: Self.day, every: .after(Self.day)), at: till.now)
        till.now = till.now + Self.day * 1500
        #expect(live(&till).count == 1000)
        #expect(till.state.schedule.isEmpty)
    }

    @Test func `a wrong event is rejected when it is scheduled`() throws {
        var till = try Till(TestFiles.living)
        var unknown = salary()
        unknown.account = "zz"
        #expect(throws: EventError.self) { try till.state.schedule(LifeEvent(unknown, after: Self.day, every: nil), at: till.now) }
        for _ in 1...Schedule.most { _ = try till.state.schedule(LifeEvent(salary(), after: Self.day, every: nil), at: till.now) }
        #expect(throws: EventError.self) { try till.state.schedule(LifeEvent(salary(), after: Self.day, every: nil), at: till.now) }
        till.state.clearSchedule()
        #expect(till.state.schedule.isEmpty)
    }

    // MARK: life

    private static let alive = TestFiles.living.replacing(
        "till/bank.yaml", "operations:\n",
        with: """
            life:
            - {in: 3d, every: month, event: payment-in, account: a1, amount: "1200.00", name: Acme}
            - {in: 5d, event: direct-debit, account: accounts/a1, amount: "60.00"}
            - {in: 7d, event: payment-returns, reason: MD06}
            operations:

            """)

    @Test func `a bank's life begins with each session, and again after a reset`() throws {
        var till = try Till(Self.alive)
        for _ in 1...2 {
            till.now = till.now + Self.day * 8
            live(&till)
            #expect(till.state.ledger.movements.map(\.event) == ["payment-in", "direct-debit", "payment-returns"])
            #expect(till.state.ledger.movements.last?.returns == "movement-2")
            #expect(till.state.schedule.events.map(\.event.kind) == [.paymentIn])
            till.state.reset(at: till.now)
            #expect(till.state.schedule.events.count == 3)
        }
    }

    @Test func `a restored state has what is left of the schedule, and a stored command changes it`() throws {
        var till = try Till(Self.alive)
        var copy = till
        till.state.isLogged = true
        till.now = till.now + Self.day * 6
        while let event = till.state.performFirstDue(by: till.now, .unlimited) {
            let image = till.state.image(of: till.state.drainChanges())
            try copy.state.replay(image.changes, response: image.response, at: event.at)
        }
        #expect(till.state.schedule.events.count == 2)
        #expect(copy.state.schedule == till.state.schedule)
        #expect(copy.state.ledger == till.state.ledger)
        var restored = try Till(Self.alive)
        try restored.state.restore(image: till.state.image)
        #expect(restored.state.schedule == till.state.schedule)
        till.state.clearSchedule()
        try restored.state.restore(image: till.state.image)
        #expect(restored.state.schedule.isEmpty, "an empty schedule is not that of the bank again")
    }
}
