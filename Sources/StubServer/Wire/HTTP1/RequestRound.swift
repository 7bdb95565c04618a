import BankEngine
import NIOCore

/// The requests of one event-loop tick, answered together at its end.
///
/// A loop with 32 busy connections finds a request on each of them in every tick. Answered one by one, each request locks its
/// session and wakes a client; a batch locks it once, and its state does not move between two loops with each payment. Lives on its
/// loop.
final class RequestRound {
    private let loop: any EventLoop
    private var requests: [WireRequest] = []
    /// The session and connection of each request.
    private var askers: [Asker] = []

    private struct Asker {
        let session: BankSession
        let connection: ConnectionHandler
    }

    init(on loop: any EventLoop) { self.loop = loop }

    /// Queues a request; the whole batch is answered at the end of this event-loop tick.
    func add(_ wire: WireRequest, to session: BankSession, for connection: ConnectionHandler) {
        requests.append(wire)
        askers.append(Asker(session: session, connection: connection))
        guard requests.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        // Tasks run after all reads of a tick.
        loop.execute { bound.value.end() }
    }

    private func end() {
        var rest = askers[...]
        let requests = requests
        self.requests = []
        askers = []
        while let session = rest.first?.session {
            let together = rest.prefix(RequestRound.mostAtOnce).prefix { $0.session === session }
            rest = rest.dropFirst(together.count)
            let deliveries = session.handle(requests[together.indices])
            for (asker, delivery) in zip(together, deliveries) { asker.connection.send(delivery, of: session) }
        }
    }

    /// The maximum size of a batch, which locks its session: a millisecond or two for payments.
    private static var mostAtOnce: Int { 64 }
}

/// The rounds of a server's event loops.
struct RequestRounds: Sendable {
    private let rounds: [ObjectIdentifier: NIOLoopBoundBox<RequestRound>]

    init(of group: any EventLoopGroup) {
        let loops = Array(group.makeIterator())
        rounds = Dictionary(
            loops.map { (ObjectIdentifier($0), NIOLoopBoundBox.makeBoxSendingValue(RequestRound(on: $0), eventLoop: $0)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the round of the loop that this is called on; a new one if the loop is not the server's.
    func round(of loop: any EventLoop) -> RequestRound { rounds[ObjectIdentifier(loop)]?.value ?? RequestRound(on: loop) }
}
