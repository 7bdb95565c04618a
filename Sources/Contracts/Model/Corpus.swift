package import BankModel

/// Files of bytes that cases serve in place of a bank's responses: `Stubs/corpus/`, a folder for each subject.
package struct Corpus: Sendable {
    /// By the folder's name.
    package var folders: [String: [File]]

    /// One file, which is damaged in one way.
    package struct File: Sendable, Hashable {
        /// Without its ending.
        package var name: String
        package var bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    package init(folders: [String: [File]] = [:]) { self.folders = folders }
}

extension Corpus {
    /// The `foreach` of a case: `{body: corpus:json/*}` runs it once for each file, and `$body` in its steps stands
    /// for the file's bytes as hexadecimal digits.
    package struct Foreach: Sendable {
        /// Each key with the files' names, which stand in the instances' names.
        package var axes: [(key: String, position: SourcePosition, names: [String])] = []
        /// The files of each name.
        package var contents: [String: [String: String]] = [:]

        init(_ node: Node?, _ corpus: Corpus, _ complaints: Complaints) {
            guard let node else { return }
            for (key, keyNode, value) in Fields(node, of: "`foreach`", complaints).all {
                let files = corpus.files(value, complaints)
                axes.append((key, keyNode.position, files.map(\.name)))
                contents[key] = Dictionary(files.map { ($0.name, hexadecimal($0.bytes)) }, uniquingKeysWith: { $1 })
            }
        }
    }

    /// The files that `corpus:folder/pattern` names; a complaint if there is none.
    private func files(_ node: Node, _ complaints: Complaints) -> [File] {
        let expected = "corpus:, one of the folders \(oneOf(folders.keys.sorted())), and a pattern of names, such as corpus:json/*"
        guard let text = node.scalar, text.hasPrefix("corpus:") else { return node.wrong(complaints, expected) ?? [] }
        let parts = text.dropFirst("corpus:".count).split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let folder = folders[parts[0]] else { return node.wrong(complaints, expected) ?? [] }
        let files = folder.filter { globMatches(parts[1], $0.name) }
        return files.isEmpty ? node.wrong(complaints, "a pattern that some file of corpus/\(parts[0]) matches") ?? [] : files
    }
}
