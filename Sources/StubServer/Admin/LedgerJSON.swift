import BankCore
import BankModel

extension BankSession {
    /// The ledger and what keys remember, as the admin API shows them: every movement is a balanced pair of postings, and one that
    /// was rejected a pair back.
    ///
    /// - Parameter last: of movements and keys only the newest so many.
    func ledgerJSON(last: Int = .max) -> JSON {
        inner.withLock { inner in
            _ = inner.settle(clock)
            let (state, redaction) = (inner.state, Redaction(inner.state))
            let movements = state.ledger.movements.suffix(last)
            return [
                "accounts": .array(state.accountsJSON), "postings": .array(movements.flatMap(\.postingsJSON)),
                "movements": .array(movements.map { $0.json(redaction) }),
                "idempotency": .array(state.keys.known.suffix(last).map { $0.json(redaction) }), "balanced": .bool(state.ledger.isBalanced),
            ]
        }
    }

    /// What accounts can spend now: the first two hundred, for a large bank has millions.
    var balancesJSON: JSON {
        let all = inner.withLock { inner in
            _ = inner.settle(clock)
            return inner.state.balances(limit: 201)
        }
        return [
            "balances": .array(
                all.prefix(200).map { account, money in
                    [
                        "account": .string(account.description), "balance": .string(money.major), "currency": .string(money.currency.code),
                    ]
                }),
            "more": .bool(all.count > 200),
        ]
    }
}

extension SessionState {
    /// The accounts that movements have changed, by name.
    fileprivate var accountsJSON: [JSON] {
        ledger.changes.sorted { $0.key.description < $1.key.description }.map { account, change in
            var object = JSONObject([("account", .string(account.description)), ("change_minor_units", .int(change))])
            // A payee's money is not ours to know.
            if let balance = spendable(account) {
                object["balance"] = .string(balance.major)
                object["currency"] = .string(balance.currency.code)
            }
            return .object(object)
        }
    }
}

extension Movement {
    fileprivate func json(_ redaction: Redaction) -> JSON {
        var object = JSONObject([
            ("id", .string(id)), ("operation", .string(operation)), ("key", key.map { .string(redaction.text($0)) } ?? .null),
            ("state", .string(state.rawValue)), ("at", .string(at.rfc3339(.milliseconds))),
        ])
        object["ends_at"] = ending.map { .string($0.at.rfc3339(.milliseconds)) }
        return .object(object)
    }

    /// Both postings; of a rejected movement also those that took it back.
    fileprivate var postingsJSON: [JSON] {
        let units = amount.minorUnits
        var postings = [(from, -units, at), (to, units, at)]
        if state == .rejected, let ending { postings += [(to, -units, ending.at), (from, units, ending.at)] }
        return postings.enumerated().map { number, posting in
            [
                "id": .string("\(id).\(number + 1)"), "movement": .string(id), "account": .string(posting.0.description),
                "amount": .string(Money(minorUnits: posting.1, currency: amount.currency).major),
                "currency": .string(amount.currency.code), "at": .string(posting.2.rfc3339(.milliseconds)),
            ]
        }
    }
}

extension IdempotencyBook.Use {
    fileprivate func json(_ redaction: Redaction) -> JSON {
        [
            "operation": operation.map(JSON.string) ?? .null, "key": .string(redaction.text(key)),
            "customer": customer.map(JSON.string) ?? .null, "since": .string(since.rfc3339(.milliseconds)),
            "status": status.map { .int($0) } ?? .null,
        ]
    }
}
