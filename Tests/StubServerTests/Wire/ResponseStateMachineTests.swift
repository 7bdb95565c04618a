import BankEngine
import BankModel
import Faults
import Testing

@testable import StubServer

/// The steps of a response, one by one, without a connection.
@Suite struct ResponseStateMachineTests {
    typealias Action = ResponseStateMachine.Action

    private static let head = Action.write(.head)

    private func machine(
        _ steps: [WireStep], body: Int = 10, mayHaveBody: Bool = true,
        waitingFor pause: ResponseStateMachine.Pause? = nil
    ) -> Driven<ResponseStateMachine> {
        let machine = Driven(ResponseStateMachine())
        machine { $0.begin(outgoing(steps, body: body, mayHaveBody: mayHaveBody), waitingFor: pause) }
        return machine
    }

    private func outgoing(_ steps: [WireStep], body: Int = 10, mayHaveBody: Bool = true) -> OutgoingResponse {
        var outgoing = OutgoingResponse(status: 200, headers: [], body: Array(repeating: 1, count: body), mayHaveBody: mayHaveBody)
        outgoing.steps = steps
        return outgoing
    }

    /// All actions up to the next event.
    private func actions(of machine: Driven<ResponseStateMachine>, isLast: Bool = false) -> [Action] {
        var actions: [Action] = []
        while let action = machine({ $0.next(isLast: isLast) }) { actions.append(action) }
        return actions
    }

    // MARK: steps

    @Test func `a plain response is a head and a body, and the connection stays`() {
        let machine = machine([.head, .body])

        #expect(actions(of: machine) == [Self.head, .write(.part(0..<10), endsResponse: true), .keep])
    }

    @Test func `the head ends a response without a body`() {
        let machine = machine([.head, .body], mayHaveBody: false)

        #expect(actions(of: machine) == [.write(.head, endsResponse: true), .keep])
    }

    @Test func `the last response of a connection announces the end and ends it`() {
        let machine = machine([.head, .body])

        #expect(
            actions(of: machine, isLast: true) == [.write(.head, closes: true), .write(.part(0..<10), endsResponse: true), .end(.close)])
    }

    @Test func `a head before a close announces it and does not end the response`() {
        let machine = machine([.head, .part(0..<4), .close])

        #expect(
            actions(of: machine) == [
                .write(.head, closes: true), .write(.part(0..<4)), .end(.close),
            ])
    }

    @Test(arguments: [
        (WireStep.close, ResponseEnding.close), (.reset, .reset), (.resetStream(.cancel), .resetStream(.cancel)),
        (.goaway(.noError, last: .this, staysOpen: false), .goaway(.noError, last: .this, staysOpen: false)),
    ])
    func `steps behind an end are never done`(step: WireStep, ending: ResponseEnding) {
        let machine = machine([step, .head, .body])

        #expect(actions(of: machine) == [.end(ending)])
        #expect(machine.machine.isOver)
    }

    @Test func `a goaway that leaves the connection open is no end`() {
        let machine = machine([.goaway(.noError, last: .none, staysOpen: true), .halfHead, .raw([1, 2])])

        #expect(
            actions(of: machine) == [
                .goAway(.noError, last: .none), .write(.halfHead), .write(.raw([1, 2])), .keep,
            ])
    }

    @Test func `an interim response precedes the final one, and what follows that is written behind`() {
        let hints = machine([.interim(status: 103, []), .head, .body])
        let twice = machine([.head, .body, .again])

        #expect(actions(of: hints) == [.write(.interim(status: 103, [])), .write(.head), .write(.part(0..<10), endsResponse: true), .keep])
        #expect(
            actions(of: twice, isLast: true) == [
                .write(.head, closes: true), .write(.part(0..<10), endsResponse: true), .write(.again, closes: true),
                .end(.close),
            ])
    }

    @Test func `a response before the request's end is whole, and announces the end of the connection`() {
        let machine = machine([.head, .body, .endRequest])

        #expect(
            actions(of: machine) == [
                .write(.head, closes: true), .write(.part(0..<10), endsResponse: true), .end(.endRequest),
            ])
    }

    @Test func `bytes around a response count as neither head nor body`() {
        let machine = machine([.interim(status: 103, []), .head, .body, .again])
        _ = actions(of: machine)

        for bytes in [SentBytes(raw: 5), SentBytes(head: 20), SentBytes(body: 10), SentBytes(raw: 30)] {
            machine { $0.wrote(bytes) }
        }
        machine { $0.ended(ResponseEnd(.kept)) }

        #expect(machine { $0.complete() } == Receipt(headBytes: 20, bodyBytes: 10, rawBytes: 35, end: .kept))
    }

    @Test func `a large body goes in pieces and only the last ends the response`() {
        let machine = machine([.body], body: 40_000)

        let expected: [Action] = [
            .write(.part(0..<16_384)), .write(.part(16_384..<32_768)), .write(.part(32_768..<40_000), endsResponse: true), .keep,
        ]
        #expect(actions(of: machine) == expected)
    }

    @Test func `a trickle pauses between its pieces`() {
        let machine = machine([.trickle(0..<5, piece: 2, every: .seconds(1), rule: "r")])

        #expect(actions(of: machine) == [.write(.part(0..<2)), .wait(.seconds(1))])
        machine { $0.timeIsUp() }
        #expect(actions(of: machine) == [.write(.part(2..<4)), .wait(.seconds(1))])
        machine { $0.released() }
        #expect(actions(of: machine) == [.write(.part(4..<5), endsResponse: true), .keep])
    }

    @Test func `steps that ask for an empty part of the body write nothing`() {
        let machine = machine([.part(3..<3), .trickle(0..<0, piece: 1, every: .seconds(1), rule: "r"), .body], body: 0)

        #expect(actions(of: machine) == [.keep])
    }

    @Test func `executing puts the response's steps in place of the rest`() {
        let machine = machine([.execute, .close])

        #expect(machine { $0.next(isLast: false) } == .execute)
        machine { $0.begin(outgoing([.head])) }

        #expect(actions(of: machine) == [.write(.head, endsResponse: true), .keep])
    }

    // MARK: waiting

    @Test(arguments: [ResponseStateMachine.Pause.disk, .upstream])
    func `nothing is sent before what is shown is decided`(pause: ResponseStateMachine.Pause) {
        let machine = machine([.execute])
        _ = machine { $0.next(isLast: false) }
        if pause == .disk { machine { $0.begin(outgoing([.head]), waitingFor: .disk) } } else { machine { $0.awaitUpstream() } }

        machine { $0.timeIsUp() }
        machine { $0.released() }
        #expect(actions(of: machine) == [])

        if pause == .disk { machine { $0.becameDurable() } } else { machine { $0.begin(outgoing([.head])) } }
        #expect(actions(of: machine) == [.write(.head, endsResponse: true), .keep])
    }

    @Test(arguments: [
        (WireStep.pause(.duration(.seconds(2)), rule: "r"), Action.wait(.seconds(2))), (.pause(.released, rule: "r"), .waitForEvent),
        (.hold(rule: "r"), .waitForEvent),
    ])
    func `a release ends every wait, and those to come`(step: WireStep, action: Action) {
        let machine = machine([step, .head, step])

        #expect(actions(of: machine) == [action])
        machine { $0.released() }

        #expect(actions(of: machine) == [.write(.head, endsResponse: true), .keep])
    }

    @Test func `time ends only a wait for time`() {
        let held = machine([.hold(rule: "r")])
        _ = actions(of: held)

        held { $0.timeIsUp() }

        #expect(actions(of: held) == [])
    }

    @Test func `a client that shuts its side ends a silence and an endless body, and nothing else`() {
        let silent = machine([.hold(rule: "r")])
        let waiting = machine([.pause(.duration(.seconds(2)), rule: "r")])
        let body = machine([.restOfBody])
        for machine in [silent, waiting, body] { _ = actions(of: machine) }

        #expect(silent { $0.inputClosed() } == .end(.gone))
        #expect(waiting { $0.inputClosed(isEndless: true) } == nil)
        #expect(body { $0.inputClosed() } == nil)
        #expect(body { $0.inputClosed(isEndless: true) } == .end(.gone))
    }

    @Test func `a client that shuts its side before an endless body begins gets its head alone`() {
        let stored = machine([.head, .restOfBody], waitingFor: .disk)

        #expect(stored { $0.inputClosed(isEndless: true) } == nil)
        stored { $0.becameDurable() }

        #expect(actions(of: stored) == [Self.head, .end(.gone)])
    }

    @Test func `what is dropped ends once, by a close`() {
        let machine = machine([.hold(rule: "r"), .head])
        _ = actions(of: machine)

        #expect(machine { $0.dropped() } == .end(.close))
        #expect(machine { $0.dropped() } == nil)
        #expect(machine { $0.clientGone() } == nil)
        #expect(actions(of: machine) == [])
    }

    // MARK: the body of a real bank

    @Test func `the next piece of a real bank's body is asked for once the client has taken the last one`() {
        let machine = machine([.head, .restOfBody], body: 0)
        #expect(actions(of: machine) == [Self.head, .waitForEvent])
        #expect(machine { $0.wrote(SentBytes(head: 20)) })
        #expect(actions(of: machine) == [.readPiece])

        machine { $0.received(.bytes(Array(repeating: 7, count: 20_000))) }
        #expect(
            actions(of: machine) == [
                .write(.piece(Array(repeating: 7, count: 16_384))), .write(.piece(Array(repeating: 7, count: 3616))), .waitForEvent,
            ])
        #expect(!machine { $0.wrote(SentBytes(body: 16_384)) })
        #expect(actions(of: machine) == [])
        #expect(machine { $0.wrote(SentBytes(body: 3616)) })
        #expect(actions(of: machine) == [.readPiece])

        machine { $0.received(.end) }
        #expect(actions(of: machine) == [.write(.piece([]), endsResponse: true), .keep])
    }

    @Test(arguments: [(false, ResponseEnding.close), (true, .reset)])
    func `a body that a real bank cuts is cut for the client`(isReset: Bool, ending: ResponseEnding) {
        let machine = machine([.head, .restOfBody], body: 0)
        _ = actions(of: machine)
        machine { $0.wrote(SentBytes(head: 20)) }
        _ = actions(of: machine)

        machine { $0.received(.cut(isReset: isReset)) }

        #expect(actions(of: machine) == [.end(ending)])
    }

    @Test func `a piece that comes after the client is gone is not written`() {
        let machine = machine([.head, .restOfBody], body: 0)
        _ = actions(of: machine)
        machine { $0.wrote(SentBytes(head: 20)) }
        _ = actions(of: machine)

        #expect(machine { $0.clientGone() } == .end(.gone))
        machine { $0.received(.bytes([1])) }

        #expect(actions(of: machine) == [])
    }

    // MARK: the receipt

    @Test func `a receipt counts what has left, when all of it has`() {
        let machine = machine([.head, .body])
        _ = actions(of: machine)

        machine { $0.ended(ResponseEnd(.kept)) }
        machine { $0.wrote(SentBytes(head: 20)) }
        #expect(machine { $0.complete() } == nil)
        machine { $0.wrote(SentBytes(body: 10)) }

        #expect(machine { $0.complete() } == Receipt(headBytes: 20, bodyBytes: 10, end: .kept))
        #expect(machine { $0.complete() } == nil, "once")
    }

    @Test func `a write that failed means that the client is gone`() {
        let machine = machine([.head, .body])
        _ = actions(of: machine)

        machine { $0.wrote(SentBytes(head: 20)) }
        machine { $0.lost(SentBytes(body: 10)) }
        machine { $0.ended(ResponseEnd(.kept)) }

        #expect(machine { $0.complete() } == Receipt(headBytes: 20, end: .clientGone))
    }

    @Test func `what the kernel was given of a write that failed counts`() {
        let machine = machine([.head, .body, .reset])
        _ = actions(of: machine)

        machine { $0.wrote(SentBytes(head: 20)) }
        machine { $0.lost(SentBytes(body: 10)) }
        machine { $0.ended(ResponseEnd(.rst, unsent: 3, unwritten: 4)) }

        let receipt = machine { $0.complete() }
        #expect(receipt?.bodyBytes == 6)
        #expect(receipt?.unsent == 3)
        #expect(receipt?.end == .rst)
    }
}
