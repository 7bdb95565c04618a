import BankEngine
import BankModel
import Platform

/// A journal as a HAR 1.2 file, which browsers and proxies can open.
struct HTTPArchive<Entries: RandomAccessCollection<JournalEntry> & Sendable>: Sendable where Entries.Index == Int {
    private let entries: Entries
    private let version: String
    /// The session's base URL: the paths of entries lack its prefix.
    private let baseURL: String

    /// - Parameter entries: those with a request.
    init(_ entries: Entries, baseURL: String, version: String) {
        self.entries = entries
        self.baseURL = baseURL
        self.version = version
    }

    /// The file's text, in pieces.
    var pieces: AnySequence<[UInt8]> {
        let creator: JSON = ["name": "counterfoil", "version": .string(version)]
        let head = Array("{\"log\":{\"version\":\"1.2\",\"creator\":".utf8) + creator.bytes + Array(",\"entries\":".utf8)
        let list = entryPieces(entries) { [entry($0)] }
        return AnySequence([AnySequence([head]), list, AnySequence([Array("}}".utf8)])].joined())
    }

    private func entry(_ entry: JournalEntry) -> JSON {
        let time = JSON.int((entry.durationMicroseconds ?? 0) / 1000)
        return [
            "startedDateTime": .string(entry.at.rfc3339(.milliseconds)), "time": time,
            "request": request(entry), "response": response(entry),
            "cache": [:], "timings": ["send": 0, "wait": time, "receive": 0],
            "comment": .string(
                "\(entry.operation ?? "no operation"), end: \(entry.durationMicroseconds == nil ? "none yet" : entry.receipt.end.rawValue)"),
        ]
    }

    private func request(_ entry: JournalEntry) -> JSON {
        let query = entry.query.map { "?\($0)" } ?? ""
        var request = JSONObject([
            ("method", .string(entry.method ?? "")), ("url", .string("\(baseURL)\(entry.path)\(query)")),
            ("httpVersion", HTTPArchive.version(of: entry)), ("cookies", []), ("headers", HTTPArchive.headers(entry.requestHeaders)),
            ("queryString", HTTPArchive.queryItems(entry.query)), ("headersSize", -1), ("bodySize", .int(entry.bodyBytes)),
        ])
        if entry.bodyBytes > 0 {
            request["postData"] = [
                "mimeType": HTTPArchive.value("content-type", in: entry.requestHeaders),
                "text": .string(String(decoding: entry.requestBody, as: UTF8.self)),
            ]
        }
        return .object(request)
    }

    private func response(_ entry: JournalEntry) -> JSON {
        [
            "status": .int(entry.status ?? 0), "statusText": "", "httpVersion": HTTPArchive.version(of: entry), "cookies": [],
            "headers": HTTPArchive.headers(entry.responseHeaders), "content": HTTPArchive.content(entry),
            "redirectURL": HTTPArchive.value("location", in: entry.responseHeaders),
            "headersSize": .int(entry.receipt.headBytes), "bodySize": .int(entry.receipt.bodyBytes),
        ]
    }

    /// The response's body: as text, or in base 64 if it is none, such as an image.
    private static func content(_ entry: JournalEntry) -> JSON {
        var content = JSONObject([
            ("size", .int(entry.receipt.bodyBytes)), ("mimeType", value("content-type", in: entry.responseHeaders)),
        ])
        if let text = text(entry.responseBody) {
            content["text"] = .string(text)
        } else {
            content["text"] = .string(Base64.encoded(entry.responseBody))
            content["encoding"] = "base64"
        }
        return .object(content)
    }

    /// The body as text; nil if it is not UTF-8.
    private static func text(_ body: [UInt8]) -> String? {
        // The limit of the journal may cut a character of up to four bytes.
        let cuts = body.count < JournalEntry.storedBodyBytes ? 0...0 : 0...3
        return cuts.lazy.compactMap { String(validUTF8: body.dropLast($0)) }.first
    }

    private static func version(of entry: JournalEntry) -> JSON {
        switch entry.wireProtocol {
        case .h1, .h1s: "HTTP/1.1"
        case .h2: "HTTP/2"
        }
    }

    /// The value of the first header with that name; empty without one.
    private static func value(_ name: String, in headers: [JournalEntry.Header]) -> JSON {
        .string(headers.value(of: name) ?? "")
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
