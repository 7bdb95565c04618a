import BankModel
import Contracts

/// The command that sends an exchange's request again.
///
/// Secrets are not in the journal: a bearer token is the shell's variable `token`, and what else was left out is told.
struct CurlLine {
    /// For a POSIX shell.
    let text: String
    /// What the command does not send although the request did.
    let leftOut: [String]

    /// Headers that curl sends by itself, or that belong to one connection.
    private static let own: Set<String> = [
        "host", "content-length", "connection", "transfer-encoding", "expect", "upgrade", "keep-alive", "te", "trailer",
    ]

    init(_ entry: JournalEntry, baseURL: String) {
        var words = ["curl", "-i"]
        var leftOut: [String] = []
        let method = entry.method ?? "GET"
        let hasBody = entry.bodyBytes > 0
        if method == "HEAD" {
            words.append("-I")
        } else if method != (hasBody ? "POST" : "GET") {
            words += ["-X", RunReport.quoted(method)]
        }
        for header in entry.requestHeaders where !CurlLine.own.contains(header.name.lowercased()) {
            if header.value == "[redacted]" {
                leftOut.append(header.name)
            } else if header.name.lowercased() == "authorization", entry.token != "empty" {
                words += ["-H", "\"\(header.name): Bearer $token\""]
            } else {
                words += ["-H", RunReport.quoted(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")]
            }
        }
        if hasBody {
            let text = String(validating: entry.requestBody, as: UTF8.self)
            if let text, entry.bodySHA256 == ExchangeRecord.digest(entry.requestBody) {
                if !entry.requestHeaders.contains(where: { $0.name.lowercased() == "content-type" }) { words += ["-H", "'Content-Type:'"] }
                words += ["--data-binary", RunReport.quoted(text)]
            } else {
                leftOut.append("the body, which the journal does not keep as it was")
                if method == "POST" { words += ["-X", "POST"] }
            }
        }
        let url = baseURL + entry.path + (entry.query.map { "?\($0)" } ?? "")
        if url.contains(where: { "[]{}".contains($0) }) { words.append("-g") }
        words.append(RunReport.quoted(url))
        (text, self.leftOut) = (words.joined(separator: " "), leftOut)
    }

    var json: JSON { ["line": .string(text), "left_out": .array(leftOut.map(JSON.string))] }
}
