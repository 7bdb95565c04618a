package import BankModel

/// An event as a mapping: in bodies of the admin API, and in `life` of a bank.
extension BankEvent {
    private static let event = Field(required: "event", .choice(of: Kind.self), "what happens")
    private static let account = Field(
        "account", .text("an account's key, or `TABLE/KEY`"), "the account, for an event that moves new money")
    private static let amount = Field(
        "amount", .text("an amount such as `12.30`"), "in major units of the account's currency; of a refund a part")
    private static let payment = Field(
        "payment", .text("a movement's id, the key of its row, or an idempotency key"), "the payment; by default the newest that fits")
    private static let name = Field("name", .text("a name"), "who pays or is paid, outside of the bank")
    private static let reference = Field("reference", .text("a text"), "the reference of new money")

    package static let schema = ObjectSchema(
        "an event", named: "bank-event", "Something that happens at the bank without a request of a client.",
        fields: [event, account, amount, payment, name, reference],
        example: "{\"event\": \"payment-in\", \"account\": \"ava-gbp\", \"amount\": \"1200.00\"}")

    fileprivate static let delay = Field(required: "in", .duration, "the time until it happens, by the session's clock")
    fileprivate static let every = Field(
        "every", .node(.anyOf([.words(["month"]), Format<Duration>.duration.schema])),
        "when it happens again: after a day or more such as `7d`, or on the same day of each `month`, or on its last")

    package static let scheduledSchema = ObjectSchema(
        "a scheduled event", named: "scheduled-event", "An event that happens later, once or again and again.",
        fields: [delay, every, event, account, amount, payment, name, reference],
        example: "{\"in\": \"3d\", \"every\": \"month\", \"event\": \"payment-in\", \"account\": \"ava-gbp\", \"amount\": \"1200.00\"}")

    /// Reads an event; nil, and a complaint, if its kind is missing or unknown.
    package init?(_ fields: Fields) {
        let kind = fields[BankEvent.event]
        let members = (
            fields[BankEvent.account], fields[BankEvent.amount], fields[BankEvent.payment], fields[BankEvent.name],
            fields[BankEvent.reference]
        )
        guard let kind else { return nil }
        self.init(kind)
        (account, amount, payment, name, reference) = members
    }

    /// The members that it has.
    package var members: JSONObject {
        var object = JSONObject([("event", .string(kind.rawValue))])
        for (name, value) in [
            ("account", account), ("amount", amount), ("payment", payment), ("name", name), ("reference", reference),
        ] { object[name] = value.map(JSON.string) }
        return object
    }
}

extension LifeEvent {
    package init?(_ fields: Fields, _ complaints: Complaints) {
        let delay = fields[BankEvent.delay]
        let every = fields[BankEvent.every].flatMap { ScheduledEvent.Repetition($0, complaints) }
        guard let event = BankEvent(fields), let delay else { return nil }
        self.init(event, after: delay, every: every)
    }
}

extension ScheduledEvent.Repetition {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        if node.scalar == "month" {
            self = .month
        } else if let duration = node.duration(complaints) {
            guard duration >= ScheduledEvent.Repetition.shortest else {
                complaints.add(found: "`every: \(duration.shortText)`", expected: "1d or more, or `month`", at: node.place)
                return nil
            }
            self = .after(duration)
        } else {
            return nil
        }
    }
}
