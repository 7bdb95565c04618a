import ArgumentParser
import BankFiles
import BankGenerator
import BankImport
import BankModel
import Contracts
import Platform

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
        let spec: BankSpec
        do throws(BankSpecError) { spec = try self.spec } catch { throw wrong("\(error)", "--rows") }
        let bank = GeneratedBank(spec)
        let folder = out.withoutSlash
        let model = ModelBank.find(
            in: InstalledFolder.find("Stubs", given: stubs), given: stubs, shipped: InstalledFolder.shipped("Stubs"))
        let progress = ProgressLine()
        defer { progress.clear() }
        let start = ContinuousClock.now
        let bytes = try GenerateWriter(folder: folder, model: model).write(bank, named: spec.name) { written in
            // A wait of less than a second needs no line.
            if start.duration(to: .now) > .seconds(1) { progress.show(written, of: rows, " transactions") }
        }
        progress.clear()
        Output.results.line(text(of: bank, in: folder, bytes: bytes))
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
            + "; serve it with: counterfoil serve --stubs \(RunReport.quoted(folder))"
    }
}

/// The shipped bank of which generated ones take everything but the fixtures.
struct ModelBank {
    let stubs: String

    private static let name = "counterfoil"

    /// The bank in the folder given, or in `Stubs` of the working directory; a folder of the user's own banks need not have it.
    ///
    /// - Parameters:
    ///   - found: the folder that is read unless it lacks the bank.
    ///   - shipped: the folder that came with the program, which takes its place unless the user has named the folder.
    static func find(in found: String, given: String?, shipped: String?) -> ModelBank {
        let lacks = FileReader.disk.list("\(found)/\(name)") == nil
        return ModelBank(stubs: lacks && given == nil ? shipped ?? found : found)
    }

    var definition: String {
        get throws(ComplaintsError) { try text(ModelBank.name + "/bank.yaml") }
    }

    /// The dialect, the schemas and the images, with their paths in the folder for the result.
    func files(for bank: String) throws(ComplaintsError) -> [(path: String, bytes: [UInt8])] {
        let dialect = "dialects/problem-json.yaml"
        var files = [(dialect, Array(try text(dialect).utf8))]
        for kind in SchemaKind.all where ["bank", "dialect"].contains(kind.name) {
            guard let path = kind.schemaFile else { continue }
            files.append((path, Array(kind.document.utf8)))
        }
        let images = "\(ModelBank.name)/images"
        for image in FileReader.disk.list("\(stubs)/\(images)") ?? [] {
            files.append(("\(bank)/images/\(image)", try read("\(images)/\(image)")))
        }
        return files
    }

    /// A shipped YAML file for the result, in which the folder `schemas` is beside the banks and not beside `Stubs`.
    private func text(_ path: String) throws(ComplaintsError) -> String {
        String(decoding: try read(path), as: UTF8.self).replacing("$schema=../../schemas/", with: "$schema=../schemas/", maxReplacements: 1)
    }

    private func read(_ path: String) throws(ComplaintsError) -> [UInt8] {
        let path = "\(stubs)/\(path)"
        do throws(UnreadFile) { return try FileReader.disk.read(path, below: stubs, .data) } catch {
            throw ComplaintsError([Complaint(error, file: path, expected: "that of the shipped bank (see --stubs)")])
        }
    }
}
