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
    /// What is left of the execution of the request.
    var execution = Execution.over
    /// The wire sends nothing until this is done: the response's state is durable then. Nil if it is already.
    package var durable: CommitTicket?
    /// The body that comes in pieces, from a real bank or as a stream of events; nil if it is in `outgoing`.
    package var rest: (any UpstreamBody)?
    package var date: String
    package let requestIDName: String?
    package let requestID: String
    /// The response announces the end of its connection, which ends after it.
    package var endsConnection = false

    /// How far the execution of a request is.
    enum Execution: Sendable {
        /// Nothing is left: the request was executed, or will not be.
        case over
        /// The wire has the request executed when it reaches that step.
        case pending(PendingExchange)
        /// A fault takes time to answer in its place, and no repeat of the request is executed meanwhile.
        case withheld(Ticket)

        /// The right to execute the request, which is given back if the exchange ends now; nil if there is none.
        var ticket: Ticket? {
            switch self {
            case .over: nil
            case .pending(let pending): pending.asked.ticket
            case .withheld(let ticket): ticket
            }
        }
    }

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
