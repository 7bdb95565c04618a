import BankFiles
import BankModel
import Platform

/// The shipped bank of which generated ones take everything but the fixtures.
struct ModelBank {
    /// The folder `Stubs`.
    let stubs: String
    var reader = FileReader.disk

    private static let name = "counterfoil"

    /// Its `bank.yaml`.
    var definition: String {
        get throws(ComplaintsError) { String(decoding: try read(ModelBank.name + "/bank.yaml"), as: UTF8.self) }
    }

    /// Files that are taken as they are, with their paths in the folder for the result.
    func files(for bank: String) throws(ComplaintsError) -> [(path: String, bytes: [UInt8])] {
        let dialect = "dialects/problem-json.yaml"
        var files = [(dialect, try read(dialect))]
        for kind in SchemaKind.all where ["bank", "dialect"].contains(kind.name) {
            guard let path = kind.schemaFile?.split(separator: "/").last else { continue }
            files.append((String(path), Array(kind.document.utf8)))
        }
        let images = "\(ModelBank.name)/images"
        for image in reader.list("\(stubs)/\(images)") ?? [] { files.append(("\(bank)/images/\(image)", try read("\(images)/\(image)"))) }
        return files
    }

    private func read(_ path: String) throws(ComplaintsError) -> [UInt8] {
        let path = "\(stubs)/\(path)"
        do throws(UnreadFile) { return try reader.read(path, below: stubs, .data) } catch {
            throw ComplaintsError([Complaint(error, file: path, expected: "that of the shipped bank (see --stubs)")])
        }
    }
}
