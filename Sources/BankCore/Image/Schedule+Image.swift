import BankModel

extension Schedule {
    var image: JSON {
        .object(known: [
            "events": .array(events.map { $0.date.image(with: ["event": .object($0.event.members)]) }),
            "orders": orders.isEmpty ? nil : .array(orders.map(\.image)),
            "missed": .array(missed.map(\.image)),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init()
        for stored in try image.member("events").elements() {
            add(ScheduledEvent(event: try BankEvent(stored.member("event")), date: try ScheduledDate(stored)))
        }
        for stored in try image["orders"]?.elements() ?? [] { add(try StandingOrder(stored)) }
        for stored in try image.member("missed").elements() {
            let (at, reason) = (try stored.member("at").instant(), try stored.member("reason").text())
            let order = try stored["order"]?.text()
            let event = try order == nil ? BankEvent(stored.member("event")) : nil
            miss(Missed(event: event, order: order, at: at, reason: reason))
        }
    }
}

extension Schedule.Missed {
    fileprivate var image: JSON {
        .object(known: [
            "event": event.map { .object($0.members) }, "order": order.map(JSON.string), "at": .image(at), "reason": .string(reason),
        ])
    }
}

extension ScheduledDate {
    fileprivate func image(with members: KeyValuePairs<String, JSON?>) -> JSON {
        let own = JSONObject(known: [
            "at": .image(at), "first": .image(first), "times": .int(times), "every": every.map { .string($0.text) },
        ])
        return .object(JSONObject(unique: JSONObject(known: members).members + own.members))
    }

    fileprivate init(_ image: ImageReader) throws(ImageError) {
        self.init(at: try image.member("at").instant())
        first = try image.member("first").instant()
        times = try image.member("times").number31()
        guard let text = try image["every"]?.text() else { return }
        if text == "month" {
            every = .month
        } else {
            guard let duration = Duration(text: text), duration >= ScheduledEvent.Repetition.shortest else {
                throw try image.member("every").wrong("a duration of a day or more, or month")
            }
            every = .after(duration)
        }
    }
}

extension StandingOrder {
    fileprivate var image: JSON {
        due.image(with: [
            "table": .string(table), "key": .string(key), "pays": .string(pays), "body": body, "customer": .string(customer),
            "weekends": avoidsWeekends ? .bool(true) : nil,
        ])
    }

    fileprivate init(_ image: ImageReader) throws(ImageError) {
        self.init(
            table: try image.member("table").text(), key: try image.member("key").text(), pays: try image.member("pays").text(),
            body: try image.member("body").value, customer: try image.member("customer").text(), due: try ScheduledDate(image),
            avoidsWeekends: image["weekends"] != nil)
    }
}

extension BankEvent {
    init(_ image: ImageReader) throws(ImageError) {
        self.init(try image.member("event").choice(of: Kind.self))
        for text in BankEvent.texts { self[keyPath: text.path] = try image[text.field.key]?.text() }
    }
}
