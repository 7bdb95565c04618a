import BankEngine
import BankModel
import Faults

/// The reply to one request. Every reply is sent as a plan, carried out by the connection's one writer.
enum ReplyPlan {
    /// A whole, rendered reply of HTTP/1.1, after which the connection stays. The session has recorded the receipt of these bytes,
    /// and corrects it if they cannot be written.
    case rendered(RenderedReply, seq: Int, of: BankSession)
    /// The steps of an exchange; nothing leaves before its ``Delivery/durable`` ticket is done.
    case steps(Delivery, of: BankSession)
    /// A reply without a session.
    case own(OwnReply)
}

/// A reply without a session: a refusal, or the answer to a preflight.
struct OwnReply {
    var sending: Sending
    let date: String

    /// Refuses a request.
    ///
    /// - Parameter endsConnection: whether the connection ends after it, as for a request of HTTP/1.1 whose end is not known.
    init(_ refusal: WireRefusal, date: String, endsConnection: Bool) {
        sending = Sending(status: refusal.status, headers: refusal.headers, body: refusal.body)
        if endsConnection { sending.steps.append(.close) }
        self.date = date
    }

    /// Answers a preflight.
    ///
    /// - Parameter asked: the headers that the browser wants to send.
    init(preflightFor asked: String?, date: String) {
        sending = Sending(status: 204, headers: Preflight.headers(asked: asked), body: [], mayHaveBody: false)
        self.date = date
    }
}
