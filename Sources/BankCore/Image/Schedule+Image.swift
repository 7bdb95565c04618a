import BankModel

extension Schedule {
    var image: JSON {
        [
            "events": .array(
                events.map { event in
                    .image([
                        ("event", .object(event.event.members)), ("at", .image(event.at)), ("first", .image(event.first)),
                        ("times", .int(event.times)), ("every", event.every.map { .string($0.text) }),
                    ])
                }),
            "missed": .array(
                missed.map { missed in
                    .image([
                        ("event", .object(missed.event.members)), ("at", .image(missed.at)), ("reason", .string(missed.reason)),
                    ])
                }),
        ]
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init()
        for stored in try image.member("events").elements() {
            var event = ScheduledEvent(try BankEvent(stored.member("event")), at: try stored.member("at").instant())
            event.first = try stored.member("first").instant()
            event.times = Int(try stored.member("times").int())
            if let every = try stored["every"]?.text() {
                if every == "month" {
                    event.every = .month
                } else {
                    guard let duration = Duration(text: every), duration >= ScheduledEvent.Repetition.shortest else {
                        throw try stored.member("every").wrong("a duration of a day or more, or month")
                    }
                    event.every = .after(duration)
                }
            }
            add(event)
        }
        for stored in try image.member("missed").elements() {
            miss(
                Missed(
                    try BankEvent(stored.member("event")), at: try stored.member("at").instant(),
                    reason: try stored.member("reason").text()))
        }
    }
}

extension BankEvent {
    init(_ image: ImageReader) throws(ImageError) {
        self.init(try image.member("event").choice(of: Kind.self))
        account = try image["account"]?.text()
        amount = try image["amount"]?.text()
        payment = try image["payment"]?.text()
        name = try image["name"]?.text()
        reference = try image["reference"]?.text()
        consent = try image["consent"]?.text()
    }
}
