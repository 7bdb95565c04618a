import BankGenerator
import BankModel
import Foundation

/// Writes a generated bank whole or not at all: first beside its destination, then by renaming.
struct GenerateWriter {
    /// The output folder, without a trailing slash. It must not exist, or be empty.
    let folder: String
    let model: ModelBank

    /// Writes the bank, its dialect and its images.
    ///
    /// - Parameter progress: called now and then with the number of rows so far.
    /// - Returns: the bytes of all files together.
    /// - Throws: what is wrong with the destination, the model or the disk; then nothing is left behind.
    func write(_ bank: GeneratedBank, named name: String, _ progress: (Int) -> Void) throws(ComplaintsError) -> Int {
        try checkDestination()
        let definition = try model.definition
        let small: [(name: String, bytes: [UInt8])]
        do throws(BankSpecError) { small = try bank.files(model: definition) } catch { throw wrong("\(error)", model.stubs) }
        let files = small.map { ("\(name)/\($0.name)", $0.bytes) } + (try model.files(for: name))
        return try StagedFiles.beside(folder, "generating") { staged throws(ComplaintsError) in
            for (path, bytes) in files { try StagedFiles.put(bytes, at: "\(staged)/\(path)") }
            let file = try FileOutput("\(staged)/\(name)/transactions.json")
            var stream = bank.transactions
            try stream.run { bytes, rows throws(ComplaintsError) in
                try StagedFiles.check(folder)
                try file.write(bytes)
                progress(rows)
            }
            try file.close()
            try StagedFiles.move(staged, to: folder)
            return files.reduce(file.written) { $0 + $1.1.count }
        }
    }

    private func checkDestination() throws(ComplaintsError) {
        let there = try? FileManager.default.contentsOfDirectory(atPath: folder)
        if there == nil, FileManager.default.fileExists(atPath: folder) {
            throw wrong("found a file, expected a folder, or nothing", folder)
        }
        guard there?.isEmpty ?? true else { throw wrong("found a folder that is not empty, expected no folder or an empty one", folder) }
    }
}

/// A file that is written piece by piece.
private final class FileOutput {
    private let path: String
    private let handle: FileHandle
    /// How many bytes it has.
    private(set) var written = 0

    /// - Throws: if there can be no such file.
    init(_ path: String) throws(ComplaintsError) {
        self.path = path
        guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path) else {
            throw wrong("the file cannot be created: \(String(cString: strerror(errno)))", path)
        }
        self.handle = handle
    }

    func write(_ bytes: [UInt8]) throws(ComplaintsError) {
        do { try handle.write(contentsOf: bytes) } catch { throw wrong("the file cannot be written: \(error.plainReason)", path) }
        written += bytes.count
    }

    func close() throws(ComplaintsError) {
        do { try handle.close() } catch { throw wrong("the file cannot be written: \(error.plainReason)", path) }
    }
}
