import BankModel
import TestBanks
import Testing

@testable import BankCore

/// The invariants of a session under hundreds of random commands, from one seed each. Fixed seeds draw every kind of step; the others draw
/// how often each kind occurs too, and some kinds never do (swarm testing).
@Suite struct PropertyTests {
    /// A session that is driven at random, and the log of its commands.
    private struct Drive {
        var till: Till
        var dice: SeededGenerator
        var tokens: [String] = []
        var log: [(image: (changes: [UInt8], response: [UInt8]?), at: Instant)] = []
        var paid = 0
        /// The steps that are drawn from, each as often as its weight.
        private let steps: [Step]

        private enum Step: CaseIterable { case pay, wait, signIn, expire, save, goBack, event, change }

        init(seed: UInt64, _ files: TestFiles = .living) throws {
            till = try Till(files, seed: seed)
            till.state.isLogged = true
            var dice = SeededGenerator(seed: seed)
            let weights = Step.allCases.map { step in
                if TestSeeds.isFixed(seed) { return step == .pay ? 9 : 1 }
                return [0, 0, 1, 3, 9][Int(dice.next() % 5)]
            }
            let drawn = zip(Step.allCases, weights).flatMap { repeatElement($0, count: $1) }
            steps = drawn.isEmpty ? Step.allCases : drawn
            self.dice = dice
            try signIn()
            commit()
        }

        /// Records the changes of the last command, as a server with a state file does.
        mutating func commit() {
            let changes = till.state.drainChanges()
            if !changes.isEmpty { log.append((till.state.image(of: changes), till.now)) }
        }

        mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(dice.next() % UInt64(elements.count))] }

        mutating func step() throws {
            switch pick(steps) {
            case .pay: pay()
            case .wait:
                till.now = till.now + .seconds(Int64(1 + dice.next() % 49))
                live()
            case .signIn: try signIn()
            case .expire:
                try till.state.expireTokens(id: pick(till.state.tokens.tokens.map { $0.id } + ["token#1"]), at: till.now)
            case .save: till.state.save()
            case .event: event()
            case .change: change()
            case .goBack:
                guard dice.next().isMultiple(of: 6) else { return pay() }
                if pick([true, true, false]) { _ = till.state.restore() } else { till.state.reset(at: till.now) }
                try signIn()
            }
        }

        /// Something that happens at the bank, now or later; most of the events cannot happen.
        mutating func event() {
            var event = BankEvent(pick(BankEvent.Kind.allCases))
            switch event.kind.effect {
            case .moves: (event.account, event.amount) = (pick(["a1", "a2", "b1", "p1"]), pick(["0.01", "3.00", "40.00", "1000000.00"]))
            case .returns: event.amount = pick([nil, nil, "0.01", "1.50"])
            case .grows: event.amount = pick(["0.01", "3.00", "1000000.00"])
            case .closes: event.account = pick(["a1", "p1"])
            case .authorises, .ends, .revokes: break
            }
            if dice.next().isMultiple(of: 4) { event.payment = pick(["k1", "k2", "movement-1", "movement-7"]) }
            if dice.next().isMultiple(of: 3) {
                let delay = Duration.seconds(Int64(1 + dice.next() % 100))
                _ = try? till.state.schedule(LifeEvent(event, after: delay, every: pick([nil, .month])), at: till.now)
            } else {
                _ = try? till.state.happen(event, at: till.now)
            }
        }

        /// A customer changes or removes an entry.
        mutating func change() {
            let entries = till.send("GET", "/v1/accounts/\(pick(["a1", "b1"]))/entries", token: pick(tokens)).json["entries"]?.array ?? []
            guard let entry = entries.isEmpty ? nil : pick(entries)["id"]?.string else { return }
            let method = pick(["PATCH", "PATCH", "DELETE"])
            _ = till.send(method, "/v1/entries/\(entry)", token: pick(tokens), body: #"{"note": "\#(dice.next() % 9)"}"#)
        }

        /// Does what is scheduled by now, each at its instant.
        mutating func live() {
            while let event = till.state.performFirstDue(by: till.now, .unlimited) {
                let changes = till.state.drainChanges()
                if !changes.isEmpty { log.append((till.state.image(of: changes), event.at)) }
            }
        }

        /// Signs both customers in, after which older tokens are not used.
        mutating func signIn() throws { tokens = [try till.token("ann"), try till.token("bob")] }

        mutating func pay() {
            let amount = pick(["0.01", "0.02", "1.50", "3.00", "7.00", "40.00", "0", "x", "1.001"])
            let body = """
                {"from": "\(pick(["a1", "a1", "a2", "b1", "p1"]))", "to": "\(pick(["a1", "a2", "p1", "p1", "b1"]))", "amount": "\(amount)"}
                """
            if till.send("POST", "/v1/payments", token: pick(tokens), key: "k\(dice.next() % 300)", body: body).isSuccess { paid += 1 }
        }
    }

    private static let seeds = TestSeeds.of([1, 2, 3, 5])

    /// The living bank, and the same where a second person authorises payments.
    private static func files(_ authorises: Bool) -> TestFiles { authorises ? .authorising : .living }

    @Test(arguments: seeds, [false, true])
    func `the books always balance and nothing is overdrawn`(_ seed: UInt64, _ authorises: Bool) throws {
        var drive = try Drive(seed: seed, Self.files(authorises))
        for _ in 1...300 {
            try drive.step()
            #expect(drive.till.state.ledger.isBalanced)
            #expect(drive.till.state.ledger.changes.values.reduce(0, +) == 0)
            for (account, opening) in [("a1", 10_000), ("a2", 550), ("b1", 700)] {
                let change = drive.till.state.ledger.change(of: .init(table: "accounts", id: account))
                #expect(Int64(opening) + change >= 0, "\(account)")
            }
        }
        if TestSeeds.isFixed(seed) { #expect(drive.paid > 10, "the drive did pay") }
    }

    @Test(arguments: seeds, [false, true])
    func `the log done again gives the same state`(_ seed: UInt64, _ authorises: Bool) throws {
        let files = Self.files(authorises)
        var drive = try Drive(seed: seed, files)
        var again = try Till(files, seed: seed).state
        var half: (image: [UInt8], commands: Int)?
        for number in 1...300 {
            try drive.step()
            drive.commit()
            if number == 150 { half = (drive.till.state.image, drive.log.count) }
        }

        for command in drive.log { try again.replay(command.image.changes, response: command.image.response, at: command.at) }
        var fromHalf = try Till(files, seed: seed).state
        try fromHalf.restore(image: try #require(half).image)
        for command in drive.log.dropFirst(try #require(half).commands) {
            try fromHalf.replay(command.image.changes, response: command.image.response, at: command.at)
        }

        for state in [again, fromHalf] {
            var (one, other) = (drive.till.state, state)
            one.settle(at: drive.till.now)
            other.settle(at: drive.till.now)
            let (wanted, found) = (try one.comparable, try other.comparable)
            let differing = Set(wanted.keys).union(found.keys).filter { wanted[$0] != found[$0] }
            #expect(differing.isEmpty, "\(differing.map { "\($0): \(wanted[$0]?.text ?? "-") and \(found[$0]?.text ?? "-")" })")
        }
    }

    @Test(arguments: seeds, [false, true]) func `undone changes leave no trace`(_ seed: UInt64, _ authorises: Bool) throws {
        var drive = try Drive(seed: seed, Self.files(authorises))
        for _ in 1...120 {
            let before = try drive.till.state.comparable
            let now = drive.till.now
            try drive.step()
            let changes = drive.till.state.drainChanges()
            guard drive.dice.next().isMultiple(of: 2), drive.till.now == now else { continue }
            drive.till.state.undo(changes)
            // A now that was shown remains shown.
            #expect(try drive.till.state.comparable.filter { $0.0 != "latest" } == before.filter { $0.0 != "latest" })
        }
    }

    @Test func `an undone reset brings back no change that was drained, and not what the owner set`() throws {
        let till = try Till()
        var state = till.state
        state.isLogged = true
        try state.setClock { clock throws(ClockError) in clock.skew = .seconds(30) }
        state.reset(at: till.now)
        let edited = try Till().state.prepared
        (state.prepared, state.baseURL) = (edited, "http://moved")

        state.undo(state.drainChanges())

        #expect(state.drainChanges().isEmpty)
        #expect(state.clock == VirtualClock())
        #expect(state.prepared === edited)
        #expect(state.baseURL == "http://moved")
        #expect(state.isLogged)
    }

    @Test(arguments: seeds) func `a restored state is the one that was saved`(_ seed: UInt64) throws {
        var drive = try Drive(seed: seed)
        for _ in 1...100 { try drive.step() }
        try drive.signIn()
        drive.till.state.save()
        let kept = try drive.till.state.comparable
        for _ in 1...100 { drive.pay() }
        #expect(try drive.till.state.comparable != kept)

        let epoch = drive.till.state.epoch
        let isBack = drive.till.state.restore()

        #expect(isBack)
        // A now that was shown remains shown.
        let changed = ["epoch", "latest"]
        #expect(try drive.till.state.comparable.filter { !changed.contains($0.0) } == kept.filter { !changed.contains($0.0) })
        #expect(drive.till.state.epoch == epoch + 1)
    }

    @Test func `no text of a token is given twice`() throws {
        var till = try Till(TestFiles.living)
        var texts: [String] = []
        for _ in 1...3 {
            till.state.save()
            texts.append(try till.token())
            till.state.reset(at: till.now)
            texts.append(try till.token())
            let isBack = till.state.restore()
            texts.append(try till.token())
            #expect(isBack)
            till.state.reset(at: till.now)
        }
        #expect(Set(texts).count == texts.count)
    }

    @Test(arguments: seeds) func `a session that was reset is as new but for its number`(_ seed: UInt64) throws {
        var drive = try Drive(seed: seed)
        let new = drive.till.now
        for _ in 1...200 { try drive.step() }
        drive.till.now = new
        drive.till.state.reset(at: new)

        var fresh = try Till(TestFiles.living, seed: seed).state
        for _ in 0..<drive.till.state.epoch { fresh.reset(at: new) }

        #expect(try drive.till.state.comparable.filter { $0.0 != "saved" } == fresh.comparable.filter { $0.0 != "saved" })
        #expect(drive.till.state.ledger == Ledger())
    }
}

extension SessionState {
    /// The whole state, for comparison; random values may differ after a command was undone.
    fileprivate var comparable: [String: JSON] {
        get throws {
            let object = try #require(try JSON(image: image).object)
            var members = Dictionary(uniqueKeysWithValues: object.members.map { ($0.key, $0.value) })
            members["random"] = nil
            // A restored session keeps the latest now that it has shown.
            if case .object(var saved)? = members["saved"] {
                saved["latest"] = nil
                members["saved"] = .object(saved)
            }
            return members
        }
    }
}
