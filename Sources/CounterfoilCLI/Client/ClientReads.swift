import ArgumentParser
import BankClient
import BankModel
import ClientDriver

struct ClientAccounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List the accounts.",
        discussion: "Example: counterfoil client accounts --bank roundup --token TOKEN")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            _ = try await options.signIn(client)
            let listing = try await client.accounts()
            var table = TextTable("ACCOUNT", "NAME", "CURRENCY", "BALANCE", right: [3], shortening: [1])
            for row in listing.rows { table.add(row.id, row.name, row.currency.code, row.balance?.major ?? "") }
            return Shown(view: ViewJSON.accounts(listing), text: listing.age + table.text(for: .results) + listing.remark)
        }
    }
}

struct ClientBalance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "balance", abstract: "Show the balance of an account.",
        discussion: "Example: counterfoil client balance --bank snapshot")

    @OptionGroup var options: ClientOptions

    @Option(help: "The account's id; by default the first.")
    var account: String?

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            _ = try await options.signIn(client)
            let balance = try await client.balance(of: account)
            var table = TextTable("CURRENCY", "BALANCE", "AVAILABLE", right: [1, 2])
            let currency = balance.statesCurrency ? balance.balance.currency.code : ""
            table.add(currency, balance.balance.major, balance.available?.major ?? "")
            return Shown(view: ViewJSON.balance(balance), text: oldDataRemark(balance.asOf) + table.text(for: .results))
        }
    }
}

struct ClientTransactions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions", abstract: "List the transactions of an account, latest first.",
        discussion: "Example: counterfoil client transactions --bank roundup --from 2026-01-01T00:00:00Z")

    @OptionGroup var options: ClientOptions

    @Option(help: "The account's id; by default the first.")
    var account: String?

    @Option(help: "The first instant, such as 2026-01-01T00:00:00Z.")
    var from: String?

    @Option(help: "The last instant.")
    var to: String?

    func validate() throws {
        for text in [from, to].compactMap({ $0 }) where Instant(rfc3339: text) == nil {
            throw ValidationError("found \(text), expected an instant such as 2026-01-01T00:00:00Z")
        }
    }

    func run() async throws {
        let period = Period(from: from.flatMap(Instant.init(rfc3339:)), to: to.flatMap(Instant.init(rfc3339:)))
        try await options.run { client throws(ClientFailure) in
            _ = try await options.signIn(client)
            let listing = try await client.transactions(of: account, period)
            var table = TextTable("DATE", "DESCRIPTION", "AMOUNT", "", "", "ATM", right: [2], shortening: [1])
            for row in listing.rows {
                let currency = row.statesCurrency ? row.amount.currency.code : ""
                table.add(
                    row.date.description, row.description, row.amount.major, currency, row.pending == true ? "pending" : "", row.atm ?? "")
            }
            return Shown(view: ViewJSON.transactions(listing), text: listing.age + table.text(for: .results) + listing.remark)
        }
    }
}

struct ClientATMs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atms", abstract: "List the cash machines.", discussion: "Example: counterfoil client atms --bank snapshot")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            let listing = try await client.atms()
            var table = TextTable("ATM", "NAME", "LATITUDE", "LONGITUDE", right: [2, 3], shortening: [1])
            for row in listing.rows { table.add(row.id, row.name, row.latitude.digits, row.longitude.digits) }
            return Shown(view: ViewJSON.atms(listing), text: listing.age + table.text(for: .results) + listing.remark)
        }
    }
}

extension Listing {
    /// Stands above the rows if they are old.
    var age: String { oldDataRemark(asOf) }

    /// A remark below the rows: skipped rows, an incomplete list.
    var remark: String {
        (setAside > 0 ? "\(counted(setAside, "invalid row")) of the bank \(setAside == 1 ? "is" : "are") not shown.\n" : "")
            + (isComplete ? "" : "The list is incomplete: further rows could not be fetched.\n")
    }
}
