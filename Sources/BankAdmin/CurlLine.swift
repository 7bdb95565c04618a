import BankCore
import BankEngine
import BankModel
import Contracts
import Platform

/// The curl command that sends an exchange's request again: byte for byte, except for the headers of a connection.
///
/// The journal has no secrets: the shell variable `token` replaces a bearer token, and `leftOut` lists the other omissions. Data of a
/// client is never read as a file name (`--data-raw`), and the line contains no control characters: pasted at a prompt, they would
/// act as key presses.
struct CurlLine {
    /// The command line for a POSIX shell.
    let text: String
    /// The parts of the request that the command does not send.
    let leftOut: [String]

    /// The headers that curl sends by itself, or that belong to one connection.
    private static let own: Set<String> = [
        "host", "content-length", "connection", "transfer-encoding", "expect", "upgrade", "keep-alive", "te", "trailer",
    ]

    init(_ entry: JournalEntry, baseURL: String) {
        var (words, leftOut) = (["curl", "-i"], [String]())
        let method = entry.method ?? "GET"
        let body = CurlLine.body(of: entry, &leftOut)
        if method == "HEAD" {
            words.append("-I")
        } else if method != (body == nil ? "GET" : "POST") {
            words += ["-X", RunReport.quoted(method)]
        }
        words += CurlLine.headers(of: entry, hasBody: body != nil, &leftOut)
        var feed = ""
        if let body {
            if let text = String(validUTF8: body), text.unicodeScalars.allSatisfy(\.isSafeAtPrompt) {
                words += ["--data-raw", RunReport.quoted(text)]
            } else {
                feed = "printf '\(CurlLine.format(body))' | "
                words += ["--data-binary", "@-"]
            }
        }
        words += CurlLine.address(of: entry, baseURL, &leftOut)
        text = feed + words.joined(separator: " ")
        self.leftOut = leftOut
    }

    var json: JSON { ["line": .string(text), "left_out": .array(leftOut.map(JSON.string))] }

    /// The body to send; nil for none.
    private static func body(of entry: JournalEntry, _ leftOut: inout [String]) -> [UInt8]? {
        guard entry.bodyBytes > 0 else { return nil }
        if entry.method == "HEAD" {
            leftOut.append("the body, which curl cannot send with HEAD")
        } else if entry.hasWholeBody {
            return entry.requestBody
        } else {
            leftOut.append("the body, which the journal does not store unchanged")
        }
        return nil
    }

    private static func headers(of entry: JournalEntry, hasBody: Bool, _ leftOut: inout [String]) -> [String] {
        var words: [String] = []
        for header in entry.requestHeaders where !own.contains(header.name.lowercased()) {
            // A token that is bound to a key is left out: curl signs no proof.
            let isBearer =
                header.name.isHeaderName("authorization") && header.value != SecretFields.mark && !header.value.hasPrefix("DPoP ")
            if isBearer {
                words += ["-H", entry.emptyBearer.map { "'\(header.name): \($0)'" } ?? "\"\(header.name): Bearer $token\""]
            } else if hasNoSecret(header.value), hasNoSecret(header.name), !header.name.hasPrefix("@"),
                "\(header.name)\(header.value)".unicodeScalars.allSatisfy(\.isSafeAtPrompt)
            {
                words += ["-H", RunReport.quoted(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")]
            } else {
                leftOut.append(header.name)
            }
        }
        // An empty value stops curl from sending its own.
        for name in ["User-Agent", "Accept"] + (hasBody ? ["Content-Type"] : [])
        where !entry.requestHeaders.contains(where: { $0.name.isHeaderName(name) }) {
            words += ["-H", "'\(name):'"]
        }
        return words
    }

    private static func address(of entry: JournalEntry, _ baseURL: String, _ leftOut: inout [String]) -> [String] {
        let target = entry.path + (entry.query.map { "?\($0)" } ?? "")
        if !hasNoSecret(target) { leftOut.append("the secrets in the address") }
        var words: [String] = []
        // These options stop curl from expanding brackets and from shortening the path.
        if target.contains(where: { "[]{}".contains($0) }) { words.append("-g") }
        if "\(entry.path)/".contains("/./") || "\(entry.path)/".contains("/../") { words.append("--path-as-is") }
        return words + [RunReport.quoted(baseURL + target)]
    }

    /// Whether the journal has redacted nothing in a text: neither a value nor a token, which its id replaces.
    private static func hasNoSecret(_ text: String) -> Bool {
        !text.contains(SecretFields.mark) && !text.contains("token#") && !text.contains("refresh#")
    }

    /// The bytes as a format of the shell's `printf`, which is portable (POSIX.1-2017, printf).
    private static func format(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            switch byte {
            case UInt8(ascii: "%"): "%%"
            case _ where byte.isLetter || byte.isDigit || " _.,:=&@/{}[]\"".utf8.contains(byte): String(UnicodeScalar(byte))
            default: "\\" + String(repeating: "0", count: byte < 8 ? 2 : byte < 64 ? 1 : 0) + String(byte, radix: 8)
            }
        }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether it has no special meaning when typed at a shell's prompt within quotes.
    fileprivate var isSafeAtPrompt: Bool { self == "\n" || !isControl }
}
