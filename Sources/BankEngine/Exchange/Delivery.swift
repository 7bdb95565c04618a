import BankCore
package import Faults

/// The wire's instructions for a request: which reply to send, how, and when.
package struct Delivery: Sendable {
    package let seq: Int
    /// The generation of the state that admitted the request: it is executed in no other.
    let generation: Int
    package var sending: Sending
    /// Set if one of its steps waits.
    package var held: HeldExchanges.Held?
    /// Executed when the wire reaches that step.
    var pending: PendingExchange?
    /// Given back when the exchange ends without being executed.
    var ticket: Ticket?
    /// The wire sends nothing until this is done: the reply's state is durable then. Nil if it is already.
    package var durable: CommitTicket?
    package var date: String
    package let requestIDName: String?
    package let requestID: String
    /// The reply announces the end of its connection, which ends after it.
    package var endsConnection = false
    /// The whole reply, if it was recorded as sent; the wire writes it, and amends the record if the client is gone.
    package var rendered: RenderedReply?

    /// Whether no rule affects it and the reply is sent in one piece, as nearly always.
    var isPlain: Bool {
        pending == nil && ticket == nil && held == nil && !endsConnection && sending.isWhole
            && sending.body.count <= RenderedReply.largestBody && sending.framing == .length(nil)
    }

    /// A plain reply's bytes.
    func rendered(by renderer: any ReplyRenderer, allowedOrigin: String?) -> RenderedReply {
        RenderedReply(
            beginning: renderer.beginning(status: sending.status, headers: sending.headers, bodyBytes: sending.body.count),
            ReplyTail(date: date, requestIDName: requestIDName, requestID: requestID, allowedOrigin: allowedOrigin),
            body: sending.body, by: renderer)
    }
}

/// An admitted exchange that has not been executed yet.
final class PendingExchange: Sendable {
    let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }
}
