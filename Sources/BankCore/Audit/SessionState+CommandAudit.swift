package import BankModel

extension SessionState {
    /// Replays a command at its instant of the session's clock, and returns its inconsistencies; a sentence each.
    ///
    /// A movement under a key is in the same command as the key's record, and the key has made exactly this one. The response
    /// beside the command is the one in the key's record. Movements are numbered without gaps, connect accounts that
    /// exist, in their currency, and leave none below its limit. No key is used a second time while its window lasts.
    ///
    /// - Parameters:
    ///   - bytes: the changes from ``image(of:)``.
    ///   - response: the response from ``image(of:)``.
    package mutating func audit(_ bytes: [UInt8], response: [UInt8]?, at instant: Instant) throws(ImageError) -> [String] {
        let command = try LoggedCommand(bytes, response: response, prepared)
        var faults = command.responseFaults
        settle(at: instant)
        for (number, change) in command.changes.enumerated() {
            switch change {
            case .moved(let movement): faults += self.faults(movement, in: command)
            case .kept(let id, let record): faults += self.faults(id, record, in: command)
            default: break
            }
            try redo(change, path: "changes[\(number)]")
            if case .moved(let movement) = change, let fault = limitFault(movement.from) { faults.append(fault) }
        }
        endReplay(of: command)
        return faults
    }

    private func faults(_ movement: Movement, in command: LoggedCommand) -> [String] {
        var faults: [String?] = [numberFault(movement, ledger.movements.count + 1)]
        for account in [movement.from, movement.to] {
            faults.append(tableFault(account) ?? rowFault(account, movement))
        }
        if let id = keyID(of: movement), remembersSuccess(movement.operation), !command.kept.contains(where: { $0.id == id }) {
            faults.append(forgotten(movement, id))
        }
        return faults.compactMap(\.self)
    }

    private func rowFault(_ account: Movement.Account, _ movement: Movement) -> String? {
        // A payee without money of this bank needs no row: it may be magic by its key alone, or removed since it was paid.
        guard let holds = prepared.tables[account.table]?.table.holds else { return nil }
        guard let row = row(account.table, key: account.id) else {
            return "found no row \(account), expected one: \(movement.id) moved money from or to it"
        }
        guard let currency = currency(holds, row.fields), currency != movement.amount.currency else { return nil }
        return "\(movement.id) moves \(movement.amount), expected \(currency), as \(account) has"
    }

    private func faults(_ id: IdempotencyBook.ID, _ record: IdempotencyBook.Record, in command: LoggedCommand) -> [String] {
        var faults: [String?] = []
        if let old = keys.records[id], old.stored != nil {
            let isOver = bank.dialect.idempotency?.window.map { old.since + $0 <= record.since } ?? false
            if !isOver { faults.append("the key \"\(id.key)\" was used again while it was stored") }
        }
        faults.append(countFault(id, record, command.movements.count { keyID(of: $0) == id }))
        return faults.compactMap(\.self)
    }
}

extension LoggedCommand {
    fileprivate var movements: [Movement] {
        changes.compactMap { change in if case .moved(let movement) = change { movement } else { nil } }
    }

    fileprivate var kept: [(id: IdempotencyBook.ID, record: IdempotencyBook.Record)] {
        changes.compactMap { change in if case .kept(let id, let record) = change { (id, record) } else { nil } }
    }

    /// The inconsistencies between the response and the key's record.
    fileprivate var responseFaults: [String] {
        let kept = kept
        if kept.count > 1 { return ["found \(kept.count) keys in one command, expected at most 1: a command stores one response"] }
        guard let (id, record) = kept.first else {
            return response == nil ? [] : ["found a response, expected none: the command stores no key"]
        }
        guard let own = record.stored?.response else { return ["found no response for the key \"\(id.key)\", expected the stored one"] }
        return response == nil || response == own ? [] : ["the response of the command is not the one stored for the key \"\(id.key)\""]
    }
}
