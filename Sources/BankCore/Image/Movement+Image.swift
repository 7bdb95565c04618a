import BankModel

extension Movement {
    /// The stored form. It includes the ending's state; the clock determines whether it has ended.
    func write(to writer: inout ImageWriter) {
        writer.object { writer in
            writer.text(.id, id)
            writer.text(.operation, operation)
            writer.text(.key, key)
            writer.text(.customer, customer)
            writer.member(.from) { from.write(to: &$0) }
            writer.member(.to) { to.write(to: &$0) }
            writer.int(.units, amount.minorUnits)
            writer.text(.currency, amount.currency.code)
            writer.instant(.at, at)
            if let ending {
                writer.instant(.ends, ending.at)
                writer.text(.as, ending.state.rawValue)
            } else {
                writer.text(.state, state.rawValue)
            }
        }
    }

    init(_ image: ImageReader) throws(ImageError) {
        guard let currency = Currency(try image.member("currency").text()) else {
            throw try image.member("currency").wrong("an ISO 4217 code such as GBP")
        }
        var ending: Ending?
        if let ends = image["ends"] { ending = Ending(at: try ends.instant(), state: try image.member("as").choice(of: State.self)) }
        self.init(
            id: try image.member("id").text(), operation: try image.member("operation").text(), key: try image["key"]?.text(),
            customer: try image["customer"]?.text(), state: try image["state"]?.choice(of: State.self) ?? .accepted,
            from: try Account(image.member("from")), to: try Account(image.member("to")),
            amount: Money(minorUnits: try image.member("units").int(), currency: currency), at: try image.member("at").instant(),
            ending: ending)
    }
}

extension Movement.Account {
    func write(to writer: inout ImageWriter) { writer.pair(table, id) }

    init(_ image: ImageReader) throws(ImageError) {
        let parts = try image.texts()
        guard parts.count == 2 else { throw image.wrong("a table and a key") }
        self.init(table: parts[0], id: parts[1])
    }
}
