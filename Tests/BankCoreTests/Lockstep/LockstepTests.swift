import BankCore
import BankModel
import TestBanks
import Testing

/// The bank and a plain second implementation get the same commands, and are compared after each.
@Suite struct LockstepTests {
    /// The bank, the reference, and the requests that wait between admission and execution.
    private struct Pair {
        typealias Order = ReferenceBank.Order

        var till: Till
        var reference = ReferenceBank()
        /// The texts of the tokens, by the reference's numbers.
        var tokens: [String] = []
        var held: [(ticket: Ticket, order: Order, key: String, customer: String)] = []
        /// The last response that differs from the reference's.
        var difference = ""
        /// The customers of `tokens`.
        private var owners: [String] = []
        private let beginning: SessionState
        /// The tokens that the snapshot has.
        private var saved: (tokens: [String], owners: [String])?

        init() throws {
            till = try Till()
            beginning = till.state
        }

        mutating func signIn(_ customer: String) throws {
            tokens.append(try till.token(customer))
            owners.append(customer)
            #expect(reference.signIn(customer) == tokens.count - 1)
        }

        /// Sends a payment to both.
        ///
        /// - Parameter isHeld: it waits between its admission and its execution, if it is admitted.
        mutating func pay(_ order: Order, key: String?, token: Int?, isHeld: Bool = false) -> Bool {
            let found = till.admit("POST", "/v1/payments", token: token.map { tokens[$0] }, key: key, body: order.body)
            let expected = reference.admit(order, key: key, token: token)
            switch (found, expected) {
            case (.success(.ready(let ticket)), nil):
                guard let key, let token else { return false }
                held.append((ticket, order, key, owners[token]))
                return isHeld || execute(held.count - 1)
            case (.success(.replay(let response)), .some(let expected)), (.success(.rejected(let response)), .some(let expected)):
                return compare(response, expected)
            default:
                difference = "found \(found), expected \(expected.map { "\($0)" } ?? "admission")"
                return false
            }
        }

        private mutating func compare(_ response: BankResponse, _ expected: ReferenceBank.Response) -> Bool {
            let isReplay = response.header("Idempotent-Replayed") == "true"
            let found = ReferenceBank.Response(status: response.status, error: response.error, isReplay: isReplay)
            if found != expected { difference = "found \(found), expected \(expected)" }
            return found == expected
        }

        /// Executes a request that waits.
        mutating func execute(_ number: Int) -> Bool {
            let one = held.remove(at: number)
            let response = till.state.execute(one.ticket, at: till.now)
            return compare(response, reference.execute(one.order, key: one.key, customer: one.customer))
        }

        /// Gives up a request that waits: its client is gone.
        mutating func abandon(_ number: Int) {
            let one = held.remove(at: number)
            till.state.abandon(one.ticket)
            reference.abandon(key: one.key, customer: one.customer)
        }

        mutating func wait(_ seconds: Int) {
            till.now = till.now + .seconds(Int64(seconds))
            reference.now += seconds
        }

        mutating func expire() throws {
            try till.state.expireTokens(at: till.now)
            reference.expireTokens()
        }

        mutating func revoke() throws {
            try till.state.revokeTokens()
            reference.revokeTokens()
        }

        mutating func reset() {
            till.state.reset(at: till.now)
            reference.reset()
            (held, tokens, owners) = ([], [], [])
        }

        mutating func save() {
            till.state.save()
            reference.save()
            saved = (tokens, owners)
        }

        mutating func restore() -> Bool {
            let isBack = till.state.restore()
            guard isBack == reference.restore() else { return false }
            if isBack, let saved { (held, tokens, owners) = ([], saved.tokens, saved.owners) }
            return true
        }

        mutating func kill() throws {
            var again = beginning
            try again.restore(image: till.state.image)
            till.state = again
            reference.kill()
            held = []
        }

        /// Whether the ledger and the balances are the reference's.
        var agrees: Bool {
            let movements = till.state.ledger.movements
            guard till.state.ledger.isBalanced, movements.count == reference.movements.count else { return false }
            for (found, expected) in zip(movements, reference.movements) {
                guard found.key == expected.key, found.amount.minorUnits == Int64(expected.pence), found.from.id == expected.order.from,
                    found.to.id == expected.order.to
                else { return false }
            }
            return reference.balances.allSatisfy { account, pence in
                till.state.spendable(.init(table: "accounts", id: account))?.minorUnits == Int64(pence)
            }
        }
    }

    @Test(arguments: TestSeeds.of(1...20)) func `random commands have the reference's responses and ledger`(seed: UInt64) throws {
        var pair = try Pair()
        var dice = SeededGenerator(seed: seed)
        func pick<Element>(_ elements: [Element]) -> Element { elements[Int(dice.next() % UInt64(elements.count))] }
        var log: [String] = []
        for number in 1...400 {
            let step = pick(["pay", "pay", "pay", "pay", "hold", "execute", "abandon", "wait", "sign in", "session", "tokens"])
            log.append(step)
            var isRight = true
            switch step {
            case "pay", "hold":
                let order = ReferenceBank.Order(
                    from: pick(["a1", "a1", "a2", "b1", "p1"]), to: pick(["p1", "p1", "a1", "a2", "b1"]),
                    amount: pick(["0.01", "1.50", "3.00", "40.00", "0.00", "x", "1.001", "-1.00"]))
                let token = pair.tokens.isEmpty || dice.next() % 20 == 0 ? nil : pick(Array(pair.tokens.indices.suffix(6)))
                let key = dice.next() % 20 == 0 ? nil : "k\(dice.next() % 9)"
                log[log.count - 1] += " \(order.body) \(key ?? "-") \(token ?? -1)"
                isRight = pair.pay(order, key: key, token: token, isHeld: step == "hold")
            case "execute": if !pair.held.isEmpty { isRight = pair.execute(pick(Array(pair.held.indices))) }
            case "abandon": if !pair.held.isEmpty { pair.abandon(pick(Array(pair.held.indices))) }
            case "wait": pair.wait(pick([1, 10, 100, 599, 600, 43_200, 86_399, 86_400]))
            case "tokens": if dice.next() % 2 == 0 { try pair.expire() } else { try pair.revoke() }
            case "session":
                switch dice.next() % 8 {
                case 0: pair.reset()
                case 1, 2: isRight = pair.restore()
                case 3, 4: pair.save()
                default: try pair.kill()
                }
            default: try pair.signIn(pick(["ann", "bob"]))
            }
            guard isRight, pair.agrees else {
                Issue.record("command \(number) differs: \(pair.difference); the last ones: \(log.suffix(12))")
                return
            }
        }
    }

    /// The commands of the small scope.
    private enum Step: String, CaseIterable {
        case pay, payOther, payTooMuch, payNextKey, hold, execute, abandon, reset, save, restore, kill, almostWindow, second

        func run(on pair: inout Pair) throws -> Bool {
            switch self {
            case .pay: return try send(ReferenceBank.Order(), "k1", to: &pair)
            case .payOther: return try send(ReferenceBank.Order(amount: "2.00"), "k1", to: &pair)
            case .payTooMuch: return try send(ReferenceBank.Order(amount: "1000.00"), "k1", to: &pair)
            case .payNextKey: return try send(ReferenceBank.Order(), "k2", to: &pair)
            case .hold: return try send(ReferenceBank.Order(), "k1", to: &pair, isHeld: true)
            case .execute: return pair.held.isEmpty || pair.execute(0)
            case .abandon: if !pair.held.isEmpty { pair.abandon(0) }
            case .reset: pair.reset()
            case .save: pair.save()
            case .restore: return pair.restore()
            case .kill: try pair.kill()
            case .almostWindow: pair.wait(86_399)
            case .second: pair.wait(1)
            }
            return true
        }

        /// A payment of ann's with a new token.
        private func send(_ order: ReferenceBank.Order, _ key: String, to pair: inout Pair, isHeld: Bool = false) throws -> Bool {
            try pair.signIn("ann")
            return pair.pay(order, key: key, token: pair.tokens.count - 1, isHeld: isHeld)
        }
    }

    @Test func `every order of four commands has the reference's responses and ledger`() throws {
        var count = 0
        func extend(_ pair: Pair, _ path: [Step]) throws {
            guard path.count < 4 else { return }
            for step in Step.allCases {
                var next = pair
                count += 1
                let isRight = try step.run(on: &next)
                guard isRight, next.agrees else {
                    Issue.record("found a difference after \((path + [step]).map(\.rawValue)): \(next.difference)")
                    continue
                }
                try extend(next, path + [step])
            }
        }
        try extend(Pair(), [])
        #expect(count > 20_000)
    }
}
