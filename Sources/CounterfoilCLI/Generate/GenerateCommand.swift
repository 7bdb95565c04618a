import ArgumentParser
import BankFiles
import BankGenerator
import BankImport
import BankModel

/// Makes a bank as large as one likes.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Make a bank with many transactions, the same from the same seed.",
        discussion: """
            Example: counterfoil generate --rows 1000000 --seed 7 --out ./Stubs-large
            Then:    counterfoil serve --stubs ./Stubs-large
            Writes FOLDER/BANK with the operations of the bank `counterfoil`, and the dialect it speaks: people, accounts in eleven
            currencies, cash machines, and transactions of up to ten years before 2026-10-31, newest first. ava (password correct-horse)
            and ben (battery-staple) are always there; at least half of all transactions are of ava-gbp. The same rows, seed, bank and
            flags give the same bytes. Balances do not follow from the transactions. A million rows take some 280 MB.
            With --odd-dates a tenth of the rows, twenty at most, have a booked_at that is none: the bank lists those first. One in forty
            says its instant in another form, and one in fifty has an odd value_date.
            Exit codes: 0 written; 2 usage, or a place for the result that is taken or cannot be written: nothing is left there.
            """)

    @Option(help: "How many transactions, 1 to 10000000.")
    var rows = 1_000_000

    @Option(help: "Decides all that is drawn.")
    var seed: UInt64 = 7

    @Option(help: "Folder for the result; it must be missing or empty.")
    var out: String

    @Option(help: "The bank's name.")
    var bank = "counterfoil"

    @Flag(help: "Dates too that a strict client must survive or set aside.")
    var oddDates = false

    @Option(
        help: "Folder of the bank `counterfoil`, whose operations are taken; by default ./Stubs, or the one installed with the program.")
    var stubs: String?

    @Flag(help: "The result as one line of JSON on stdout.")
    var json = false

    func validate() throws {
        do throws(BankSpecError) { _ = try spec } catch { throw ValidationError("--rows: \(error)") }
        guard slug(bank) == bank, !ImportWireMock.reserved.contains(bank) else {
            throw ValidationError("--bank: found \(bank), expected small letters, digits and hyphens, such as my-bank")
        }
    }

    func run() throws {
        do throws(ComplaintsError) {
            let spec: BankSpec
            do throws(BankSpecError) { spec = try self.spec } catch {
                throw ComplaintsError([Complaint("\(error)", at: Place(file: "--rows"))])
            }
            let bank = GeneratedBank(spec)
            let folder = out.count > 1 && out.hasSuffix("/") ? String(out.dropLast()) : out
            let model = ModelBank(stubs: InstalledFolder.find("Stubs", given: stubs))
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

    /// What was written, for people or for programs.
    private func text(of made: GeneratedBank, in folder: String, bytes: Int) -> String {
        guard !json else {
            return JSON.object([
                "bank": .string(bank), "out": .string(folder), "transactions": .int(rows), "people": .int(made.people),
                "accounts": .int(made.accounts), "bytes": .int(bytes), "seed": .int(seed),
            ]).text
        }
        return "\(folder)/\(bank): \(counted(rows, "transaction")) in \(counted(made.accounts, "account")) of \(made.people) people"
            + "; serve it with: counterfoil serve --stubs \(folder)"
    }
}
