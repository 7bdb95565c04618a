import BankModel

extension Movement {
    /// The stored form. It includes the ending's state; the clock determines whether it has ended.
    var image: JSON {
        .object(known: [
            "id": .string(id), "operation": .string(operation), "key": key.map(JSON.string), "customer": customer.map(JSON.string),
            "from": from.image, "to": to.image, "units": .int(amount.minorUnits), "currency": .string(amount.currency.code),
            "at": .image(at), "ends": ending.map { .image($0.at) }, "as": ending.map { .string($0.state.rawValue) },
            "authorised": ending?.authorised?.image, "state": ending == nil ? .string(state.rawValue) : nil,
            "event": event.map(JSON.string), "returns": returns.map(JSON.string),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        guard let currency = Currency(try image.member("currency").text()) else {
            throw try image.member("currency").wrong("an ISO 4217 code such as GBP")
        }
        let ending = try image["ends"].map { ends throws(ImageError) in try Ending(at: ends.instant(), of: image) }
        let state = try image["state"]?.choice(of: State.self) ?? .accepted
        guard ending != nil || !state.isPending else { throw image.wrong("when and how the pending movement ends") }
        self.init(
            id: try image.member("id").text(), operation: try image.member("operation").text(), key: try image["key"]?.text(),
            customer: try image["customer"]?.text(), state: state,
            from: try Account(image.member("from")), to: try Account(image.member("to")),
            amount: Money(minorUnits: Int64(try image.member("units").int()), currency: currency), at: try image.member("at").instant(),
            ending: ending, event: try image["event"]?.text(), returns: try image["returns"]?.text())
    }
}

extension Movement.Ending {
    /// - Parameter image: the object that has the other members of the ending.
    init(at instant: Instant, of image: ImageReader) throws(ImageError) {
        let next = try image["authorised"].map { image throws(ImageError) in try Next(image) }
        let ends = try image.member("as")
        let state = try ends.choice(of: Movement.State.self)
        guard !state.isPending else { throw ends.wrong("how a movement ends") }
        self.init(at: instant, state: state, authorised: next)
    }
}

extension Movement.Ending.Next {
    var image: JSON { ["after": .image(after), "as": .string(state.rawValue)] }

    fileprivate init(_ image: ImageReader) throws(ImageError) {
        let (after, ends) = (try image.member("after"), try image.member("as"))
        self.init(after: try after.duration(), state: try ends.choice(of: Movement.State.self))
        guard self.after >= .zero else { throw after.wrong("a duration that is not negative") }
        guard !state.isPending else { throw ends.wrong("how a movement ends") }
    }
}

extension Movement.Account {
    var image: JSON { .image(table, id) }

    init(_ image: ImageReader) throws(ImageError) {
        let (table, id) = try image.pair()
        self.init(table: table, id: id)
    }
}
