import BankCore
import BankEngine
import BankModel
import NIOCore

/// A session's ledger and idempotency keys, as the admin API shows them: every movement is a balanced pair of postings; a rejected one
/// has a second pair that reverses it.
///
/// It is a copy, written outside the session's lock and in pieces, so that a long ledger needs as little memory as a short one.
struct LedgerText: Sendable {
    private let state: SessionState
    /// The maximum number of movements, and of keys; the newest win.
    private let last: Int

    init(_ state: SessionState, last: Int) {
        self.state = state
        self.last = last
    }

    /// The number of array elements written at once.
    static let piece = 512

    var response: AdminResponse { .fresh("application/json", .pieces { AnySequence(pieces) }) }

    /// The text in pieces, in order.
    var pieces: some Sequence<[UInt8]> {
        let redaction = Redaction(state)
        let movements = state.ledger.movements.suffix(last)
        let members: [(name: String, text: AnySequence<[UInt8]>)] = [
            ("accounts", arrayPieces(state.changedAccounts, by: LedgerText.piece) { [state.accountJSON($0)] }),
            ("postings", arrayPieces(movements, by: LedgerText.piece) { $0.postingsJSON }),
            ("movements", arrayPieces(movements, by: LedgerText.piece) { [$0.json(redaction)] }),
            ("idempotency", arrayPieces(state.knownKeys(last: last), by: LedgerText.piece) { [$0.record.json($0.id, redaction)] }),
        ]
        let texts = members.enumerated().lazy.flatMap { number, member in
            [AnySequence([Array("\(number == 0 ? "{" : ",")\"\(member.name)\":".utf8)]), member.text].joined()
        }
        // With only the newest postings, checks the sums of the balances alone.
        let isBalanced = last < .max ? state.ledger.addsUp : state.ledger.isBalanced
        return [AnySequence(texts), AnySequence([Array(",\"balanced\":\(isBalanced)}".utf8)])].joined()
    }
}

extension BankSession {
    /// The current ledger and idempotency keys.
    ///
    /// - Parameter last: the maximum number of movements, and of keys; the newest win.
    func ledgerText(last: Int = .max) -> LedgerText { LedgerText(settledState, last: last) }

    /// The current spendable balances: the first 200, since a large bank has millions.
    var balancesJSON: JSON {
        let all = settledState.balances(limit: 201)
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
    /// The accounts changed by movements, sorted by name, with the sum of the changes. An account whose changes add up to 0 is left out:
    /// a ledger does not know it any more once it was read from a state file.
    fileprivate var changedAccounts: [(account: Movement.Account, change: Int64)] {
        ledger.changes.filter { $0.value != 0 }.map { (account: $0.key, change: $0.value) }.sorted {
            $0.account.description < $1.account.description
        }
    }

    fileprivate func accountJSON(_ changed: (account: Movement.Account, change: Int64)) -> JSON {
        // A payee's balance is unknown.
        let balance = spendable(changed.account)
        return .object(known: [
            "account": .string(changed.account.description), "change_minor_units": .int(changed.change),
            "balance": balance.map { .string($0.major) }, "currency": balance.map { .string($0.currency.code) },
        ])
    }
}

extension Movement {
    fileprivate func json(_ redaction: Redaction) -> JSON {
        .object(known: [
            "id": .string(id), "operation": .string(operation), "key": key.map { .string(redaction.text($0)) } ?? .null,
            "state": .string(state.rawValue), "at": .string(at.rfc3339(.milliseconds)),
            "ends_at": ending.map { .string($0.at.rfc3339(.milliseconds)) }, "event": event.map(JSON.string),
            "returns": returns.map(JSON.string),
        ])
    }

    /// Both postings; for a rejected or cancelled movement also the two that reverse it.
    fileprivate var postingsJSON: [JSON] {
        let units = amount.minorUnits
        var postings = [(from, 0 &- units, at), (to, units, at)]
        if state.isReversed, let ending { postings += [(to, 0 &- units, ending.at), (from, units, ending.at)] }
        return postings.enumerated().map { number, posting in
            [
                "id": .string("\(id).\(number + 1)"), "movement": .string(id), "account": .string(posting.0.description),
                "amount": .string(Money(minorUnits: posting.1, currency: amount.currency).major),
                "currency": .string(amount.currency.code), "at": .string(posting.2.rfc3339(.milliseconds)),
            ]
        }
    }
}

extension IdempotencyBook.Record {
    fileprivate func json(_ id: IdempotencyBook.ID, _ redaction: Redaction) -> JSON {
        [
            "operation": id.operation.map(JSON.string) ?? .null, "key": .string(redaction.text(id.key)),
            "customer": id.customer.map(JSON.string) ?? .null, "since": .string(since.rfc3339(.milliseconds)),
            "status": (stored?.response.status).map { .int($0) } ?? .null,
        ]
    }
}
