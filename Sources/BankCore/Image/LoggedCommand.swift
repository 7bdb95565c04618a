import BankModel

/// One stored command, decoded: its changes and its response.
struct LoggedCommand {
    let changes: [Change]
    /// The response stored beside the changes, which one of their keys remembers.
    let response: BankResponse?
    /// The state of the generator after the command.
    let random: UInt64

    init(_ bytes: [UInt8], response: [UInt8]?, _ bank: PreparedBank) throws(ImageError) {
        let image = ImageReader(try JSON(image: bytes))
        let response = try response.map { bytes throws(ImageError) in
            try BankResponse(ImageReader(try JSON(image: bytes), path: "reply"))
        }
        changes = try image.member("changes").list { change throws(ImageError) in try Change(change, response: response, bank) }
        self.response = response
        random = try image.member("random").bits()
    }
}

extension SessionState {
    /// The stored form of one command: its changes with the generator's state after it, and the response that a key remembers.
    package func image(of changes: [Change]) -> (changes: [UInt8], response: [UInt8]?) {
        var response: BankResponse?
        for case .kept(_, let record) in changes where response == nil { response = record.stored?.response }
        let command: JSON = ["changes": .array(changes.map { $0.image(tokens) }), "random": .string(String(generator.state))]
        return (command.bytes, response?.image.bytes)
    }

    /// Ends the replay of a command whose changes are applied.
    mutating func endReplay(of command: LoggedCommand) {
        // Each has its delivery among the changes, or no receiver wanted one.
        for case .movement(let number) in webhooks.ended.map(\.subject) { forgetRow(ofEnded: number) }
        webhooks.forgetEnds()
        for change in command.changes { forgetEndedPayment(of: change) }
        generator = SeededGenerator(state: command.random)
    }

    /// Applies a stored change, unless the state cannot have it: a file may contain anything.
    mutating func redo(_ change: Change, path: @autoclosure () -> String) throws(ImageError) {
        if case .moved(let movement) = change, movement.amount.minorUnits <= 0 || !ledger.accepts(movement) {
            throw ImageError(
                path: path(), found: "\(movement.amount) from \(movement.from) to \(movement.to)",
                expected: "more than nothing, from one account to another, and sums of 64 bits")
        }
        if case .reended(let number, let ending, _) = change,
            !ledger.movements.indices.contains(number) || ledger.movements[number].ending == nil || ending.state.isPending
        {
            throw ImageError(
                path: path(), found: "an ending of movement \(number + 1)", expected: "a movement that was pending, settled or rejected")
        }
        if case .ended(let table, let row, _, _) = change, !(rows.added[table]?.rows.indices.contains(row) ?? false) {
            throw ImageError(
                path: path(), found: "the end of row \(row) of \(table)",
                expected: "one of the \(rows.added[table]?.rows.count ?? 0) added rows")
        }
        if case .added(_, let row) = change, let origin = row.origin, !ledger.movements.indices.contains(Int(origin.movement)) {
            throw ImageError(
                path: path(), found: "a row that shows movement \(Int(origin.movement) + 1)",
                expected: "one of the \(ledger.movements.count) movements before it")
        }
        apply(change)
    }
}
