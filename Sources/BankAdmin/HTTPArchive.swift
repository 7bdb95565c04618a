import BankEngine
import BankModel

/// A journal as a HAR 1.2 file, which browsers and proxies can open.
struct HTTPArchive {
    private let entries: [JournalEntry]
    private let version: String
    /// The session's base URL: the paths of entries lack its prefix.
    private let baseURL: String

    init(_ entries: [JournalEntry], baseURL: String, version: String) {
        self.entries = entries
        self.baseURL = baseURL
        self.version = version
    }

    var json: JSON {
        [
            "log": [
                "version": "1.2", "creator": ["name": "counterfoil", "version": .string(version)],
                "entries": .array(entries.filter { $0.method != nil }.map(entry)),
            ]
        ]
    }

    private func entry(_ entry: JournalEntry) -> JSON {
        let time = JSON.int((entry.durationMicroseconds ?? 0) / 1000)
        let query = entry.query.map { "?\($0)" } ?? ""
        let reply = entry.replyHeaders.first { $0.name.lowercased() == "content-type" }?.value ?? ""
        return [
            "startedDateTime": .string(entry.at.rfc3339(.milliseconds)), "time": time,
            "request": [
                "method": .string(entry.method ?? ""), "url": .string("\(baseURL)\(entry.path)\(query)"),
                "httpVersion": "HTTP/1.1",
                "cookies": [], "headers": HTTPArchive.headers(entry.requestHeaders), "queryString": HTTPArchive.queryItems(entry.query),
                "headersSize": -1,
                "bodySize": .int(entry.bodyBytes),
                "postData": [
                    "mimeType": .string(entry.requestHeaders.first { $0.name.lowercased() == "content-type" }?.value ?? ""),
                    "text": .string(String(decoding: entry.requestBody, as: UTF8.self)),
                ],
            ],
            "response": [
                "status": .int(entry.status ?? 0), "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [],
                "headers": HTTPArchive.headers(entry.replyHeaders),
                "content": [
                    "size": .int(entry.receipt.bodyBytes), "mimeType": .string(reply),
                    "text": .string(String(decoding: entry.replyBody, as: UTF8.self)),
                ],
                "redirectURL": .string(entry.replyHeaders.first { $0.name.lowercased() == "location" }?.value ?? ""),
                "headersSize": .int(entry.receipt.headBytes), "bodySize": .int(entry.receipt.bodyBytes),
            ],
            "cache": [:], "timings": ["send": 0, "wait": time, "receive": 0],
            "comment": .string(
                "\(entry.operation ?? "no operation"), end: \(entry.durationMicroseconds == nil ? "none yet" : entry.receipt.end.rawValue)"),
        ]
    }

    private static func headers(_ headers: [JournalEntry.Header]) -> JSON {
        .array(headers.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    private static func queryItems(_ query: String?) -> JSON {
        .array(
            (query ?? "").split(separator: "&").map { item in
                let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
                return ["name": .string(parts.first ?? ""), "value": .string(parts.count > 1 ? parts[1] : "")]
            })
    }
}
