/// The kinds of input, each with the number of bytes that the program reads at most.
///
/// The size of a file is checked before its first byte is read: a sparse file of a terabyte takes no memory.
package enum InputLimit: Sendable, CaseIterable {
    /// A file in a language of Counterfoil: a bank, dialect, contract, outage, rule, expected results, known failures.
    case settings
    /// A file of data: a body, a file of the corpus, a source of an import.
    case data
    /// A report as JSON: a run of all cases, ten times each, has some 30,000 results.
    case report
    /// Recorded traffic: an HTTP archive with its bodies.
    case archive
    /// The rows of a bank's table: `counterfoil generate` writes up to 10,000,000 of them, which are 2.9 GB.
    case rows
    /// One file of a client in a search for secrets; the rest of a larger one is not searched.
    case searchedFile
    /// All files of a client together in one search for secrets.
    case searchedFolder

    /// The limit in bytes.
    package var bytes: Int {
        switch self {
        case .settings: 4 << 20
        case .data, .searchedFile: 64 << 20
        case .rows: 4 << 30
        case .report, .archive, .searchedFolder: 256 << 20
        }
    }
}

/// The reason why a file is not read; it contains nothing of the file's content.
package enum UnreadFile: Error, Sendable, Hashable {
    /// The system does not open or read it: the number of its error, such as `ENOENT`.
    case system(Int32)
    /// Something other than a regular file: opening a pipe would wait for its writer, reading a device may never end.
    case special(FileStatus.Kind)
    /// A link leads out of the folder, whose path this is.
    case outside(folder: String)
    /// The file has more bytes than its kind may have; nil if their number is not known, as of a pipe.
    case tooLarge(bytes: Int64?, InputLimit)
    /// Text in another encoding.
    case notUTF8(isUTF16: Bool)

    package var isMissing: Bool { self == .system(ENOENT) || self == .system(ENOTDIR) }

    /// The finding, such as `a pipe`.
    package var found: String {
        switch self {
        case _ where isMissing: "no file"
        case .system(let number): "a file that cannot be read (\(String(cString: strerror(number))))"
        case .special(let kind): kind.words
        case .outside(let folder): "a link that leads out of \(folder)"
        case .tooLarge(let bytes?, _): "a file of \(grouped(bytes)) bytes"
        case .tooLarge(nil, let limit): "more than \(grouped(Int64(limit.bytes))) bytes"
        case .notUTF8(let isUTF16): isUTF16 ? "UTF-16" : "bytes that are not UTF-8"
        }
    }

    /// The expectation that was not met.
    ///
    /// - Parameter content: the expected content, for a file that is missing or that the system does not read.
    package func expected(_ content: String) -> String {
        switch self {
        case .system: content
        case .special: "a regular file"
        case .outside: "a file in it"
        case .tooLarge(_, let limit): "at most \(grouped(Int64(limit.bytes)))"
        case .notUTF8(let isUTF16): isUTF16 ? "UTF-8 (`iconv -f UTF-16 -t UTF-8` converts it)" : "UTF-8"
        }
    }

    /// Both in one sentence: `found a pipe, expected a regular file`.
    package func message(expected content: String) -> String { "found \(found), expected \(expected(content))" }
}

extension String {
    /// The text of a file.
    ///
    /// - Throws: ``UnreadFile/notUTF8(isUTF16:)``; a byte order mark shows UTF-16.
    package init(ofFile bytes: [UInt8]) throws(UnreadFile) {
        guard let text = String(validUTF8: bytes) else {
            throw .notUTF8(isUTF16: bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]))
        }
        self = text
    }
}

extension FileStatus.Kind {
    /// The kind with its article.
    package var words: String {
        switch self {
        case .plain: "a file"
        case .folder: "a folder"
        case .pipe: "a pipe"
        case .socket: "a socket"
        case .device: "a device"
        case .link: "a link"
        }
    }
}

/// A number with a comma before each three digits, such as `4,194,304`.
package func grouped(_ number: Int64) -> String {
    let digits = Array(String(number))
    return String(
        digits.indices.flatMap { index in
            index > 0 && (digits.count - index).isMultiple(of: 3) ? [",", digits[index]] : [digits[index]]
        })
}
