import NIOCore
import NIOHTTP1

extension ConnectionStateMachine {
    /// The current activity of the connection.
    enum Phase {
        case idle
        /// A head is read, its body is not.
        case reading(IncompleteRequest)
        /// A response is being sent, or held.
        case answering
        /// A request was answered before its end: the rest of it is dropped.
        case dropping(bytes: Int)
        /// Nothing more is read or answered; written bytes still leave.
        case closing(drains: Bool)
        /// Everything has left, and FIN behind it.
        case finished
    }

    /// The next thing that the connection does.
    enum Action: Equatable {
        /// Writes `100 Continue`.
        case sendContinue
        /// Answers a request; followed by ``responded()``.
        case answer(HTTPRequestHead, body: [UInt8], mono: Int64)
        /// Answers a request whose body is still to come; followed as ``answer(_:body:mono:)``. The rest of the body is dropped.
        case answerEarly
        /// Rejects what was read, and ends the connection.
        case reject(WireRejection)
        /// Ends the connection once everything written has left; answered by ``allIsSent()``.
        ///
        /// - drains: whether the client is read for a while after the FIN.
        case shut(drains: Bool)
        case sendFIN(drains: Bool)
        /// Closes once the client has acknowledged everything, the FIN too.
        case closeWhenAcknowledged
        case close
    }

    /// Whether the connection stays after the exchange.
    enum Persistence {
        case stays
        /// It stays, and the response announces it: the client speaks HTTP/1.0 (RFC 9112 §C.2.2).
        case staysAndSaysSo
        case endsWithExchange
    }
}

/// A request whose head was read, and its body so far.
struct IncompleteRequest: Equatable {
    var head: HTTPRequestHead
    var body: [UInt8] = []
    /// When the head was read, by the monotonic clock.
    let mono: Int64
}

extension HTTPRequestHead {
    var announcesBody: Bool {
        guard method != .GET, method != .HEAD else { return false }
        return headers.contains(name: "Transfer-Encoding") || headers.first(name: "Content-Length").map { $0 != "0" } ?? false
    }
}
