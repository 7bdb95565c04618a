package import BankModel
package import Contracts
package import Foundation

/// Reads the corpus: a folder for each subject, with a file for each kind of damage.
package struct CorpusFiles: Sendable {
    let folder: URL

    package init(folder: URL) { self.folder = folder }

    /// The file that describes each folder's files; it is not part of the corpus.
    package static let index = "README.md"

    /// All files, ordered by name; a missing folder is an empty corpus. A file's name ends before its last dot.
    package func corpus(_ complaints: Complaints) -> Corpus {
        let manager = FileManager.default
        let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        var corpus = Corpus()
        for name in names.sorted() {
            let subject = folder.appending(path: name)
            guard let files = try? manager.contentsOfDirectory(atPath: subject.path) else { continue }
            corpus.folders[name] = files.sorted().filter { $0 != CorpusFiles.index }.compactMap { file in
                let url = subject.appending(path: file)
                guard let bytes = FileReader.disk.read(url.path) else {
                    complaints.add(found: "a file that cannot be read", expected: "a file of the corpus", at: Place(file: url.path))
                    return nil
                }
                return Corpus.File(name: url.deletingPathExtension().lastPathComponent, bytes: bytes)
            }
        }
        return corpus
    }
}
