import BankModel

/// The entries of HTTP archives (HAR 1.2), in the order of time.
struct Archive: Sendable {
    var entries: [RecordedExchange] = []
    var leftOut: [LeftOut: Int] = [:]
    /// Where each of those is: its reason, its file, its number and its JSON path.
    var leftOutAt: [(reason: LeftOut, file: String, number: Int, path: String)] = []
    /// The files that have entries, and the numbers of these.
    var spans: [(file: String, numbers: ClosedRange<Int>)] = []
    /// The programs that recorded, such as `WebInspector 537.36`.
    var recorders: [String] = []
    /// What could not be read inside entries that are checked all the same.
    var notes: [String] = []

    /// The most entries of all files together.
    static let mostEntries = 100_000
}

/// Reads HAR 1.2 files as browsers and proxies write them: whatever a recorder leaves out is missing, and only a file that is not a HAR
/// is an error.
struct ArchiveReader {
    private var archive = Archive()
    private var count = 0
    private var seen: Set<[String]> = []
    private let notes = ImportNotes()

    /// The times that an entry can have, 1970 to 2200: far from the ends of those that a clock can count.
    private static let years = Instant(seconds: 0)...Instant(seconds: 7_258_118_400)

    /// - Throws: ``ComplaintsError`` if a file is not JSON or no HAR, or if there are more than ``Archive/mostEntries`` entries.
    static func read(_ files: [ImportFile]) throws(ComplaintsError) -> Archive {
        var reader = ArchiveReader()
        for file in files { reader.read(file) }
        guard reader.notes.complaints.errors.isEmpty else { throw ComplaintsError(reader.notes.complaints.errors) }
        reader.archive.entries.sort { ($0.started, $0.number) < ($1.started, $1.number) }
        return reader.archive
    }

    private mutating func read(_ file: ImportFile) {
        guard let root = notes.json(file) else { return }
        guard let entries = root["log"]?["entries"], entries.json.array != nil else {
            notes.complaints.add(
                found: "no `log.entries`",
                expected: "a HAR file, an object with `log` and its list `entries`" + OtherFile.remark(on: root.json),
                at: SourcePosition(file: file.path))
            return
        }
        let creator = root["log"]?["creator"]
        let name = creator?["name"]?.json.string ?? "unknown recorder"
        let recorder = [name, creator?["version"]?.json.string].compactMap(\.self).joined(separator: " ").shortened(to: 80)
        if !archive.recorders.contains(recorder) { archive.recorders.append(recorder) }
        let pieces = entries.elements
        guard count + pieces.count <= Archive.mostEntries else {
            notes.complaints.add(
                found: "\(count + pieces.count) entries", expected: "at most \(Archive.mostEntries) in all files together",
                at: SourcePosition(file: file.path))
            return
        }
        if !pieces.isEmpty { archive.spans.append((file.path, count + 1...count + pieces.count)) }
        var found: [RecordedExchange] = []
        for piece in pieces {
            count += 1
            guard let entry = entry(piece, numbersConnections: name == "WebInspector") else {
                leaveOut(piece, .unreadable)
                continue
            }
            if let reason = reason(against: entry, piece) { leaveOut(piece, reason) } else { found.append(entry) }
        }
        if ArchiveReader.countsSeconds(pieces) {
            for index in found.indices { found[index].duration = nil }
            archive.notes.append("\(file.path): its times are whole seconds, so no request is known to follow another")
        }
        archive.entries += ArchiveReader.tabs(found, pagesAreTabs: name == "Playwright")
    }

    /// Whether the recorder writes times in whole seconds only, which are up to a second before the request.
    private static func countsSeconds(_ pieces: [LocatedJSON]) -> Bool {
        let times = pieces.compactMap { $0["startedDateTime"]?.json.string }
        return times.count > 1 && !times.contains { $0.utf8.contains(UInt8(ascii: ".")) || $0.utf8.contains(UInt8(ascii: ",")) }
    }

    private mutating func leaveOut(_ piece: LocatedJSON, _ reason: LeftOut) {
        archive.leftOut[reason, default: 0] += 1
        archive.leftOutAt.append((reason, piece.file, count, piece.path))
    }

    /// Names the tab in place of the page: each page of Playwright is a tab. Of other recorders each navigation begins a page, so pages
    /// of which one begins after the other has ended are one tab.
    private static func tabs(_ entries: [RecordedExchange], pagesAreTabs: Bool) -> [RecordedExchange] {
        guard !pagesAreTabs else { return entries }
        var spans: [String: (first: Instant, last: Instant)] = [:]
        for entry in entries {
            guard let page = entry.page else { continue }
            let span = spans[page] ?? (entry.started, entry.started)
            spans[page] = (min(span.first, entry.started), max(span.last, entry.started))
        }
        var tabs: [(name: String, last: Instant)] = []
        var names: [String: String] = [:]
        for (page, span) in spans.sorted(by: { ($0.value.first, $0.key) < ($1.value.first, $1.key) }) {
            if let index = tabs.lastIndex(where: { $0.last < span.first }) {
                tabs[index].last = span.last
                names[page] = tabs[index].name
            } else {
                tabs.append((page, span.last))
                names[page] = page
            }
        }
        return entries.map { entry in
            var entry = entry
            entry.pageLoad = entry.page
            entry.page = entry.page.flatMap { names[$0] }
            return entry
        }
    }

    // MARK: one entry

    /// - Parameter numbersConnections: whether `connection` is one, as in Chromium's own files. Firefox writes the port.
    private mutating func entry(_ piece: LocatedJSON, numbersConnections: Bool) -> RecordedExchange? {
        guard let request = piece["request"], let method = request["method"]?.json.string,
            let url = request["url"]?.json.string.flatMap(RecordedURL.init),
            let started = piece["startedDateTime"]?.json.string.flatMap(Instant.init(rfc3339:)), ArchiveReader.years.contains(started)
        else { return nil }
        let response = piece["response"]
        let status = response?["status"]?.json.int.map { Int(clamping: $0) }.flatMap { (100...999).contains($0) ? $0 : nil }
        let failure = [response?["_error"], response?["_failureText"], piece["_error"], request["_failureText"]]
            .lazy.compactMap { $0?.json.string }.first { !$0.isEmpty }
        let requestHeaders = headers(request, body: request["postData"])
        let responseHeaders = response.map { headers($0, body: $0["content"]) } ?? []
        return RecordedExchange(
            number: count, file: piece.file, page: piece["pageref"]?.json.string, started: started, duration: duration(piece),
            method: method.uppercased(), url: url,
            httpVersion: (response?["httpVersion"]?.json.string ?? request["httpVersion"]?.json.string ?? "").lowercased(),
            requestHeaders: requestHeaders, requestBody: requestBody(request, requestHeaders), status: status,
            responseHeaders: responseHeaders,
            responseBody: responseBody(response, responseHeaders), failure: failure, resource: resource(piece, requestHeaders),
            connection: numbersConnections ? piece["connection"]?.json.string : nil, path: piece.path)
    }

    /// The header lines without the pseudo-header fields of HTTP/2 (RFC 9113 §8.3), which repeat method and URL. Where none states the media
    /// type, that of the body does: some recorders write it there only.
    private func headers(_ message: LocatedJSON, body: LocatedJSON?) -> [JournalEntry.Header] {
        let headers = (message["headers"]?.json.array ?? []).compactMap { line -> JournalEntry.Header? in
            guard let name = line["name"]?.string, !name.isEmpty, !name.hasPrefix(":") else { return nil }
            return JournalEntry.Header(name, line["value"]?.string ?? "")
        }
        // Browsers write `x-unknown` for a body without a type.
        guard let type = body?["mimeType"]?.json.string, type.contains("/"), headers.value(of: "content-type") == nil else {
            return headers
        }
        return headers + [JournalEntry.Header("Content-Type", type)]
    }

    /// In microseconds. Starts are written in whole milliseconds, so an end is up to 2 ms later than the difference shows.
    private func duration(_ piece: LocatedJSON) -> Int64? {
        let phases = (piece["timings"]?.json.object?.members ?? []).filter { !$0.key.hasPrefix("_") && $0.key != "ssl" }
        let total = phases.compactMap { $0.value.number?.double }.filter { $0 > 0 }.reduce(0, +)
        let stated = piece["time"]?.json.number?.double ?? -1
        let milliseconds = stated >= 0 ? stated : total
        guard milliseconds.isFinite, milliseconds >= 0, milliseconds < 1e9, stated >= 0 || total > 0 else { return nil }
        return Int64(milliseconds * 1000) + 2000
    }

    private func resource(_ piece: LocatedJSON, _ headers: [JournalEntry.Header]) -> String? {
        piece["_resourceType"]?.json.string?.lowercased()
            ?? headers.first { $0.name.lowercased() == "sec-fetch-dest" && $0.value != "empty" }?.value.lowercased()
    }

    // MARK: bodies

    private mutating func requestBody(_ request: LocatedJSON, _ headers: [JournalEntry.Header]) -> RecordedBody {
        let stated = stated(request["bodySize"], headers)
        guard let data = request["postData"] else { return stated.map { .missing(count: $0) } ?? .bytes([]) }
        if let text = data["text"]?.json.string, !text.isEmpty { return body(text, data["encoding"], stated, of: data) }
        let parameters = data["params"]?.json.array ?? []
        let pairs = parameters.compactMap { pair in
            pair["fileName"] == nil ? pair["name"]?.string.map { (name: $0, value: pair["value"]?.string ?? "") } : nil
        }
        let isForm = data["mimeType"]?.json.string?.lowercased().contains("x-www-form-urlencoded") ?? false
        if isForm, !pairs.isEmpty, pairs.count == parameters.count { return .bytes(Array(formEncoded(pairs).utf8)) }
        return stated != nil || !parameters.isEmpty ? .missing(count: stated) : .bytes([])
    }

    private mutating func responseBody(_ response: LocatedJSON?, _ headers: [JournalEntry.Header]) -> RecordedBody {
        guard let response, let content = response["content"] else { return .bytes([]) }
        let size = stated(content["size"], headers)
        if let text = content["text"]?.json.string, !text.isEmpty { return body(text, content["encoding"], size, of: content) }
        return size.map { .missing(count: $0) } ?? .bytes([])
    }

    /// The stated length of a body; nil if there is none.
    private func stated(_ size: LocatedJSON?, _ headers: [JournalEntry.Header]) -> Int? {
        if let size = size?.json.int, size >= 0 { return size == 0 ? nil : Int(clamping: size) }
        return headers.value(of: "content-length").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    private mutating func body(_ text: String, _ encoding: LocatedJSON?, _ size: Int?, of piece: LocatedJSON) -> RecordedBody {
        if encoding?.json.string?.lowercased() == "base64" {
            if let bytes = Base64.decoded(text) { return .bytes(bytes) }
            if archive.notes.count < 20 {
                archive.notes.append("\(piece.file): \(piece.path): found broken base 64, so this body is missing")
            }
            return .missing(count: size)
        }
        // Bytes that are not UTF-8 were lost: two bodies that look equal may not be.
        return text.unicodeScalars.contains("\u{FFFD}") ? .missing(count: size ?? text.utf8.count) : .bytes(Array(text.utf8))
    }

    // MARK: what is not checked

    private mutating func reason(against entry: RecordedExchange, _ piece: LocatedJSON) -> LeftOut? {
        let name = [
            entry.started.rfc3339(.nanoseconds), piece["time"]?.json.text ?? "", entry.method, entry.url.scheme, entry.url.host,
            entry.url.path, entry.url.query ?? "", String(entry.status ?? 0), entry.header("authorization") ?? "",
        ]
        guard seen.insert(name).inserted else { return .duplicate }
        // The opening of a WebSocket that fails has another status, and the token in the same place.
        let isOpening = entry.header("sec-websocket-key") != nil
        if ["ws", "wss"].contains(entry.url.scheme) || entry.status == 101 || isOpening || entry.resource == "websocket" {
            return .webSocket
        }
        if entry.method == "CONNECT" { return .tunnel }
        if entry.method == "OPTIONS" || entry.resource == "preflight" { return .preflight }
        let fetched = [piece["_fetchedViaServiceWorker"], piece["response"]?["_fetchedViaServiceWorker"]]
        if piece["_fromCache"] != nil || fetched.contains(where: { $0?.json == true }) { return .cached }
        // So Safari names it; all else it calls `Network Load`.
        if let fetch = piece["_fetchType"]?.json.string, fetch != "Network Load" { return .cached }
        if let purpose = entry.header("sec-purpose") ?? entry.header("purpose"), purpose.lowercased().contains("prefetch") {
            return .prefetch
        }
        if entry.responseHeader("non-authoritative-reason") != nil { return .internalRedirect }
        if entry.status == nil, let failure = entry.failure, ArchiveReader.neverSent.contains(where: { failure.uppercased().contains($0) })
        {
            return .neverSent
        }
        let isLoaded = entry.resource.map { ArchiveReader.resources.contains($0) || ($0 == "document" && entry.method == "GET") } ?? false
        return isLoaded && entry.header("authorization") == nil ? .resource : nil
    }

    /// Parts of the names of failures after which nothing can have reached the bank.
    private static let neverSent = [
        "ERR_BLOCKED_BY", "ERR_INTERNET_DISCONNECTED", "NAME_NOT_RESOLVED", "UNKNOWN_HOST", "CONNECTION_REFUSED", "ADDRESS_UNREACHABLE",
        "ERR_PROXY_", "ERR_TUNNEL_", "ERR_CERT_", "ERR_SSL_", "ERR_CONNECTION_TIMED_OUT", "ERR_NETWORK_ACCESS_DENIED", "NS_ERROR_OFFLINE",
    ]

    private static let resources: Set<String> = [
        "stylesheet", "style", "script", "image", "font", "media", "audio", "video", "track", "texttrack", "manifest", "worker",
        "serviceworker", "sharedworker", "iframe", "frame", "ping", "report", "csp-report", "cspviolationreport", "signedexchange",
    ]
}
