package import BankModel
package import Platform

/// The reader of all files of banks, dialects, contracts, outages and the corpus. Injected, so that a test can serve banks from memory.
package struct FileReader: Sendable {
    /// Reads a file; the folder is nil for one that the user names.
    private let bytes: @Sendable (_ path: String, _ folder: String?, _ limit: InputLimit) throws(UnreadFile) -> [UInt8]
    /// The names in a folder, sorted; nil if the folder does not exist.
    package let list: @Sendable (String) -> [String]?

    /// Files in memory, to which no limit applies.
    ///
    /// - Parameter read: the file's bytes; nil if there is none.
    package init(read: @escaping @Sendable (String) -> [UInt8]?, list: @escaping @Sendable (String) -> [String]?) {
        bytes = { path, _, _ throws(UnreadFile) in
            guard let bytes = read(path) else { throw .system(ENOENT) }
            return bytes
        }
        self.list = list
    }

    private init() {
        bytes = { path, folder, limit throws(UnreadFile) in
            guard let folder else { return try Disk.bytes(named: path, limit) }
            return try Disk.bytes(path, below: folder, limit)
        }
        list = { path in Disk.names(path)?.filter { !$0.hasPrefix(".") }.sorted() }
    }

    /// The machine's disk, by system calls: Foundation's take longer than the files.
    package static let disk = FileReader()

    /// Reads a file that was found in a folder: a regular file within the limit, to which no link out of the folder leads.
    ///
    /// - Throws: ``UnreadFile``
    package func read(_ path: String, below folder: String, _ limit: InputLimit) throws(UnreadFile) -> [UInt8] {
        try bytes(path, folder, limit)
    }

    /// Reads a file that the user names, which may be a link or a pipe, within the limit.
    ///
    /// - Throws: ``UnreadFile``
    package func read(named path: String, _ limit: InputLimit = .data) throws(UnreadFile) -> [UInt8] { try bytes(path, nil, limit) }

    /// Reads a YAML file.
    ///
    /// - Parameters:
    ///   - folder: the folder that it was found in; nil if the user names it.
    ///   - what: the expected content, for messages.
    /// - Returns: the file's root; nil, and a complaint, if it is not read.
    package func yaml(_ path: String, below folder: String?, what: String, _ complaints: Complaints) -> Node? {
        let text: String
        do throws(UnreadFile) { text = try String(ofFile: bytes(path, folder, .settings)) } catch {
            complaints.add(Complaint(error, file: path, expected: what))
            return nil
        }
        return Node.parse(yaml: text, file: path, complaints)
    }
}

extension Complaint {
    /// A file that is not read.
    ///
    /// - Parameter content: the expected content of the file.
    package init(_ unread: UnreadFile, file: String, expected content: String) {
        self.init(unread.message(expected: content), at: SourcePosition(file: file))
    }
}

/// A folder, and the folder that came with the program: a file that the first does not have is looked for in the second.
struct FileLayers: Sendable {
    let own: String
    /// nil if nothing came with the program.
    let shipped: String?
    let files: FileReader

    /// The names in a subfolder, sorted, each once.
    func names(in subfolder: String) -> [String] {
        Set(folders.flatMap { files.list("\($0)/\(subfolder)") ?? [] }).sorted()
    }

    /// The names of the files in a subfolder that have this ending, without it; sorted, each once.
    func names(in subfolder: String, ending: String) -> [String] {
        names(in: subfolder).filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
    }

    /// The path of a file in a subfolder: the own one if it exists, or if none exists.
    func path(of file: String, in subfolder: String) -> String {
        let folder = folders.first { files.list("\($0)/\(subfolder)")?.contains(file) ?? false }
        return "\(folder ?? own)/\(subfolder)/\(file)"
    }

    /// The folder, own or shipped, that a file of that path is in: no link may lead out of it.
    func folder(of path: String) -> String { folders.first { path.hasPrefix($0 + "/") } ?? own }

    private var folders: [String] { [own] + (shipped.map { [$0] } ?? []) }
}
