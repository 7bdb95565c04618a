import BankImport
import BankModel
import Foundation
import Platform

/// Writes an import's result whole or not at all: first beside its destination, then by renaming.
struct ImportWriter {
    /// The output folder, without a trailing slash.
    let folder: String
    /// Whether what is there may be replaced.
    let replaces: Bool
    /// The files and folders that the command reads.
    var inputs: [String] = []

    private let word = "importing"

    /// Looks whether a bank could be written now; nothing is changed.
    ///
    /// For commands that work for minutes before they have something to write.
    func check(bank: String) throws(ComplaintsError) {
        let there = names(in: folder)
        try checkEmpty(there)
        try checkInputs([], bank)
        try StagedFiles.beside(folder, word) { staged throws(ComplaintsError) in try StagedFiles.put([], at: "\(staged)/empty") }
        if there != nil, access(folder, W_OK | X_OK) != 0 { throw wrong("found a folder that cannot be written to", folder) }
    }

    private func checkEmpty(_ there: [String]?) throws(ComplaintsError) {
        if there == nil, isThere(folder) { throw wrong("found a file, expected a folder, or nothing", folder) }
        guard replaces || there?.isEmpty ?? true else {
            throw wrong("found a folder that is not empty, expected no folder, or an empty one (--replace writes into it)", folder)
        }
    }

    /// Rejects an input that would be replaced, or is in the bank's folder that would be: it would be lost.
    private func checkInputs(_ files: [ImportFile], _ bank: String) throws(ComplaintsError) {
        guard replaces else { return }
        let paths = [bank, "outages/\(bank).yaml"] + files.map(\.path)
        let replaced = paths.compactMap { FileStatus("\(folder)/\($0)") }
        for input in inputs where isIn(replaced, input) {
            throw wrong("--replace would replace this file, which the command reads: expected one outside of \(folder)/\(bank)", input)
        }
    }

    /// Whether a path is one of these files and folders, or in one of them, by whatever name.
    private func isIn(_ places: [FileStatus], _ path: String) -> Bool {
        var parts = URL(fileURLWithPath: path).resolvingSymlinksInPath().path.split(separator: "/")[...]
        while !parts.isEmpty {
            if let there = FileStatus("/" + parts.joined(separator: "/")), places.contains(where: there.isSameFile) { return true }
            parts = parts.dropLast()
        }
        return false
    }

    /// Writes a bank, its dialect and its plan.
    ///
    /// - Parameter check: checks the files in a temporary folder first; if it throws, nothing is written.
    func write(_ files: [ImportFile], bank: String, check: (String) throws(ComplaintsError) -> Void) throws(ComplaintsError) {
        let there = names(in: folder)
        try checkEmpty(there)
        try checkInputs(files, bank)
        try staging(files, check) { staged throws(ComplaintsError) in
            guard let there, !there.isEmpty else { return try StagedFiles.move(staged, to: folder) }
            let plan = "outages/\(bank).yaml"
            if isThere("\(folder)/\(plan)"), !files.contains(where: { $0.path == plan }) { remove("\(folder)/\(plan)") }
            for file in files where !file.path.hasPrefix("\(bank)/") {
                try StagedFiles.makeFolder(of: "\(folder)/\(file.path)")
                try StagedFiles.move("\(staged)/\(file.path)", to: "\(folder)/\(file.path)")
            }
            try exchange("\(staged)/\(bank)", "\(folder)/\(bank)", old: "\(staged)/.old")
            try putSchemas(of: files, in: folder)
        }
    }

    /// Adds a bank and its dialect to a folder of banks; nothing that is there is replaced.
    ///
    /// - Parameter check: checks the files in a temporary folder first; if it throws, nothing is written.
    func add(_ files: [ImportFile], bank: String, check: (String) throws(ComplaintsError) -> Void) throws(ComplaintsError) {
        if names(in: folder) == nil, isThere(folder) { throw wrong("found a file, expected a folder, or nothing", folder) }
        let dialect = "dialects/\(bank).yaml"
        let taken = [bank, dialect].map { "\(folder)/\($0)" }.filter(isThere)
        guard taken.isEmpty else {
            throw ComplaintsError(
                taken.map { path in
                    let wayOut = "choose another name, or remove it"
                    return Complaint("found an existing file or folder, expected none: \(wayOut)", at: SourcePosition(file: path))
                })
        }
        try staging(files, check) { staged throws(ComplaintsError) in
            guard isThere(folder) else { return try StagedFiles.move(staged, to: folder) }
            try StagedFiles.makeFolder(of: "\(folder)/\(dialect)")
            try StagedFiles.move("\(staged)/\(dialect)", to: "\(folder)/\(dialect)")
            do throws(ComplaintsError) { try StagedFiles.move("\(staged)/\(bank)", to: "\(folder)/\(bank)") } catch {
                remove("\(folder)/\(dialect)")
                throw error
            }
            try putSchemas(of: files, in: folder)
        }
    }

    func write(_ file: ImportFile) throws(ComplaintsError) {
        if names(in: file.path) != nil { throw wrong("found a folder, expected a file, or nothing", file.path) }
        guard replaces || !isThere(file.path) else { throw wrong("found a file, expected none (--replace replaces it)", file.path) }
        try StagedFiles.beside(file.path, word) { staged throws(ComplaintsError) in
            try StagedFiles.put(file.bytes, at: staged)
            try StagedFiles.move(staged, to: file.path)
        }
        try putSchemas(of: [file], in: "")
    }

    // MARK: steps

    /// Writes files and schemas beside the destination, and moves them there once they pass the check.
    private func staging(
        _ files: [ImportFile], _ check: (String) throws(ComplaintsError) -> Void, move: (String) throws(ComplaintsError) -> Void
    ) throws(ComplaintsError) {
        try StagedFiles.beside(folder, word) { staged throws(ComplaintsError) in
            for file in files {
                try StagedFiles.check(folder)
                try StagedFiles.put(file.bytes, at: "\(staged)/\(file.path)")
            }
            try check(staged)
            try putSchemas(of: files, in: staged)
            try StagedFiles.check(folder)
            try move(staged)
        }
    }

    /// Puts the JSON Schemas that files name in their first lines where they name them, so that editors find them.
    private func putSchemas(of files: [ImportFile], in folder: String) throws(ComplaintsError) {
        for path in distinct(files.compactMap(ImportWriter.schemaPath)) {
            let name = path.split(separator: "/").last
            guard let kind = SchemaKind.all.first(where: { $0.schemaFile?.split(separator: "/").last == name }) else { continue }
            try StagedFiles.put(Array(kind.document.utf8), at: folder.isEmpty ? path : "\(folder)/\(path)")
        }
    }

    /// The path of a file's schema, from the folder that the file's own path begins at; nil if it names none.
    private static func schemaPath(of file: ImportFile) -> String? {
        let beginning = Array("# yaml-language-server: $schema=".utf8)
        guard file.bytes.starts(with: beginning) else { return nil }
        let named = String(decoding: file.bytes.dropFirst(beginning.count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        var folders = file.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for part in named.split(separator: "/").dropLast() {
            if part == "..", let last = folders.last, last != "..", !last.isEmpty { folders.removeLast() } else { folders.append(part) }
        }
        return (folders + named.split(separator: "/").suffix(1)).joined(separator: "/")
    }

    private func names(in path: String) -> [String]? { try? FileManager.default.contentsOfDirectory(atPath: path) }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Puts the new in place of the old; if that fails the old is there again.
    private func exchange(_ new: String, _ destination: String, old: String) throws(ComplaintsError) {
        guard isThere(destination) else { return try StagedFiles.move(new, to: destination) }
        try StagedFiles.move(destination, to: old)
        do throws(ComplaintsError) { try StagedFiles.move(new, to: destination) } catch {
            try StagedFiles.move(old, to: destination)
            throw error
        }
    }
}
