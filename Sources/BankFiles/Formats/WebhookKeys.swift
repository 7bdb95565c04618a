import BankCore
import BankModel

extension OperationKeys {
    static let registers = Field(
        "registers", .node(.object(RegistersKeys.schema)),
        "registers a webhook that belongs to the inserted row; `delete` of the row removes it")
}

/// The keys of `registers` in an operation.
enum RegistersKeys {
    static let url = Field(
        required: "url", .source, "the location of the address; if the server may not send to it, the response is `bad-request`")
    static let events = Field(
        "events", .source, "the location of a list of names of events; a request without it registers for all of them")
    static let prefix = Field(
        "prefix", .text("a text"), "`events` is a text with this in front of the names, which commas separate; by default it is a list")
    static let names = Field(
        "names", .node(.map(keys: "names", .list(.choice(of: WebhookEvent.Kind.self), atLeast: 1))),
        "the bank's own names of events, each with its types; by default the names of the types, and `*`")
    static let about = Field(
        "about", .choice(of: Operation.Registration.Subject.self), default: .session,
        "`session`: the receiver gets all events; `row`: those of the inserted row alone. A request with `row` registers nothing if it has no "
            + "address, or one to which the server sends nothing, or no name that the bank knows; unknown names are left out")
    static let schema = ObjectSchema(
        "registers", "A webhook that a request registers.", fields: [url, events, prefix, names, about],
        example: "{url: {body: callback}, events: {body: types}, names: {payment-updated: [payment.settled, payment.rejected]}}")
}
