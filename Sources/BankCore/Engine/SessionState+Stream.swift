package import BankModel

/// A row that has appeared, changed or disappeared.
package struct StreamedRow: Sendable {
    /// The row's table.
    package let table: String
    /// The row as it is read now; only the key of one that has disappeared.
    package let json: JSON
    package let isRemoval: Bool
    /// The row, to decide who may see it.
    let row: TableRow
}

/// The known rows of a session, so that the next look finds the new ones.
package struct RowWatermark: Sendable {
    /// The session's revision at the last look; nil before the first.
    fileprivate var revision: Int?
    /// The numbers of the added rows that were there.
    fileprivate var rows: [String: Set<Int32>] = [:]
    /// The keys of the fixture's rows that were removed.
    fileprivate var hidden: [String: Set<String>] = [:]
    fileprivate var balances: [Movement.Account: Balances] = [:]

    fileprivate struct Balances: Equatable {
        var all: Int64 = 0
        var settled: Int64 = 0
    }

    package init() {}
}

/// Streams: the events of a session, as its customers see them.
extension SessionState {
    /// Makes a response one that continues with events.
    func begin(_ policy: StreamPolicy, in response: inout BankResponse, _ scope: Scope) {
        response.setHeaders([.init("Content-Type", "text/event-stream"), .init("Cache-Control", "no-store")])
        response.stream = RequestedStream(policy: policy, customer: scope.customer, token: scope.token?.id)
    }

    /// Whether the stream's token still authorizes it, and the consent that the token carries is in force.
    package func authorizes(_ stream: RequestedStream, at now: Instant) -> Bool {
        guard let id = stream.token else { return true }
        guard let token = tokens.token(id: id) else { return false }
        return !token.isRevoked && now < token.expiresAt && isConsented(token)
    }

    /// The instant at which the stream's token or its consent expires; nil for a stream without a token.
    package func end(of stream: RequestedStream) -> Instant? {
        guard let token = stream.token.flatMap({ tokens.token(id: $0) }) else { return nil }
        let found = consent(of: token).flatMap { consent($0) }
        return min(token.expiresAt, found?.row.until ?? token.expiresAt)
    }

    package func shows(_ event: StreamedRow, in stream: RequestedStream) -> Bool {
        stream.policy.tables.contains(event.table) && isVisible(event.row, of: event.table, to: stream.customer)
    }

    /// What has changed in these tables since the last look: what came and went between two looks is not among it.
    ///
    /// - Parameter mark: what was known; it is brought up to date.
    package func events(in names: [String], since mark: inout RowWatermark) -> [StreamedRow] {
        guard mark.revision != revision else { return [] }
        mark.revision = revision
        return names.flatMap { name in prepared.tables[name].map { events(in: $0, since: &mark) } ?? [] }
    }

    private func events(in table: PreparedTable, since mark: inout RowWatermark) -> [StreamedRow] {
        let name = table.table.name
        let added = rows.added[name]?.rows ?? []
        let (before, there) = (mark.rows[name] ?? [], rows.added[name]?.numbers(at: present) ?? [])
        let new = there.filter { !before.contains($0) }.map { added[Int($0)] }
        var keys = Set(new.map(\.key))
        mark.rows[name] = Set(there)
        var gone = before.subtracting(there).sorted().filter { added.indices.contains(Int($0)) }.map { added[Int($0)] }
        let hidden = rows.hiddenKeys(of: name, at: present)
        gone += hidden.subtracting(mark.hidden[name] ?? []).sorted().compactMap { table.row(ofKey: $0) }
        mark.hidden[name] = hidden
        let removals = gone.filter { row in !keys.contains(row.key) && self.row(table, key: row.key) == nil }
        let moved = accountsMoved(in: name, since: &mark).filter { keys.insert($0).inserted }.compactMap { row(table, key: $0) }
        return removals.map { row in
            StreamedRow(table: name, json: .object(JSONObject([(table.table.key, .string(row.key))])), isRemoval: true, row: row)
        } + (new + moved).map { StreamedRow(table: name, json: streamed($0, of: table), isRemoval: false, row: $0) }
    }

    /// The row as other responses show it, and the key of the row that it belongs to, which elsewhere the request's path names.
    private func streamed(_ row: TableRow, of table: PreparedTable) -> JSON {
        let json = rendered(row, of: table.table.name)
        guard case .row(let field, _)? = table.table.belongs, field.hasPrefix("_"), let key = row.fields[field],
            case .object(let object) = json, object[String(field.dropFirst())] == nil
        else { return json }
        return .object(JSONObject(object.members + [(key: String(field.dropFirst()), value: key)]))
    }

    /// The keys of the rows whose balance has changed.
    private func accountsMoved(in name: String, since mark: inout RowWatermark) -> [String] {
        guard prepared.tables[name]?.table.holds != nil else { return [] }
        var keys: [String] = []
        // An account whose payments were all reversed has no change any more.
        for account in Set(ledger.changes.keys).union(mark.balances.keys) where account.table == name {
            let balances = RowWatermark.Balances(all: ledger.change(of: account), settled: ledger.settledChange(of: account))
            guard mark.balances[account] ?? RowWatermark.Balances() != balances else { continue }
            mark.balances[account] = balances
            keys.append(account.id)
        }
        return keys.sorted()
    }
}
