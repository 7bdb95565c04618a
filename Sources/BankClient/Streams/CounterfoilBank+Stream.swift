import BankModel

extension CounterfoilBank: StreamingBank {
    package var stream: BankCall {
        // Not compressed: a coding may hold events back.
        BankCall("GET", "/v1/stream", headers: ["Accept": "text/event-stream", "Accept-Encoding": "identity"])
    }

    package func change(_ event: ServerSentEvent) -> StreamedChange? {
        if event.type == "reset" { return .reset }
        guard let json = try? JSON(parsing: Array(event.data.utf8)), let id = json["id"]?.string else { return nil }
        switch event.type {
        case "accounts":
            guard let balance = amounts.moneyOfText(json["balance"]) else { return nil }
            return .balance(Balance(balance: balance, available: amounts.moneyOfText(json["available"])), account: id)
        case "transactions":
            guard let account = json["account"]?.string, let read = row(json, []) else { return nil }
            return .row(read.transaction, account: account)
        case "transactions-removed": return .removal(id)
        default: return nil
        }
    }

    /// Ids are `HISTORY-NUMBER`; the event `reset` comes before those of another history.
    package func number(of id: String) -> Int? { id.split(separator: "-").last.flatMap { Int($0) } }
}
