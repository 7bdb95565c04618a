import BankClient
import BankModel

/// A bank's adapter, what it brings passed through a change.
///
/// It offers every list; what the bank has not is rejected as any client rejects it.
struct AlteredBank: AccountListing, BalanceReporting, TransactionListing, ATMListing, GoalListing, ImageServing {
    let base: any BankAdapter
    var changes = Changes()

    /// Changes to the reading of lists; a change receives the read itself, so that it can repeat or skip it.
    struct Changes: Sendable {
        typealias Reading<Value> = @Sendable (() async throws(ClientFailure) -> Value) async throws(ClientFailure) -> Value
        var accounts: Reading<Listing<Account>> = { read async throws(ClientFailure) in try await read() }
        var balance: Reading<Balance> = { read async throws(ClientFailure) in try await read() }
        var transactions: Reading<Listing<Transaction>> = { read async throws(ClientFailure) in try await read() }
        /// The time span that is asked of the bank in place of the wanted one.
        var period: @Sendable (Period) -> Period = { $0 }
    }

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account> {
        guard let bank = base as? any AccountListing else { throw .mutant(.nothingToDo) }
        return try await changes.accounts { () async throws(ClientFailure) in try await bank.accounts(caller) }
    }

    func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance {
        guard let bank = base as? any BalanceReporting else { throw .mutant(.nothingToDo) }
        return try await changes.balance { () async throws(ClientFailure) in try await bank.balance(caller, account: account) }
    }

    func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction> {
        guard let bank = base as? any TransactionListing else { throw .mutant(.nothingToDo) }
        return try await changes.transactions { () async throws(ClientFailure) in
            try await bank.transactions(caller, account: account, changes.period(period))
        }
    }

    func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM> {
        guard let bank = base as? any ATMListing else { throw .mutant(.nothingToDo) }
        return try await bank.atms(caller)
    }

    func goals(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Listing<Goal> {
        guard let bank = base as? any GoalListing else { throw .mutant(.nothingToDo) }
        return try await bank.goals(caller, account: account)
    }
}

extension ClientParts {
    /// Changes what the bank's lists are shown as.
    mutating func show(_ change: (inout AlteredBank.Changes) -> Void) {
        var changes = AlteredBank.Changes()
        change(&changes)
        adapter = AlteredBank(base: adapter, changes: changes)
    }

    /// Changes the rows of a list of transactions as they are shown.
    mutating func showRows(_ change: @escaping @Sendable ([Transaction]) -> [Transaction]) {
        show { changes in
            changes.transactions = { read async throws(ClientFailure) in
                var listing = try await read()
                listing.rows = change(listing.rows)
                return listing
            }
        }
    }
}
