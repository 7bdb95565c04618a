import BankImport

/// The JSON Schemas that written files name in their first line, for editors.
enum ImportSchemas {
    /// Each with its path from the folder that the files' paths begin at, once.
    static func named(by files: [ImportFile]) -> [(path: String, text: String)] {
        var found: [(path: String, text: String)] = []
        for file in files {
            guard let path = schemaPath(of: file), !found.contains(where: { $0.path == path }),
                let kind = SchemaKind.all.first(where: { $0.schemaFile?.split(separator: "/").last == path.split(separator: "/").last })
            else { continue }
            found.append((path, kind.document))
        }
        return found
    }

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
}
