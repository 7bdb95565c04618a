package import BankModel
package import Contracts
package import Foundation
import Platform

/// Reads the contracts of a folder: a suite is one file `<suite>.yaml`, or several, `<suite>.<part>.yaml`.
package struct ContractFiles: Sendable {
    let folder: URL
    let corpus: CorpusFiles?

    /// - Parameters:
    ///   - folder: the folder of the contracts.
    ///   - stubs: the folder of banks, which contains the corpus that cases may name; nil if there is none.
    ///   - shipped: the folder of banks that came with the program: a file of the corpus that `stubs` does not have is its own.
    package init(folder: URL, stubs: URL?, shipped: URL? = nil) {
        self.folder = folder
        corpus = stubs.map { CorpusFiles(stubs: $0, shipped: shipped) }
    }

    /// All suites, ordered by name; every error of every file is a complaint.
    package func suites(_ complaints: Complaints) -> [Suite] {
        guard let files = suiteFiles else {
            complaints.add(
                found: "no readable folder", expected: "a folder of contracts (see --contracts)", at: SourcePosition(file: folder.path))
            return []
        }
        if files.isEmpty {
            complaints.add(found: "no *.yaml", expected: "one file for each suite of contracts", at: SourcePosition(file: folder.path))
        }
        let corpus = corpus?.corpus(complaints) ?? Corpus()
        return files.compactMap { suite(file: $0, corpus, complaints) }.joined(complaints)
    }

    /// The file of the rules that apply to every case.
    package static let invariants = "invariants.yaml"

    package var hasInvariants: Bool { has(ContractFiles.invariants) }

    /// The rules that apply to every case; none if the file is missing.
    package func invariants(_ complaints: Complaints) -> [Invariant] {
        guard hasInvariants, let node = node(file: ContractFiles.invariants, complaints) else { return [] }
        return Invariant.list(node, complaints)
    }

    /// The file of public bugs that the cases are to find.
    package static let bugs = "bugs.yaml"

    package var hasBugs: Bool { has(ContractFiles.bugs) }

    /// The public bugs that the cases are to find; none if the file is missing.
    package func bugs(_ complaints: Complaints) -> [KnownBug] {
        guard hasBugs, let node = node(file: ContractFiles.bugs, complaints) else { return [] }
        return KnownBug.list(node, complaints)
    }

    private func has(_ file: String) -> Bool { FileReader.disk.list(folder.path)?.contains(file) ?? false }

    /// The files of suites in the folder, in order; nil if the folder cannot be read.
    private var suiteFiles: [String]? {
        FileReader.disk.list(folder.path)?.sorted().filter {
            $0.hasSuffix(".yaml") && ![ContractFiles.invariants, ContractFiles.bugs].contains($0)
        }
    }

    /// The files of cases and of the rules that apply to every case, with their bytes, in the order of their names.
    ///
    /// A file that cannot be read has no bytes; reading its suite complains of it.
    package var judging: [(name: String, bytes: [UInt8])] {
        ((suiteFiles ?? []) + (hasInvariants ? [ContractFiles.invariants] : [])).sorted().map { name in
            let path = folder.appending(path: name).path
            return (name, (try? FileReader.disk.read(path, below: folder.path, .settings)) ?? [])
        }
    }

    private func suite(file: String, _ corpus: Corpus, _ complaints: Complaints) -> Suite? {
        guard let node = node(file: file, complaints) else { return nil }
        return Suite(node, name: String(file.prefix { $0 != "." }), corpus: corpus, complaints)
    }

    private func node(file: String, _ complaints: Complaints) -> Node? {
        FileReader.disk.yaml(folder.appending(path: file).path, below: folder.path, what: "YAML", complaints)
    }
}

/// Reads the corpus: in the folder `corpus` a folder for each subject, with a file for each kind of damage.
package struct CorpusFiles: Sendable {
    private let layers: FileLayers

    /// - Parameters:
    ///   - stubs: the folder of the banks.
    ///   - shipped: the folder of banks that came with the program; a file of its corpus that `stubs` does not have counts too.
    package init(stubs: URL, shipped: URL? = nil) { layers = FileLayers(own: stubs.path, shipped: shipped?.path, files: .disk) }

    /// The file that describes each folder's files; it is not part of the corpus.
    package static let index = "README.md"

    /// All files, ordered by name; a missing folder is an empty corpus. A file's name ends before its last dot.
    package func corpus(_ complaints: Complaints) -> Corpus {
        var corpus = Corpus()
        for subject in layers.names(in: CorpusFiles.folder) {
            let folder = "\(CorpusFiles.folder)/\(subject)"
            let files = layers.names(in: folder).filter { $0 != CorpusFiles.index }
            guard !files.isEmpty else { continue }
            corpus.folders[subject] = files.compactMap { file in
                let path = layers.path(of: file, in: folder)
                do throws(UnreadFile) {
                    let bytes = try layers.files.read(path, below: layers.folder(of: path), .data)
                    return Corpus.File(name: URL(filePath: path).deletingPathExtension().lastPathComponent, bytes: bytes)
                } catch {
                    complaints.add(Complaint(error, file: path, expected: "a file of the corpus"))
                    return nil
                }
            }
        }
        return corpus
    }

    private static let folder = "corpus"
}
