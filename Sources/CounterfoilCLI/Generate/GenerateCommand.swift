import ArgumentParser
import BankFiles
import BankGenerator
import BankImport
import BankModel

/// Makes a bank as large as one likes.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate a bank with many transactions; the same seed gives the same bank.",
        discussion: """
            Example: counterfoil generate --rows 1000000 --seed 7 --out ./Stubs-large
            Then:    counterfoil serve --stubs ./Stubs-large
            Writes FOLDER/BANK with the operations of the bank `counterfoil`, and its dialect: customers, accounts in eleven \
            currencies, cash machines, and transactions of up to ten years before 2026-10-31, newest first. ava (password correct-horse) \
            and ben (battery-staple) always exist; at least half of all transactions belong to ava-gbp. The same rows, seed, bank and \
            flags give the same bytes. Balances are not the sums of the transactions. A million rows need about 280 MB.
            With --odd-dates, a tenth of the rows, at most twenty, have an invalid booked_at; the bank lists those first. One in forty \
            has its instant in another format, and one in fifty has an odd value_date.
            Exit codes: 0 written; 2 usage, or an output path that exists or cannot be written: nothing is written.
            """)

    @Option(help: "Number of transactions, 1 to 10000000.")
    var rows = 1_000_000

    @Option(help: "Seed for all random values.")
    var seed: UInt64 = 7

    @Option(help: "Output folder; it must not exist, or be empty.")
    var out: String

    @Option(help: "Name of the bank.")
    var bank = "counterfoil"

    @Flag(help: "Include dates that a strict client must reject or skip.")
    var oddDates = false

    @Option(
        help: "Folder of the bank `counterfoil`, whose operations are used; by default ./Stubs if it has the bank, else the installed one.")
    var stubs: String?

    @Flag(help: "Print the result as one line of JSON.")
    var json = false

    func validate() throws {
        do throws(BankSpecError) { _ = try spec } catch { throw ValidationError("--rows: \(error)") }
        try ImportCommand.check(bank, of: "--bank")
    }

    func run() throws {
        do throws(ComplaintsError) {
            let spec: BankSpec
            do throws(BankSpecError) { spec = try self.spec } catch {
                throw ComplaintsError([Complaint("\(error)", at: SourcePosition(file: "--rows"))])
            }
            let bank = GeneratedBank(spec)
            let folder = out.count > 1 && out.hasSuffix("/") ? String(out.dropLast()) : out
            let model = ModelBank.find(
                in: InstalledFolder.find("Stubs", given: stubs), given: stubs, shipped: InstalledFolder.shipped("Stubs"))
            let progress = GenerateProgress(total: rows)
            defer { progress.clear() }
            let bytes = try GenerateWriter(folder: folder, model: model).write(bank, named: spec.name, progress.show)
            progress.clear()
            Output.results.line(text(of: bank, in: folder, bytes: bytes))
        } catch {
            for complaint in error.complaints { Output.errors.line("\(complaint)") }
            throw ExitCode(2)
        }
    }

    private var spec: BankSpec {
        get throws(BankSpecError) { try BankSpec(name: bank, rows: rows, seed: seed, oddDates: oddDates) }
    }

    /// A summary of the written files, for people or for programs.
    private func text(of made: GeneratedBank, in folder: String, bytes: Int) -> String {
        guard !json else {
            return JSON.object([
                "bank": .string(bank), "out": .string(folder), "transactions": .int(rows), "people": .int(made.people),
                "accounts": .int(made.accounts), "bytes": .int(bytes), "seed": .int(seed),
            ]).text
        }
        return
            "\(folder)/\(bank): \(counted(rows, "transaction")) in \(counted(made.accounts, "account")) of \(counted(made.people, "customer"))"
            + "; serve it with: counterfoil serve --stubs \(folder)"
    }
}
