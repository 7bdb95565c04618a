import BankModel
import Contracts
import Foundation
import Platform

/// The names of what failed in the last run of a folder with its contracts, kept for `--last-failed`.
///
/// A file in the user's own folder and not among the project's files: nothing has to be ignored by version control, and a
/// project that cannot be written can be tested. It is the user's alone (0600): names show which banks somebody works on.
struct LastFailed {
    private static let version: Int64 = 1

    let path: String
    private let parent: String?
    private let folder: String
    private let contracts: String

    /// - Parameters:
    ///   - home: the user's own folder; nil where it is not known: then nothing is kept.
    ///   - folder: the working directory of the run.
    ///   - contracts: the folder of the contracts.
    init(home: String? = UserFolder.found, folder: String = FileManager.default.currentDirectoryPath, contracts: String) {
        self.folder = folder
        self.contracts = URL(filePath: contracts.hasPrefix("/") ? contracts : "\(folder)/\(contracts)").standardizedFileURL.path
        let hash = FNV1a.hash("\(folder)\n\(self.contracts)".utf8)
        parent = home.map { "\($0)/last-failed" }
        path = "\(parent ?? "last-failed")/\(String(hash, radix: 16)).json"
    }

    /// The names of what failed, in the order of the run; none if nothing did.
    ///
    /// - Throws: ``ComplaintsError`` if there is no such run, or its list cannot be read.
    func names() throws(ComplaintsError) -> [String] {
        guard let bytes = parent.flatMap({ _ in Disk.bytes(path) }) else {
            throw wrong(
                "found no earlier run in \(folder) with the contracts \(contracts), expected one: run without --last-failed first", path)
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes) } catch { throw damaged("no JSON (\(error))") }
        guard json["last_failed"]?.int == LastFailed.version else { throw damaged("another version of it") }
        guard json["folder"]?.string == folder, json["contracts"]?.string == contracts else { throw damaged("that of another folder") }
        guard let names = json["names"]?.array?.map(\.string), !names.contains(nil) else { throw damaged("no list `names`") }
        return names.compactMap(\.self)
    }

    /// Keeps the names, in place of those of the run before.
    ///
    /// - Throws: ``FileError`` if they cannot be written; the list is then what it was.
    func keep(_ names: [String]) throws(FileError) {
        guard let parent else { throw FileError("\(path) (set COUNTERFOIL_HOME)", ENOENT) }
        // If it cannot be made, the file cannot be written, and the error has the reason.
        try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let json: JSON = [
            "last_failed": .int(LastFailed.version), "folder": .string(folder), "contracts": .string(contracts),
            "names": .array(names.map(JSON.string)),
        ]
        try WholeFile(path, isPrivate: true).write(json.pretty + "\n")
    }

    private func damaged(_ found: String) -> ComplaintsError {
        wrong("found \(found), expected the list of failures of the last run: run without --last-failed to rewrite it", path)
    }

    /// The names to store after a run: its failures, and those of the earlier list that it did not run.
    ///
    /// - Parameter earlier: the list that a run with `--last-failed` began with; empty for any other run.
    static func names(after report: RunReport, earlier: [String]) -> [String] {
        let failed = report.results.filter {
            [.fail, .inconclusive, .harnessError].contains($0.judgement.verdict) && !$0.isKnownFailure
        }.map(\.instance.filterName)
        let judged = Set(report.results.map(\.instance.filterName))
        return distinct(failed + earlier.filter { !judged.contains($0) })
    }
}
