import BankCore
import BankFiles
import BankModel
import Faults
import Testing

/// A folder of banks without dialects, outages or a corpus of its own has those that came with the program.
@Suite struct FileLayersTests {
    /// A bank `m` that speaks `plain`, and further files.
    private func library(_ more: [String: String] = [:]) -> BankLibrary {
        let bank = """
            bank: m
            about: It returns the time.
            dialect: plain
            operations: {time: {request: GET /time, reply: {time: {now: seconds}}}}
            """
        let own = ["m/bank.yaml": bank].merging(more) { $1 }
        let files = Dictionary(uniqueKeysWithValues: own.map { ("Own/\($0.key)", Array($0.value.utf8)) })
        let disk = FileReader.disk
        let reader = FileReader(
            read: { files[$0] ?? ($0.hasPrefix("Own/") ? nil : (try? disk.read(named: $0))) },
            list: { folder in
                guard folder.hasPrefix("Own") else { return disk.list(folder) }
                let names = files.keys.filter { $0.hasPrefix(folder + "/") }.compactMap {
                    $0.dropFirst(folder.count + 1).split(separator: "/").first
                }
                return names.isEmpty ? nil : Set(names.map(String.init)).sorted()
            })
        return BankLibrary(folder: "Own", shipped: Shipped.stubs, files: reader)
    }

    private func own(_ file: String, _ old: String, with new: String) throws -> String {
        let text = String(decoding: try FileReader.disk.read(named: "\(Shipped.stubs)/\(file)"), as: UTF8.self)
        #expect(text.contains(old))
        return text.replacing(old, with: new)
    }

    @Test func `a bank speaks a dialect that came with the program`() throws {
        let loaded = try library().load("m")

        #expect(loaded.bank.dialect.name == "plain")
        #expect(loaded.files.contains("\(Shipped.stubs)/dialects/plain.yaml"))
    }

    @Test func `the folder's own dialect wins`() throws {
        let plain = try own("dialects/plain.yaml", "\nabout: \"", with: "\nabout: \"Mine. ")

        let loaded = try library(["dialects/plain.yaml": plain]).load("m")

        #expect(loaded.files.contains("Own/dialects/plain.yaml"))
        #expect(!loaded.files.contains("\(Shipped.stubs)/dialects/plain.yaml"))
    }

    @Test func `the folder's own dialect may extend one that came with the program`() throws {
        let mine = "dialect: mine\nabout: As plain.\nextends: plain\n"

        let library = library(["dialects/mine.yaml": mine])

        #expect(library.check().complaints == [])
        #expect(library.check().dialects.map(\.name).contains("mine"))
    }

    @Test func `outages that came with the program are found, and the folder's own win`() throws {
        let mine = try own("outages/maintenance.yaml", "\nabout: ", with: "\nabout: Mine. ")

        let plans = library(["outages/maintenance.yaml": mine, "outages/own.yaml": mine]).plans

        #expect(plans.names.contains("own"))
        #expect(plans.names.contains("brownout"))
        #expect(plans.names.count { $0 == "maintenance" } == 1)
        #expect(try plans.load("maintenance").about.hasPrefix("Mine. "))
        #expect(try !plans.load("brownout").about.hasPrefix("Mine. "))
    }

    @Test func `an outage that is nowhere is rejected with the nearest that came with the program`() {
        let error = #expect(throws: ComplaintsError.self) { try library().plans.load("maintenence") }

        #expect(error?.description.contains("did you mean `maintenance`?") == true)
    }
}
