import NIOCore
import NIOHTTP1

extension ConnectionStateMachine {
    /// The next thing that the connection does.
    enum Action: Equatable {
        /// Writes `100 Continue`.
        case sayContinue
        /// Answers a request; followed by ``isAnswering()`` if that takes more than this tick, and ``replied()``.
        case answer(HTTPRequestHead, body: [UInt8], mono: Int64)
        /// Answers a request whose body is still to come; followed as ``answer(_:body:mono:)``. The rest of the body is dropped.
        case answerEarly
        /// Refuses what was read, and ends the connection.
        case refuse(WireRefusal)
        /// Ends the connection once everything written has left; answered by ``allIsSent()``.
        ///
        /// - drains: whether the client is read for a while after the FIN.
        case shut(drains: Bool)
        /// Sends FIN.
        case sendFIN(drains: Bool)
        /// Closes once the client has acknowledged everything, the FIN too.
        case closeWhenAcknowledged
        case close
    }

    /// Whether the connection stays after the exchange.
    enum Persistence {
        case stays
        /// It stays, and the reply says so: the client speaks HTTP/1.0 (RFC 9112 §C.2.2).
        case staysAndSaysSo
        case endsWithExchange
    }

    /// A change to the count of an incomplete request.
    enum HalfChange: Equatable {
        case hold(Int)
        case release
    }
}
