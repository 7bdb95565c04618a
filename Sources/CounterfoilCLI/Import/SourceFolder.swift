import BankFiles
import BankImport
import BankModel
import Platform

/// Reads a folder of another tool's with all folders in it; hidden files are left out.
struct SourceFolder {
    let path: String
    /// The expectation that messages give of it.
    var what = "WireMock's mappings"
    var reader = FileReader.disk

    /// Deeper folders are a circle of links.
    private static let deepest = 32

    /// Every file, by its path inside the folder.
    ///
    /// - Throws: if there is no such folder, or a file cannot be read, or is a link that leads out of it.
    func files() throws(ComplaintsError) -> [ImportFile] {
        guard reader.list(path) != nil else { throw wrong("found no folder, expected one with \(what)", path) }
        var files: [ImportFile] = []
        try collect("", depth: 0, &files)
        return files
    }

    private func collect(_ folder: String, depth: Int, _ files: inout [ImportFile]) throws(ComplaintsError) {
        guard depth < SourceFolder.deepest else { throw wrong("found more than \(SourceFolder.deepest) nested folders", path) }
        for name in reader.list(path + folder.withSlash) ?? [] {
            let inner = folder.isEmpty ? name : "\(folder)/\(name)"
            let whole = path + inner.withSlash
            let isFolder = reader.list(whole) != nil
            do throws(UnreadFile) {
                guard Disk.isInside(whole, path) else { throw .outside(folder: path) }
                if !isFolder { files.append(ImportFile(inner, try reader.read(whole, below: path, .data))) }
            } catch {
                throw ComplaintsError([Complaint(error, file: whole, expected: "one of \(what)")])
            }
            if isFolder { try collect(inner, depth: depth + 1, &files) }
        }
    }
}

extension String {
    /// Behind a slash, if there is something.
    fileprivate var withSlash: String { isEmpty ? "" : "/\(self)" }
}
