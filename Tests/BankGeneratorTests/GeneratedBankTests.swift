@testable import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankGenerator

@Suite struct GeneratedBankTests {
    @Test(arguments: [1, 2, 3, 9, 10, 41, 999, 5000], [false, true])
    func `is loaded without a complaint`(_ rows: Int, _ oddDates: Bool) throws {
        let made = try GeneratedFiles(rows, oddDates: oddDates)

        let check = made.library.check(["counterfoil"])

        #expect(check.complaints.map(\.description) == [])
        #expect(check.banks.first?.bank.tables["transactions"]?.rows.count == rows)
    }

    @Test(arguments: [1, 7, 41, 999, 5000], [false, true])
    func `the order of the files is the listing's`(_ rows: Int, _ oddDates: Bool) throws {
        let made = try GeneratedFiles(rows, oddDates: oddDates)

        let table = PreparedTable(try #require(try made.library.load("counterfoil").bank.tables["transactions"]))
        let listed = (0..<table.count).map { table.row($0).key }

        #expect(listed == (try made.transactions).compactMap { $0["id"]?.string })
    }

    /// Fixed: a change of any of these changes the banks of everybody who kept a seed. `bank.yaml` follows the shipped one.
    @Test(
        arguments: [
            ("accounts", 16_489_672_073_266_780_128), ("atms", 12_124_404_672_536_837_051), ("goals", 3_412_535_192_719_013_542),
            ("openings", 13_813_382_569_300_890_255), ("payees", 4_856_972_126_622_072_356), ("transactions", 10_369_257_835_034_829_129),
        ] as [(String, UInt64)])
    func `one seed gives the same bytes everywhere`(_ file: String, _ hash: UInt64) throws {
        let text = String(decoding: try #require(GeneratedFiles(3000, oddDates: true).files["counterfoil/\(file).json"]), as: UTF8.self)

        #expect(SeededGenerator.hash(0, text) == hash)
    }

    @Test func `another seed gives another bank`() throws {
        let a = try GeneratedFiles(100, seed: 1)
        let b = try GeneratedFiles(100, seed: 2)

        for file in ["transactions", "accounts", "payees", "atms"] {
            #expect(a.files["counterfoil/\(file).json"] != b.files["counterfoil/\(file).json"], "\(file)")
        }
    }

    @Test func `another name is all that another name changes`() throws {
        var a = try GeneratedFiles(100)
        var b = try GeneratedFiles(100, name: "big")

        let definition = b.files.removeValue(forKey: "big/bank.yaml").map { String(decoding: $0, as: UTF8.self) }
        a.files["counterfoil/bank.yaml"] = nil

        #expect(definition?.contains("\nbank: big\n") == true)
        #expect(Dictionary(uniqueKeysWithValues: b.files.map { ("counterfoil" + $0.key.dropFirst(3), $0.value) }) == a.files)
        #expect(try GeneratedFiles(100, name: "big").library.load("big").warnings.isEmpty)
    }

    @Test func `a long list comes in pieces`() throws {
        let made = try GeneratedFiles(20_000)

        #expect(made.chunks.count > 3)
        #expect(made.chunks.allSatisfy { $0.bytes < 2 << 20 })
        #expect(made.chunks.map(\.rows) == made.chunks.map(\.rows).sorted())
        #expect(made.chunks.last?.rows == 20_000)
    }

    @Test(arguments: ["bank", "about", "customers"]) func `a model without a part is rejected`(_ key: String) throws {
        let model = GeneratedFiles.model.replacing("\n\(key):", with: "\nx\(key):")
        let bank = GeneratedBank(try BankSpec(name: "b", rows: 1, seed: 7))

        #expect(throws: BankSpecError.noSection(key)) { try bank.files(model: model) }
    }
}
