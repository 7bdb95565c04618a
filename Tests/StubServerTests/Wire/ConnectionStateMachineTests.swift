import NIOCore
import NIOHTTP1
import Testing

@testable import StubServer

/// A connection of HTTP/1.1 as a state machine, event by event, without a channel.
@Suite struct ConnectionStateMachineTests {
    typealias Action = ConnectionStateMachine.Action

    private func head(
        _ uri: String, version: HTTPVersion = .http1_1, _ headers: [(String, String)] = []
    ) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: .GET, uri: uri, headers: HTTPHeaders([("Host", "bank")] + headers))
    }

    /// A connection that has received whole requests.
    private func machine(_ heads: HTTPRequestHead...) -> Driven<ConnectionStateMachine> {
        let machine = Driven(ConnectionStateMachine())
        for head in heads {
            machine { $0.received(.head(head)) }
            machine { $0.received(.end(nil)) }
        }
        return machine
    }

    /// All actions up to the next event.
    private func actions(of machine: Driven<ConnectionStateMachine>, isWritable: Bool = true) -> [Action] {
        guard machine({ $0.beginsAdvance() }) else { return [] }
        var actions: [Action] = []
        while let action = machine({ $0.next(isWritable: isWritable, mono: 7) }) { actions.append(action) }
        return actions
    }

    private func answer(_ head: HTTPRequestHead, body: [UInt8] = []) -> Action { .answer(head, body: body, mono: 7) }

    // MARK: requests

    @Test func `pipelined requests are answered one after another`() {
        let (first, second) = (head("/a"), head("/b"))
        let machine = machine(first, second)

        #expect(actions(of: machine) == [answer(first)])
        #expect(actions(of: machine) == [])
        #expect(machine { $0.responded() } == nil)
        #expect(actions(of: machine) == [answer(second)])
    }

    @Test func `an action begins no other loop of actions`() {
        let machine = machine(head("/a"))

        #expect(machine { $0.beginsAdvance() })
        #expect(!machine { $0.beginsAdvance() })
        while machine({ $0.next(isWritable: true, mono: 0) }) != nil {}

        #expect(machine { $0.beginsAdvance() })
    }

    @Test func `a body is put together from its parts`() {
        let head = head("/a", [("Content-Length", "4")])
        let machine = Driven(ConnectionStateMachine())
        machine { $0.received(.head(head)) }
        for part in ["ab", "c", "d"] { machine { $0.received(.body(ByteBuffer(string: part))) } }
        #expect(actions(of: machine) == [])

        machine { $0.received(.end(nil)) }

        #expect(actions(of: machine) == [answer(head, body: Array("abcd".utf8))])
    }

    @Test func `a body over the limit is rejected before its end`() {
        let machine = Driven(ConnectionStateMachine())
        machine { $0.received(.head(head("/a", [("Transfer-Encoding", "chunked")]))) }
        machine { $0.received(.body(ByteBuffer(repeating: 1, count: WireLimits.bodyBytes))) }
        #expect(actions(of: machine) == [])

        machine { $0.received(.body(ByteBuffer(repeating: 1, count: 1))) }

        #expect(actions(of: machine) == [.reject(.tooLarge)])
    }

    @Test func `a client that expects 100 gets 100 Continue, unless it speaks HTTP 1.0`() {
        let expectation = [("Expect", "100-continue")]
        let new = Driven(ConnectionStateMachine())
        let old = Driven(ConnectionStateMachine())
        new { $0.received(.head(head("/a", expectation))) }
        old { $0.received(.head(head("/a", version: .http1_0, expectation))) }

        #expect(actions(of: new) == [.sendContinue])
        #expect(actions(of: old) == [])
    }

    @Test func `a client that reads no responses gets no more of them`() {
        let (first, second) = (head("/a"), head("/b"))
        let machine = machine(first, second)
        _ = actions(of: machine)
        _ = machine { $0.responded() }

        #expect(actions(of: machine, isWritable: false) == [])
        #expect(actions(of: machine) == [answer(second)])
    }

    // MARK: early responses

    /// A connection whose first request is answered by its head alone.
    private func answeredEarly(_ headers: [(String, String)] = [("Content-Length", "4")]) -> Driven<ConnectionStateMachine> {
        let machine = Driven(ConnectionStateMachine())
        var head = head("/a", headers)
        head.method = .POST
        machine { $0.received(.head(head)) }
        var asked = 0
        let action = machine {
            $0.next(
                isWritable: true, mono: 7,
                answersEarly: { _, _ in
                    asked += 1
                    return true
                })
        }
        #expect(action == .answerEarly)
        #expect(asked == 1)
        return machine
    }

    @Test func `a request that is answered early is read to its end, and the next one is answered`() {
        let machine = answeredEarly()
        #expect(machine { $0.responded() } == nil)
        machine { $0.received(.body(ByteBuffer(string: "abcd"))) }
        #expect(actions(of: machine) == [])
        #expect(!machine.machine.isIdle)
        machine { $0.received(.end(nil)) }
        let next = head("/b")
        machine { $0.received(.head(next)) }
        machine { $0.received(.end(nil)) }

        #expect(actions(of: machine) == [answer(next)])
    }

    @Test func `a body that has come meanwhile is dropped behind an early response`() {
        let machine = answeredEarly()
        machine { $0.received(.body(ByteBuffer(string: "abcd"))) }
        machine { $0.received(.end(nil)) }
        #expect(actions(of: machine) == [])

        #expect(machine { $0.responded() } == nil)

        #expect(actions(of: machine) == [])
        #expect(machine.machine.isIdle)
    }

    @Test func `a client that expects 100 gets the early response in its place`() {
        _ = answeredEarly([("Content-Length", "4"), ("Expect", "100-continue")])
    }

    @Test(arguments: [
        (HTTPMethod.POST, [("Content-Length", "0")]), (.POST, []), (.GET, [("Content-Length", "4")]),
    ])
    func `only a request with a body can be answered early`(method: HTTPMethod, headers: [(String, String)]) {
        let machine = Driven(ConnectionStateMachine())
        var head = head("/a", headers)
        head.method = method
        machine { $0.received(.head(head)) }

        #expect(machine { $0.next(isWritable: true, mono: 7, answersEarly: { _, _ in true }) } == nil)
    }

    @Test func `a body that never ends is dropped up to the limit of bodies`() {
        let machine = answeredEarly([("Transfer-Encoding", "chunked")])
        _ = machine { $0.responded() }
        machine { $0.received(.body(ByteBuffer(repeating: 1, count: WireLimits.bodyBytes))) }
        #expect(actions(of: machine) == [])

        machine { $0.received(.body(ByteBuffer(repeating: 1, count: 1))) }

        #expect(actions(of: machine) == [.shut(drains: true)])
    }

    @Test func `a connection that is to close does so behind the dropped body, and at silence or a flaw in it`() {
        let closing = answeredEarly()
        _ = closing { $0.responded() }
        #expect(closing { $0.closeWhenIdle(drains: true, isMidRequest: true) } == nil)
        closing { $0.received(.end(nil)) }
        let silent = answeredEarly()
        _ = silent { $0.responded() }
        let flawed = answeredEarly()
        _ = flawed { $0.responded() }
        flawed { $0.found(.spaces) }
        let last = answeredEarly([("Content-Length", "4"), ("Connection", "close")])

        #expect(actions(of: closing) == [.shut(drains: true)])
        #expect(silent { $0.silence(isMidRequest: true, .spaces) } == .shut(drains: true))
        #expect(actions(of: flawed) == [.shut(drains: true)])
        #expect(last { $0.responded() } == .shut(drains: true))
    }

    // MARK: flaws

    @Test func `a parse error is rejected behind the requests ahead of it`() {
        let first = head("/a")
        let machine = machine(first)
        machine { $0.found(.spaces) }
        machine { $0.found(.tooLarge) }

        #expect(actions(of: machine) == [answer(first)])
        _ = machine { $0.responded() }

        #expect(actions(of: machine) == [.reject(.spaces)])
    }

    @Test func `a head that cannot be served is rejected, and what is behind it is not answered`() {
        let machine = Driven(ConnectionStateMachine())
        machine { $0.received(.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/a"))) }
        machine { $0.received(.end(nil)) }

        let first = actions(of: machine)

        let rejection: WireRejection? = if case .reject(let rejection)? = first.first { rejection } else { nil }
        #expect(rejection?.status == 400)
        #expect(first.count == 1)
    }

    // MARK: persistence

    @Test func `a client of HTTP 1.0 that keeps its connection is informed, for that request`() {
        let machine = machine(head("/a", version: .http1_0, [("Connection", "keep-alive")]), head("/b"))

        _ = actions(of: machine)
        #expect(machine.machine.persistence == .staysAndSaysSo)
        _ = machine { $0.responded() }
        _ = actions(of: machine)

        #expect(machine.machine.persistence == .stays)
    }

    @Test(arguments: [HTTPVersion.http1_0, .http1_1])
    func `a client that does not keep its connection is answered and left`(version: HTTPVersion) {
        let machine = machine(head("/a", version: version, [("Connection", "close")]), head("/b"))

        #expect(actions(of: machine).count == 1)
        #expect(machine.machine.persistence == .endsWithExchange)

        #expect(machine { $0.responded() } == .shut(drains: true))
        #expect(actions(of: machine) == [], "the second is never answered")
    }

    @Test(arguments: [true, false])
    func `an idle connection closes at once, with or without draining`(drains: Bool) {
        let machine = Driven(ConnectionStateMachine())
        #expect(machine { $0.closeWhenIdle(drains: drains, isMidRequest: false) } == .shut(drains: drains))
    }

    @Test func `a busy connection closes behind its response`() {
        let machine = machine(head("/a"))
        _ = actions(of: machine)

        #expect(machine { $0.closeWhenIdle(drains: false, isMidRequest: false) } == nil)

        #expect(machine { $0.responded() } == .shut(drains: true))
    }

    @Test func `half a request is waited for, and answered as the last`() {
        let machine = Driven(ConnectionStateMachine())
        #expect(machine { $0.closeWhenIdle(drains: false, isMidRequest: true) } == nil)
        let head = head("/a")
        machine { $0.received(.head(head)) }
        machine { $0.received(.end(nil)) }

        #expect(actions(of: machine) == [answer(head)])
        #expect(machine { $0.responded() } == .shut(drains: true))
    }

    // MARK: the end

    @Test func `a connection that ends sends everything, then FIN, then drains`() {
        let machine = Driven(ConnectionStateMachine())

        #expect(machine { $0.shut(drains: false) } == .shut(drains: false))
        machine { $0.received(.head(head("/a"))) }
        #expect(actions(of: machine) == [])
        #expect(machine { $0.allIsSent() } == .sendFIN(drains: false))
        #expect(machine { $0.allIsSent() } == nil, "FIN is sent once")
        #expect(machine { $0.closeWhenIdle(drains: false, isMidRequest: false) } == .closeWhenAcknowledged)
        #expect(machine { $0.inputClosed() } == .close)
    }

    @Test func `a client that has shut its side is closed when everything has left`() {
        let machine = machine(head("/a"))
        _ = actions(of: machine)
        #expect(machine { $0.inputClosed() } == nil)

        _ = machine { $0.responded() }

        #expect(actions(of: machine) == [.shut(drains: true)])
        machine { $0.stop() }
        #expect(machine { $0.allIsSent() } == .close)
    }

    @Test func `silence ends an idle connection, rejects half a request, and leaves a response alone`() {
        let idle = Driven(ConnectionStateMachine())
        let begun = Driven(ConnectionStateMachine())
        let reading = Driven(ConnectionStateMachine())
        reading { $0.received(.head(head("/a"))) }
        _ = actions(of: reading)
        let answering = machine(head("/a"))
        _ = actions(of: answering)

        #expect(idle { $0.silence(isMidRequest: false, .spaces) } == .shut(drains: true))
        #expect(begun { $0.silence(isMidRequest: true, .spaces) } == .reject(.spaces))
        #expect(reading { $0.silence(isMidRequest: true, .spaces) } == .reject(.spaces))
        #expect(answering { $0.silence(isMidRequest: false, .spaces) } == nil)
        #expect(idle { $0.silence(isMidRequest: false, .spaces) } == .close, "it is closing")
    }

    // MARK: reading

    @Test func `reading stops while a response is sent and goes on behind it`() {
        let machine = machine(head("/a"))
        _ = actions(of: machine)

        #expect(!machine { $0.mayRead(isWritable: true) })
        #expect(!machine { $0.resumesReading(isWritable: true) })
        _ = machine { $0.responded() }

        #expect(!machine { $0.resumesReading(isWritable: false) })
        #expect(machine { $0.resumesReading(isWritable: true) })
        #expect(!machine { $0.resumesReading(isWritable: true) }, "once")
    }
}
