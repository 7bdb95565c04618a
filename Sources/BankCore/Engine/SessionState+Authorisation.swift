import BankModel

/// Payments that end later, and those that wait for a second person's authorisation before.
extension SessionState {
    /// The instant and the result with which the movement ends; nil if it ends at once. A magic rejection takes as long as a
    /// settlement, or a minute. A movement that needs an authorisation is rejected if it gets none.
    func ending(of move: Operation.Move, to account: Movement.Account, _ magic: MagicOutcome?, at now: Instant) -> Movement.Ending? {
        let settles = move.settles[account.table]
        let next: Movement.Ending.Next? =
            magic == .rejected
            ? Movement.Ending.Next(after: settles ?? .seconds(60), state: .rejected)
            : settles.map { Movement.Ending.Next(after: $0, state: .settled) }
        guard let time = move.authorisation[account.table] else { return next.map { Movement.Ending(at: now + $0.after, state: $0.state) } }
        return Movement.Ending(
            at: now + time, state: .rejected, authorised: next ?? Movement.Ending.Next(after: .zero, state: .settled))
    }

    /// Authorises a payment that waits: it goes on as its operation says, and its rows with it.
    mutating func authorise(_ number: Int, at now: Instant) throws(EventError) {
        guard let waiting = ledger.movements[number].ending, let next = waiting.authorised else { return }
        let ending = Movement.Ending(at: now + next.after, state: next.state)
        make(.reended(number, ending, before: waiting))
        try replaceRows(showing: number, at: now) { session, shown, _, stages, scope throws(RequestRejection) in
            let fields = try session.authorised(shown.row.fields, stages, &scope)
            if ending.at > now {
                session.show(fields, in: shown.table, as: shown.origin, position: shown.position, at: now, until: ending.at)
            }
            (scope.pending, scope.now) = (fields, ending.at)
            guard let last = try session.overlaid(fields, stages.last(ending.state), &scope) else { return }
            session.show(last, in: shown.table, as: shown.origin, position: shown.position, at: ending.at)
        }
    }

    /// The fields of a row that shows a payment which waits for nobody, or no longer.
    mutating func authorised(_ fields: RowFields, _ stages: PreparedStages, _ scope: inout Scope) throws(RequestRejection) -> RowFields {
        guard let row = stages.authorised, let changes = try self.fields(row, &scope) else { return fields }
        return fields.overlaid(with: changes)
    }
}
