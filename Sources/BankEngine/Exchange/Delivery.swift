import BankCore
package import Faults

/// What the wire has to do with a request: which reply, sent how, and when.
package struct Delivery: Sendable {
    package let seq: Int
    /// How often the session had been reset when the request came.
    let resets: Int
    package var sending: Sending
    /// Set if anything in it waits.
    package var held: HeldExchanges.Held?
    /// To be executed when its step comes.
    var pending: PendingExchange?
    /// To be given back when all is over, if the exchange ends unexecuted.
    var ticket: Ticket?
    /// Nothing is to be sent before this is done: what is shown is on the disk then. Nil: it is.
    package var durable: CommitTicket?
    package var date: String
    package let requestIDName: String?
    package let requestID: String
    /// The reply tells that its connection ends, and the connection ends after it.
    package var endsConnection = false
    /// The whole reply, if it was recorded as sent: it has only to be written, and amended if the client is gone by then.
    package var rendered: RenderedReply?

    /// Whether no rule has a hand in it, and the reply goes in one piece, as nearly always.
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

/// An exchange that is admitted and waits to be executed.
final class PendingExchange: Sendable {
    let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }
}
