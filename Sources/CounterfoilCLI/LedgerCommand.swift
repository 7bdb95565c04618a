import ArgumentParser
import BankModel

struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Show a session's accounts, their balances, and whether its ledger adds up.",
        discussion: """
            Example: counterfoil ledger roundup
            One line per account: its spendable balance, and the sum of its postings since the last reset in minor units (cents). A payee \
            has no balance. The last line says whether the sums of all accounts add up to zero. --json has movements, postings and keys.
            \(steeringExitCodes)
            """)

    @OptionGroup var chosen: ChosenSession

    @Flag(help: "The whole ledger as JSON.")
    var json = false

    func run() async throws {
        let served = try await chosen.served
        if json { return Output.results.line(try await served.get("/ledger", atMost: AdminOptions.downloadBytes).pretty) }
        let balances = try await served.get("/balances")
        // The sums cover all movements; the movements themselves are not shown.
        let ledger = try await served.get("/ledger?last=1")
        Output.results.write(LedgerCommand.table(balances, ledger).text(for: .results))
        let isBalanced = ledger["balanced"]?.bool == true
        Output.results.line(isBalanced ? "the ledger adds up" : "the ledger does not add up: the sum of all postings is not zero")
        guard balances["more"]?.bool == true else { return }
        Output.errors.line("counterfoil: the bank has more accounts than these; those without postings are left out")
    }

    /// All accounts with a balance, then those that have postings alone.
    static func table(_ balances: JSON, _ ledger: JSON) -> TextTable {
        let changed = ledger["accounts"]?.array ?? []
        let changes = Dictionary(changed.map { ($0.text("account"), $0.text("change_minor_units")) }) { first, _ in first }
        var table = TextTable("ACCOUNT", "BALANCE", "POSTINGS", right: [1, 2])
        var shown: Set<String> = []
        for account in (balances["balances"]?.array ?? []) + changed where shown.insert(account.text("account")).inserted {
            let name = account.text("account")
            let balance = [account.text("balance"), account.text("currency")].filter { !$0.isEmpty }.joined(separator: " ")
            table.add(name, balance, changes[name] ?? "0")
        }
        return table
    }
}
