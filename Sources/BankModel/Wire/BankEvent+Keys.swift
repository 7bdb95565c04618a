/// An event as a mapping: in bodies of the admin API, and in `life` of a bank.
extension BankEvent {
    package static let fields: [any AnyField] = [event, account, amount, payment, name, reference, consent]

    private static let event = Field(required: "event", .choice(of: Kind.self), "the event")
    private static let account = Field(
        "account", .text("an account's key, or `TABLE/KEY`"), "the account that new money is for, or that is closed")
    private static let amount = Field(
        "amount", .text("an amount such as `12.30`"),
        "the amount, in major units of the account's currency: the part to refund or to capture, or the addition of an increment")
    private static let payment = Field(
        "payment", .text("a movement's id, the key of its row, or an idempotency key"),
        "the payment; by default the newest to which the event can happen")
    private static let name = Field("name", .text("a name"), "the name of the party outside the bank that pays or is paid")
    private static let reference = Field("reference", .text("a text"), "the reference of new money")
    private static let consent = Field("consent", .text("a consent's key"), "the consent; by default the newest that is authorised")

    package static let schema = ObjectSchema(
        "an event", named: "bank-event", "An event at the bank without a request of a client.",
        fields: fields,
        example: "{\"event\": \"payment-in\", \"account\": \"ava-gbp\", \"amount\": \"1200.00\"}")

    /// Reads an event; nil, and a complaint, if its kind is missing or unknown.
    package init?(_ fields: Fields) {
        let kind = fields[BankEvent.event]
        let members = (
            fields[BankEvent.account], fields[BankEvent.amount], fields[BankEvent.payment], fields[BankEvent.name],
            fields[BankEvent.reference], fields[BankEvent.consent]
        )
        guard let kind else { return nil }
        self.init(kind)
        (account, amount, payment, name, reference, consent) = members
    }

    package var members: JSONObject {
        var object = JSONObject([("event", .string(kind.rawValue))])
        for (name, value) in [
            ("account", account), ("amount", amount), ("payment", payment), ("name", name), ("reference", reference),
            ("consent", consent),
        ] { object[name] = value.map(JSON.string) }
        return object
    }
}
