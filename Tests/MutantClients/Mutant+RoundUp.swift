import BankClient
import BankModel
import Foundation

/// Mistakes in what is rounded up, and in how often it is moved.
extension Mutant {
    static var roundUps: [Mutant] {
        [
            Mutant("rounds-the-total", "rounds up the sum of all payments instead of each payment", killedBy: ["roundup.sum"]) { parts, _ in
                parts.roundUpRows { rows, period in
                    let counted = rows.filter { $0.isOutgoing && $0.isSettled && !$0.isInternal && period.contains($0.at) }
                    guard var total = counted.first else { return [] }
                    for row in counted.dropFirst() { total.amount = total.amount.adding(row.amount) ?? total.amount }
                    return [total]
                }
            },
            Mutant(
                "rounds-whole-pounds-up", "adds a whole unit for a payment of whole units", killedBy: ["roundup.exact-multiples"]
            ) { parts, _ in
                parts.roundUpRules.missing = { $0.currency.minorPerMajor - $0.minorUnits % $0.currency.minorPerMajor }
            },
            Mutant(
                "hundred-in-every-currency", "divides every currency into a hundred parts",
                killedBy: ["roundup.minor-units"]
            ) { parts, _ in
                parts.roundUpRules.missing = { ($0.minorUnits + 99) / 100 * 100 - $0.minorUnits }
            },
            Mutant(
                "rounds-income-up", "ignores the direction, and rounds up income too",
                killedBy: ["roundup.outgoing-settled-only"]
            ) { parts, _ in
                parts.eachRoundUpRow { $0.isOutgoing = true }
            },
            Mutant(
                "rounds-pending-up", "ignores the status, and rounds up pending and declined payments too",
                killedBy: ["roundup.outgoing-settled-only"]
            ) { parts, _ in
                parts.eachRoundUpRow { $0.isSettled = true }
            },
            Mutant(
                "rounds-own-transfers-up", "counts transfers between own pots as spending",
                killedBy: ["roundup.internal-transfers-left-out"]
            ) { parts, _ in
                parts.eachRoundUpRow { $0.isInternal = false }
            },
            Mutant(
                "week-from-midnight-utc", "begins the window at midnight in UTC instead of local time",
                killedBy: ["roundup.window-in-device-zone", "roundup.window-in-device-zone-east"]
            ) { parts, _ in
                parts.roundUpRules.timeZone = .gmt
            },
            Mutant(
                "week-of-168-hours", "begins the window 168 hours ago instead of at midnight",
                killedBy: ["roundup.window-in-device-zone-utc"]
            ) { parts, _ in
                parts.roundUpRows { rows, period in rows.filter { row in period.to.map { row.at >= $0 + .seconds(-168 * 3600) } ?? true } }
            },
            Mutant(
                "adds-currencies-up", "adds amounts of different currencies", killedBy: ["roundup.two-currencies"]
            ) { parts, _ in
                parts.roundUpRows { rows, _ in
                    rows.map { row in
                        var row = row
                        row.amount = Money(minorUnits: row.amount.minorUnits, currency: rows[0].amount.currency)
                        return row
                    }
                }
            },
            Mutant(
                "ends-on-two-currencies", "ends where amounts are of two currencies", killedBy: ["roundup.two-currencies"]
            ) { parts, _ in
                parts.roundUpRows { rows, _ in
                    // As `fatalError`, without the minute that a backtrace takes.
                    if Set(rows.map(\.amount.currency)).count > 1 { exit(134) }
                    return rows
                }
            },
            Mutant("ends-without-a-goal", "crashes if there is no savings goal", killedBy: ["roundup.no-goal"]) { parts, _ in
                parts.roundUps = parts.roundUps.map { AlteredRoundUps(base: $0, goals: endingWithoutOne) }
            },
            Mutant(
                "round-up-anew-at-each-tap", "makes a key, and so a payment, at each tap",
                killedBy: ["roundup.key-per-intent"]
            ) { parts, _ in
                let makeName = parts.makeKey
                return BankClient(parts, sender: parts.paymentSender().map { AlteredSender(base: $0, intent: { _ in makeName() }) })
            },
            Mutant(
                "works-the-sum-out-anew", "recomputes the sum at a retry, though the first one may have moved",
                killedBy: ["roundup.retry-keeps-amount"]
            ) { parts, _ in
                BankClient(parts, sender: parts.paymentSender().map { RecomputesSum(base: $0) })
            },
            Mutant(
                "round-up-added-in-double", "adds round-ups up in binary floating point and cuts the sum off: 4.35 is shown as 4.34",
                killedBy: ["roundup.moves-the-sum-shown"]
            ) { parts, _ in
                parts.client { base in
                    OtherSender(
                        base: base,
                        roundingUp: { intent, workOut, base throws(ClientFailure) in
                            try await base.pay(intent, workedOut: { () async throws(ClientFailure) in try await workOut().cutInDouble })
                        })
                }
            },
            Mutant(
                "round-up-cut-when-sent", "shows the exact round-up, and computes the pence to be sent in binary floating point",
                killedBy: ["invariant.pays-what-was-wished in roundup.moves-the-sum-shown"]
            ) { parts, _ in
                parts.client(moving: { $0.cutInDouble })
            },
        ]
    }
}

extension PaymentOrder {
    /// The same order of what is left of the amount after a multiplication in binary floating point.
    fileprivate var cutInDouble: PaymentOrder {
        paying(Double(amount.major).map { Int64($0 * Double(amount.currency.minorPerMajor)) } ?? amount.minorUnits)
    }
}

/// As `goals[0]` of an empty list, without the minute that a backtrace takes.
@Sendable private func endingWithoutOne(_ goals: [String]) -> [String] {
    if goals.isEmpty { exit(134) }
    return goals
}

/// A bank whose rows or goals are looked over before they are counted.
private struct AlteredRoundUps: RoundUpBank {
    let base: any RoundUpBank
    var rows: @Sendable ([RoundUpRow], Period) -> [RoundUpRow] = { rows, _ in rows }
    var goals: @Sendable ([String]) -> [String] = { $0 }

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }
    var payments: any PaymentCalls { base.payments }
    var keyWindow: Duration? { base.keyWindow }
    var timeZone: TimeZone { base.timeZone }

    func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> { try await base.accounts(caller) }
    func roundUpRows(_ caller: BankCaller, account: String, _ period: Period) async throws(ClientFailure) -> [RoundUpRow] {
        rows(try await base.roundUpRows(caller, account: account, period), period)
    }
    func goalIDs(_ caller: BankCaller, account: String) async throws(ClientFailure) -> [String] {
        goals(try await base.goalIDs(caller, account: account))
    }
}

extension ClientParts {
    /// Looks the rows of a round-up over before they are counted.
    mutating func roundUpRows(_ change: @escaping @Sendable ([RoundUpRow], Period) -> [RoundUpRow]) {
        roundUps = roundUps.map { AlteredRoundUps(base: $0, rows: change) }
    }

    fileprivate mutating func eachRoundUpRow(_ change: @escaping @Sendable (inout RoundUpRow) -> Void) {
        roundUpRows { rows, _ in
            rows.map { row in
                var row = row
                change(&row)
                return row
            }
        }
    }
}

/// Asks what to pay whether or not that was settled before.
private struct RecomputesSum: PaymentSending {
    let base: any PaymentSending

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt { try await base.pay(intent, order) }
    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt { try await base.resume(intent) }
    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        let order = try await order()
        return PaidOrder(order: order, receipt: try await base.pay(intent, order))
    }
}
