import BankCore
package import Faults

/// The wire's instructions for a request: which response to send, how, and when.
package struct ResponsePlan: Sendable {
    package let seq: Int
    /// The generation of the state that admitted the request: it is executed in no other.
    let generation: Int
    package var outgoing: OutgoingResponse
    /// Set if one of its steps waits.
    package var held: HeldExchanges.Held?
    /// Executed when the wire reaches that step.
    var pending: PendingExchange?
    /// Given back when the exchange ends without being executed.
    var ticket: Ticket?
    /// The wire sends nothing until this is done: the response's state is durable then. Nil if it is already.
    package var durable: CommitTicket?
    /// The body that a real bank is still sending; nil if it is in `outgoing`.
    package var rest: (any UpstreamBody)?
    /// The stream of events that is the body, until its `rest` is made.
    var stream: (number: Int, heartbeat: Duration)?
    package var date: String
    package let requestIDName: String?
    package let requestID: String
    /// The response announces the end of its connection, which ends after it.
    package var endsConnection = false

    /// Takes the response of a real bank, with its date.
    mutating func take(_ forwarded: UpstreamResponse, _ method: String) {
        outgoing.take(forwarded.response, method)
        if method == "HEAD" { outgoing.keepLength() }
        if let date = outgoing.takeDate() { self.date = date }
        guard let rest = forwarded.rest else { return }
        self.rest = rest
        outgoing.framing = forwarded.framing
        sendBodyInPieces()
    }

    /// Replaces the step that sends the whole body by one that sends pieces as they come.
    mutating func sendBodyInPieces() { if let index = outgoing.steps.firstIndex(of: .body) { outgoing.steps[index] = .restOfBody } }
}

extension ResponsePlan {
    /// The plan of a response without a session.
    package init(_ outgoing: OutgoingResponse, date: String) {
        self.init(seq: 0, generation: 0, outgoing: outgoing, date: date, requestIDName: nil, requestID: "")
    }
}
