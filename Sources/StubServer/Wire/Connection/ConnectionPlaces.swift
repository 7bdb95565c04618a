import BankEngine
import NIOCore

/// A connection's number in each session that it has reached, and the number of its requests there.
final class ConnectionPlaces {
    let loop: any EventLoop
    private var places: [ObjectIdentifier: Place] = [:]
    /// Nearly all connections reach one session only.
    private var last: Place?

    private struct Place {
        let session: BankSession
        let number: Int
        var requests: Int
    }

    /// - Parameter known: the number that the connection was given when it was accepted.
    init(on loop: any EventLoop, known: (session: BankSession, number: Int)? = nil) {
        self.loop = loop
        if let known { last = Place(session: known.session, number: known.number, requests: 0) }
    }

    /// Counts one more request of this connection in a session.
    ///
    /// - Returns: the connection's number there, and the request's on the connection.
    func place(in session: BankSession, _ channel: any Channel) -> (number: Int, requests: Int) {
        if last?.session !== session {
            if let last { places[ObjectIdentifier(last.session)] = last }
            last =
                places[ObjectIdentifier(session)]
                ?? Place(session: session, number: session.register(ChannelConnection(channel)), requests: 0)
        }
        last?.requests += 1
        return (last?.number ?? 0, last?.requests ?? 0)
    }

    /// Uncounts the request that was counted last: it is counted again once it has been read.
    func takeBack(in session: BankSession) { if last?.session === session { last?.requests -= 1 } }

    /// Unregisters the closed connection from its sessions.
    func leave() {
        for place in places.values { place.session.unregister(place.number) }
        if let last { last.session.unregister(last.number) }
        places.removeAll()
        last = nil
    }
}
