import BankCore
import BankFiles
import BankGenerator
import BankModel
import TestBanks

/// A generated bank in memory, beside the dialects and images of the shipped one.
struct GeneratedFiles {
    /// By path inside the folder.
    var files: [String: [UInt8]] = [:]
    /// How many bytes each piece of the transactions had, and how many rows there were after it.
    var chunks: [(bytes: Int, rows: Int)] = []

    init(_ rows: Int, seed: UInt64 = 7, name: String = "counterfoil", oddDates: Bool = false) throws {
        let bank = GeneratedBank(try BankSpec(name: name, rows: rows, seed: seed, oddDates: oddDates))
        for (file, bytes) in try bank.files(model: GeneratedFiles.model) { files["\(name)/\(file)"] = bytes }
        var transactions: [UInt8] = []
        var stream = bank.transactions
        stream.run { bytes, rows in
            transactions += bytes
            chunks.append((bytes.count, rows))
        }
        files["\(name)/transactions.json"] = transactions
    }

    /// The shipped bank's definition.
    static var model: String {
        String(decoding: (try? FileReader.disk.read(named: "\(shipped)/counterfoil/bank.yaml")) ?? [], as: UTF8.self)
    }

    /// One bank, read as `serve` and `validate` read it.
    var library: BankLibrary {
        let files = files
        let names = Set(files.keys.compactMap { $0.split(separator: "/").first.map(String.init) }).sorted()
        @Sendable func onDisk(_ path: String) -> String {
            names.reduce(path) {
                $0.replacing("\(GeneratedFiles.shipped)/\($1)/images", with: "\(GeneratedFiles.shipped)/counterfoil/images")
            }
        }
        return BankLibrary(
            folder: GeneratedFiles.shipped,
            files: FileReader(
                read: { path in
                    let inner = String(path.dropFirst(GeneratedFiles.shipped.count + 1))
                    return inner.hasSuffix("expected.yaml") ? nil : files[inner] ?? (try? FileReader.disk.read(named: onDisk(path)))
                },
                list: { folder in
                    let inner = folder.dropFirst(GeneratedFiles.shipped.count + 1)
                    if inner.isEmpty { return names }
                    return names.contains(String(inner)) ? ["bank.yaml", "images"] : FileReader.disk.list(onDisk(folder))
                }))
    }

    /// The rows of one of the fixtures.
    func rows(_ file: String, of name: String = "counterfoil") throws -> [JSON] {
        try JSON(parsing: files["\(name)/\(file).json"] ?? []).array ?? []
    }

    /// The rows of the transactions, as written.
    var transactions: [JSON] { get throws { try rows("transactions") } }

    private static let shipped = Clone.stubs
}
