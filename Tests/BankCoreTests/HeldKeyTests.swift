import BankCore
import BankModel
import TestBanks
import Testing

/// A key whose first request waits between its admission and its execution: a rule holds it, while the session's clock
/// advances.
@Suite struct HeldKeyTests {
    @Test func `the window runs from the execution so that a held payment is not made twice`() throws {
        var till = try Till()
        let day: Int64 = 86_400
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#
        guard case .success(.ready(let ticket)) = till.admit("POST", "/v1/payments", token: try till.token(), key: "k1", body: body) else {
            Issue.record("the payment was not admitted")
            return
        }

        till.now = till.now + .seconds(2 * day)
        let whileHeld = till.pay("1.00", key: "k1", token: try till.token())
        let first = till.state.execute(ticket, at: till.now)
        let again = till.pay("1.00", key: "k1", token: try till.token())
        till.now = till.now + .seconds(day - 1)
        let late = till.pay("1.00", key: "k1", token: try till.token())

        #expect(whileHeld.status == 409)
        #expect(first.status == 201)
        #expect(again.replayed)
        #expect(late.replayed)
        #expect(till.state.ledger.movements.count == 1)
        till.now = till.now + .seconds(1)
        #expect(try !till.pay("1.00", key: "k1", token: till.token()).replayed)
        #expect(till.state.ledger.movements.count == 2)
    }

    /// The clock of a reset session is behind that of its snapshot.
    @Test func `a key that a snapshot has forgotten is no fault after a reset, nor after its restoration`() throws {
        var till = try Till()
        let start = till.now
        _ = till.pay("1.00", key: "k1", token: try till.token())
        till.now = start + .seconds(2 * 86_400)
        _ = till.pay("1.00", key: "k2", token: try till.token())
        #expect(till.state.keys.records.count == 1)
        till.state.save()
        till.now = start + .seconds(60)

        till.state.reset(at: till.now)
        #expect(till.state.audit(at: till.now) == [])
        let isBack = till.state.restore()
        #expect(isBack)
        #expect(till.state.audit(at: till.now) == [])
        #expect(till.state.advanceClock(machine: till.now) == start + .seconds(2 * 86_400), "the clock goes on from the snapshot's")

        till.state.save()
        #expect(till.state.audit(at: till.now) == [])
    }

    /// Replaces the whole state, as a session's owner may while a request waits.
    enum Replacement: CaseIterable, CustomTestStringConvertible {
        case reset
        case restore
        case undoneReset
        case undoneRestore

        var testDescription: String { "\(self)" }

        func make(in till: inout Till) {
            switch self {
            case .reset, .undoneReset: till.state.reset(at: till.now)
            case .restore, .undoneRestore: _ = till.state.restore()
            }
            switch self {
            case .undoneReset, .undoneRestore: till.state.undo(till.state.drainChanges())
            case .reset, .restore: break
            }
        }
    }

    @Test(arguments: Replacement.allCases)
    func `a state in the place of another frees the keys in flight, and is another generation`(_ replacement: Replacement) throws {
        var till = try Till()
        till.state.isLogged = true
        till.state.save()
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#
        guard case .success(.ready) = till.admit("POST", "/v1/payments", token: try till.token(), key: "k1", body: body) else {
            Issue.record("the payment was not admitted")
            return
        }
        _ = till.state.drainChanges()
        let generation = till.state.generation

        replacement.make(in: &till)

        #expect(till.state.generation > generation)
        #expect(try till.pay("1.00", key: "k1", token: till.token()).status == 201)
        #expect(till.state.ledger.movements.count == 1)
    }

    @Test func `a snapshot, even an undone one, leaves keys in flight and the generation as they are`() throws {
        var till = try Till()
        till.state.isLogged = true
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#
        guard case .success(.ready(let ticket)) = till.admit("POST", "/v1/payments", token: try till.token(), key: "k1", body: body) else {
            Issue.record("the payment was not admitted")
            return
        }
        _ = till.state.drainChanges()
        let generation = till.state.generation

        till.state.save()
        till.state.undo(till.state.drainChanges())

        #expect(till.state.generation == generation)
        #expect(try till.pay("1.00", key: "k1", token: till.token()).status == 409)
        #expect(till.state.execute(ticket, at: till.now).status == 201)
        let isBack = till.state.restore()
        #expect(!isBack, "the snapshot was undone")
    }
}

/// A machine whose clock is set back: a session's does not follow it.
@Suite struct ClockSetBackTests {
    @Test func `the session clock goes on from where it was`() throws {
        var state = try Till().state
        let start = state.startedAt
        #expect(state.advanceClock(machine: start + .seconds(3600)) == start + .seconds(3600))

        let back = start + .seconds(60)
        #expect(state.now(machine: back) == start + .seconds(3600))
        #expect(state.advanceClock(machine: back) == start + .seconds(3600))
        #expect(state.advanceClock(machine: back + .seconds(5)) == start + .seconds(3605), "it runs on, though the machine is behind")
    }

    @Test func `a clock that stands stays where it is`() throws {
        var state = try Till().state
        let start = state.startedAt
        try state.setClock { clock throws(ClockError) in clock.setMode(.frozen, machine: start) }

        #expect(state.advanceClock(machine: start + .seconds(10)) == start)
        #expect(state.advanceClock(machine: start + .seconds(-10)) == start)
    }

    @Test func `it is known after a restart from a checkpoint`() throws {
        var state = try Till().state
        let late = state.startedAt + .seconds(3600)
        _ = state.advanceClock(machine: late)

        var again = try Till().state
        try again.restore(image: state.image)

        #expect(again.now(machine: state.startedAt) == late)
    }

    @Test func `a reset may go back`() throws {
        var state = try Till().state
        let start = state.startedAt
        _ = state.advanceClock(machine: start + .seconds(3600))

        state.reset(at: start + .seconds(60))

        #expect(state.advanceClock(machine: start + .seconds(61)) == start + .seconds(61))
    }
}
