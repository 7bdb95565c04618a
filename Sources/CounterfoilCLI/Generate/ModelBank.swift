import BankFiles
import BankModel
import Platform

/// The shipped bank of which generated ones take everything but the fixtures.
struct ModelBank {
    /// The folder `Stubs`.
    let stubs: String
    var reader = FileReader.disk

    private static let name = "counterfoil"

    /// The bank in the folder given, or in `Stubs` of the working directory; a folder of the user's own banks need not have it.
    ///
    /// - Parameters:
    ///   - found: the folder that is read unless it lacks the bank.
    ///   - shipped: the folder that came with the program, which takes its place unless the user has named the folder.
    static func find(in found: String, given: String?, shipped: String?, reader: FileReader = .disk) -> ModelBank {
        let lacks = reader.list("\(found)/\(name)") == nil
        return ModelBank(stubs: lacks && given == nil ? shipped ?? found : found, reader: reader)
    }

    /// Its `bank.yaml`.
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
        for image in reader.list("\(stubs)/\(images)") ?? [] { files.append(("\(bank)/images/\(image)", try read("\(images)/\(image)"))) }
        return files
    }

    /// A shipped YAML file for the result, in which the folder `schemas` is beside the banks and not beside `Stubs`.
    private func text(_ path: String) throws(ComplaintsError) -> String {
        String(decoding: try read(path), as: UTF8.self).replacing("$schema=../../schemas/", with: "$schema=../schemas/", maxReplacements: 1)
    }

    private func read(_ path: String) throws(ComplaintsError) -> [UInt8] {
        let path = "\(stubs)/\(path)"
        do throws(UnreadFile) { return try reader.read(path, below: stubs, .data) } catch {
            throw ComplaintsError([Complaint(error, file: path, expected: "that of the shipped bank (see --stubs)")])
        }
    }
}
