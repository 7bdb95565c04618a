import Contracts
import Foundation
import Platform

/// The result of a search for secrets in all files below a folder.
///
/// Only regular files are opened, and no link is followed: opening a pipe would wait for its writer. At most
/// ``InputLimit/searchedFile`` of a file are searched, and ``InputLimit/searchedFolder`` of all together.
struct SearchedFolder {
    private(set) var foundSecrets: [Evidence.FoundSecret] = []
    /// The files that were left out, or searched only in part.
    private(set) var unsearched: [Evidence.Unsearched] = []
    private let folder: URL
    private let prefix: String
    private let step: Int
    private var bytesLeft = InputLimit.searchedFolder.bytes

    /// Searches the folder.
    ///
    /// - Parameters:
    ///   - prefix: what is set before the files' paths to name them.
    ///   - isDuring: whether the step is under way.
    init(_ folder: URL, for scan: SecretScan, after step: Int, named prefix: String = "", isDuring: Bool = false) {
        self.folder = folder
        self.prefix = prefix
        self.step = step
        for path in SearchedFolder.paths(below: folder) {
            guard let bytes = bytes(of: path) else { continue }
            var found = scan.find(in: bytes, .disk, prefix + path, after: step)
            guard !found.isEmpty else { continue }
            let mode = KeptFiles(below: folder).mode(of: path)
            for index in found.indices {
                found[index].mode = mode
                found[index].isDuring = isDuring
            }
            foundSecrets += found
        }
    }

    /// The paths of everything below a folder, seen from it, sorted.
    static func paths(below folder: URL) -> [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []).sorted()
    }

    /// The bytes of a file, as many as may be searched; nil if it is not read.
    private mutating func bytes(of path: String) -> [UInt8]? {
        let limit = min(InputLimit.searchedFile.bytes, bytesLeft)
        do throws(UnreadFile) {
            let (bytes, size) = try Disk.withRegularFile(folder.appending(path: path).path, followsLinks: false) {
                descriptor, status throws(UnreadFile) in (try Disk.first(limit, of: descriptor), status.size)
            }
            bytesLeft -= bytes.count
            if size > Int64(limit) {
                let searched = "of which the first \(grouped(Int64(limit))) were searched"
                leaveOut(path, "a file of \(grouped(size)) bytes, \(searched)", mayHoldSecret: true)
            }
            return bytes
        } catch {
            switch error {
            case .special(.folder): break
            case .special(.link): leaveOut(link: path)
            case .special: leaveOut(path, error.found, mayHoldSecret: false)
            // A client may remove a file meanwhile.
            default: if !error.isMissing { leaveOut(path, error.found, mayHoldSecret: true) }
            }
            return nil
        }
    }

    /// Notes a link that leads out of the folder: whatever is inside it is searched by its own name.
    private mutating func leaveOut(link path: String) {
        let whole = folder.appending(path: path).path
        guard !Disk.isInside(whole, folder.path), let target = FileStatus(whole) else { return }
        let mayHoldSecret = [.plain, .folder].contains(target.kind)
        leaveOut(path, "a link that leads out of the client's folder", mayHoldSecret: mayHoldSecret)
    }

    private mutating func leaveOut(_ path: String, _ reason: String, mayHoldSecret: Bool) {
        unsearched.append(Evidence.Unsearched(path: prefix + path, reason: reason, mayHoldSecret: mayHoldSecret, after: step))
    }
}

/// Checks who may read the files that a client stores.
struct KeptFiles {
    let folder: URL

    init(below folder: URL) { self.folder = folder }

    /// The permission bits by which a file below the folder can be reached; nil for a folder, and for a missing file.
    ///
    /// A folder that a class of users may not enter shuts them out of all in it; the state folder itself is the harness's and does
    /// not count.
    func mode(of path: String) -> Int? {
        guard let file = status(path), file.kind != .folder else { return nil }
        var mode = Int(file.permissions)
        var above = path[...]
        while let slash = above.lastIndex(of: "/") {
            above = above[..<slash]
            guard let folder = status(String(above)) else { continue }
            // Entering a folder is its execute bit; each class of three bits is all open or shut by it.
            for shift in [6, 3, 0] where folder.permissions >> shift & 1 == 0 { mode &= ~(7 << shift) }
        }
        return mode
    }

    private func status(_ path: String) -> FileStatus? { FileStatus(folder.appending(path: path).path, followsLinks: false) }
}
