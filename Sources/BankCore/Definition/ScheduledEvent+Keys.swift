package import BankModel

extension BankEvent {
    fileprivate static let delay = Field(required: "in", .duration, "the time until it happens, by the session's clock")
    fileprivate static let every = Field(
        "every", .node(.anyOf([.words(["month"]), Format<Duration>.duration.schema])),
        "the time between repetitions: at least a day, such as `7d`, or `month` for the same day of each month, or the last day of a "
            + "shorter one"
    )

    package static let scheduledSchema = ObjectSchema(
        "a scheduled event", named: "scheduled-event", "A scheduled event, which happens once or repeatedly.",
        fields: [delay, every] + fields,
        example: "{\"in\": \"3d\", \"every\": \"month\", \"event\": \"payment-in\", \"account\": \"ava-gbp\", \"amount\": \"1200.00\"}")
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
            return
        }
        guard let duration = node.scalar.flatMap({ Duration(text: $0) }), duration >= ScheduledEvent.Repetition.shortest else {
            complaints.add(found: node.kindName, expected: "1d or more, or `month`", at: node.position)
            return nil
        }
        self = .after(duration)
    }
}
