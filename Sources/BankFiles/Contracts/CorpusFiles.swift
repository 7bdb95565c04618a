package import BankModel
package import Contracts
package import Foundation
import Platform

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
