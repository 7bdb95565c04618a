import BankModel
import Contracts
import Crypto

/// The requests of an archive as a bank's journal would have them, for each client by itself.
struct ArchiveJournal {
    /// The requests of one tab, or of one program.
    struct Client {
        /// The tab or program; nil if all requests of the file are of one.
        var name: String?
        var file: String
        /// Whether it is a tab of a browser, and no program that may run on several devices.
        var isTab = false
        var journal: [JournalEntry] = []

        /// Whether one client has sent all its requests. Two customers whose requests alternate have two devices with one program, which a
        /// proxy recorded.
        var isOne: Bool {
            guard !isTab else { return true }
            let customers = journal.compactMap(\.customer)
            let changes = zip(customers, customers.dropFirst()).count { $0 != $1 }
            return changes < max(1, Set(customers).count)
        }
    }

    private(set) var clients: [Client] = []
    let facts: APIFacts
    let recorder: Recorder
    /// The entries that are checked, by their numbers.
    private(set) var entries: [Int: RecordedExchange] = [:]
    /// The client of each entry, by its index.
    private(set) var owners: [Int: Int] = [:]
    /// The entries that the bank accepted with each access token, and with each refresh token, by their numbers.
    private(set) var accepted: [String: [Int]] = [:]
    private(set) var acceptedRefreshes: [String: [Int]] = [:]
    /// Whether a request has an access token.
    private(set) var hasToken = false
    /// The entries whose responses brought each access token, by the token's label.
    private(set) var givers: [String: [Int]] = [:]
    /// The number of the first entry whose response gave an address, by its path and query.
    private(set) var addressesGiven: [String: Int] = [:]
    private(set) var signIns: [RecordedExchange] = []
    /// The sign-ins and refreshes whose response's body is missing.
    private(set) var blindSignIns: [RecordedExchange] = []
    private(set) var leftOut: [LeftOut: Int]
    let labels: TokenLabels
    private var customers: [String: String] = [:]
    private var connections: [[String]: Int] = [:]

    /// Who recorded the requests.
    enum Recorder {
        /// The writer of a HAR file.
        case file
        /// A proxy, which saw connections and deliveries itself.
        case proxy

        /// As a subject of sentences.
        var title: String { self == .file ? "the HAR" : "the proxy" }

        /// What a user can do about a body that is missing.
        var bodyAdvice: String {
            self == .file ? "record with bodies" : "the proxy keeps bodies of up to 1 MiB in gzip, deflate or no coding"
        }
    }

    init(_ archive: Archive, _ description: APIDescription, recorder: Recorder = .file) {
        self.recorder = recorder
        facts = APIFacts(description, archive.entries)
        labels = TokenLabels(archive.entries.filter(facts.isOfAPI), facts)
        leftOut = archive.leftOut
        let kept = ArchiveJournal.kept(archive.entries, facts)
        let left = archive.entries.count - kept.count
        if left > 0 { leftOut[.otherHost] = left }
        findCustomers(kept)
        var positions: [[String?]: Int] = [:]
        for entry in kept {
            let name = [entry.file, entry.page, entry.page == nil ? entry.header("user-agent") : nil]
            let position = positions[name] ?? clients.count
            if positions.updateValue(position, forKey: name) == nil {
                clients.append(Client(name: entry.page, file: entry.file, isTab: entry.page != nil))
            }
            entries[entry.number] = entry
            owners[entry.number] = position
            noteTokens(entry)
            clients[position].journal.append(journalEntry(entry))
        }
        for file in Set(clients.map(\.file)) {
            let own = clients.indices.filter { clients[$0].file == file }
            for (number, index) in own.enumerated() { clients[index].name = own.count == 1 ? nil : "client \(number + 1)" }
        }
    }

    /// Notes what doubts about tokens look for.
    private mutating func noteTokens(_ entry: RecordedExchange) {
        for address in entry.addressesGiven where addressesGiven[address] == nil { addressesGiven[address] = entry.number }
        if facts.role(of: entry) == .login { signIns.append(entry) }
        let token = facts.token(of: entry)
        if token != nil { hasToken = true }
        if entry.isAccepted {
            if let token { accepted[token, default: []].append(entry.number) }
            if let token = entry.field(["refreshtoken"]) { acceptedRefreshes[token, default: []].append(entry.number) }
        }
        if entry.responseBody.isMissing, [.login, .refresh].contains(facts.role(of: entry)) { blindSignIns.append(entry) }
    }

    /// The requests to the API, and those to which one of them was redirected.
    private static func kept(_ entries: [RecordedExchange], _ facts: APIFacts) -> [RecordedExchange] {
        var targets: Set<String> = []
        return entries.filter { entry in
            let isKept = facts.isOfAPI(entry) || targets.contains(entry.url.host + entry.url.path)
            if isKept, let status = entry.status, (300...399).contains(status),
                let target = entry.responseHeader("location").flatMap(RecordedURL.init)
            {
                targets.insert(target.host + target.path)
            }
            return isKept
        }
    }

    // MARK: customers

    /// Finds whose each token is: the sign-in that brought it names its customer, and a refresh keeps him.
    private mutating func findCustomers(_ entries: [RecordedExchange]) {
        var names: [String: String] = [:]
        for entry in entries {
            guard let role = facts.role(of: entry), role == .login || role == .refresh else { continue }
            var owner = entry.field(["refreshtoken"]).flatMap(labels.label).flatMap { customers[$0] }
            if role == .login, let name = facts.customer(of: entry) {
                owner = names[name] ?? "customer \(names.count + 1)"
                names[name] = owner
            }
            guard let owner else { continue }
            customers["entry \(entry.number)"] = owner
            let response = String(decoding: labels.body(entry.responseBody.bytes, of: .response), as: UTF8.self)
            for id in JournalEntry.tokens(in: [response]) { customers[id] = owner }
        }
    }

    // MARK: one entry

    private mutating func journalEntry(_ entry: RecordedExchange) -> JournalEntry {
        let path = labels.path(entry.url.path)
        let token = facts.token(of: entry).map { labels.label($0) ?? "unknown" }
        let credential = facts.credential(of: entry)
        let label = token ?? credential.map { $0.isEmpty ? "empty" : "unknown" }
        let known = entry.requestBody.isMissing ? nil : entry.requestBody.bytes
        let responseBytes = labels.body(entry.responseBody.bytes, of: .response)
        if responseBytes.contains(UInt8(ascii: "#")) {
            for id in JournalEntry.tokens(in: [String(decoding: responseBytes, as: UTF8.self)]) {
                givers[id, default: []].append(entry.number)
            }
        }
        let journaled = JournalEntry(
            seq: entry.number, at: entry.started, monoNanoseconds: entry.started.nanoseconds, durationMicroseconds: entry.duration,
            connection: connection(of: entry), wireProtocol: entry.isMultiplexed ? .h2 : entry.url.scheme == "https" ? .h1s : .h1,
            tls: entry.url.scheme == "https" ? "TLS" : nil, host: entry.url.host, method: entry.method, path: path,
            query: entry.url.query.map(labels.query), operation: "\(entry.method) \(path)",
            roles: facts.isOfAPI(entry) ? [facts.role(of: entry)?.rawValue].compactMap(\.self) : [],
            customer: customers["entry \(entry.number)"] ?? label.flatMap { customers[$0] }, token: label,
            key: facts.key(of: entry).map(labels.text),
            bodySHA256: known.map { hexadecimal(Array(SHA256.hash(data: $0))) } ?? "missing \(entry.number)",
            bodyBytes: entry.requestBody.count, status: entry.status, response: response(to: entry)?.rawValue, receipt: receipt(of: entry),
            requestHeaders: requestHeaders(entry, label), requestBody: stored(labels.body(known ?? [], of: .request)),
            responseHeaders: entry.responseHeaders.filter { ["location", "retry-after", "date"].contains($0.name.lowercased()) }.map {
                JournalEntry.Header($0.name, labels.query($0.value))
            }, responseBody: stored(responseBytes))
        return entry.seen.map(journaled.seen) ?? journaled
    }

    /// As much of a body as a journal stores.
    private func stored(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix(JournalEntry.storedBodyBytes)) }

    /// The headers that rules look at, without the token.
    private func requestHeaders(_ entry: RecordedExchange, _ label: String?) -> [JournalEntry.Header] {
        let others = (["Content-Type", "Content-Encoding"] + JournalReport.proxyHeaders).compactMap { name in
            entry.header(name.lowercased()).map { JournalEntry.Header(name, labels.text($0)) }
        }
        guard let label else { return others }
        let value = entry.header("authorization").flatMap { JournalEntry.isWordForNothing($0) ? $0 : nil }
        return [JournalEntry.Header("Authorization", value ?? "Bearer \(label)")] + others
    }

    /// The number of the connection; a new one for a request for which the recorder does not write one.
    private mutating func connection(of entry: RecordedExchange) -> Int {
        let name = entry.connection.map { [entry.file, $0] } ?? [entry.file, "", String(entry.number)]
        if let number = connections[name] { return number }
        connections[name] = connections.count + 1
        return connections.count
    }

    /// The meaning of the response, as far as usual signs show it.
    private func response(to entry: RecordedExchange) -> DialectResponseName? {
        guard let status = entry.status else { return nil }
        let challenge = entry.responseHeader("www-authenticate") ?? ""
        let text = String(decoding: entry.responseBody.bytes.prefix(JournalEntry.storedBodyBytes), as: UTF8.self).lowercased()
        let isAboutKey = text.contains("idempoten")
        if facts.token(of: entry) != nil, facts.rejectsToken(entry) { return .tokenRejected }
        switch status {
        case 400: return .badRequest
        // The app's own credentials, or a bound token, are no lost token.
        case 401:
            let isBare = facts.credential(of: entry) == nil && entry.header("authorization") == nil
            return isBare && facts.role(of: entry) == nil ? .noCredentials : nil
        case 403: return challenge.contains("insufficient_scope") ? .scopeRefused : nil
        case 409 where isAboutKey && ["progress", "flight", "concurren", "processed"].contains(where: text.contains): return .keyInFlight
        // The draft's §2.7 has 422 for another payment's key, and 409 for one in use. Of other words nothing is known.
        case 409 where isAboutKey: return ["match", "differ"].contains(where: text.contains) ? .keyMismatch : nil
        case 422: return isAboutKey ? .keyMismatch : nil
        case 429: return .rateLimited
        default: return nil
        }
    }

    /// The delivery as far as the archive shows it: the lengths are of the text that it has, not of bytes that were counted.
    private func receipt(of entry: RecordedExchange) -> Receipt {
        guard entry.status != nil else { return Receipt(end: entry.isAborted ? .clientGone : .rst) }
        let head = entry.responseHeaders.reduce(19) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        let body = entry.responseBody.isMissing && entry.responseBody.count == 1 ? 0 : entry.responseBody.count
        let end: Receipt.End = entry.failure != nil ? .rst : entry.isUnreadable ? .clientGone : .kept
        return Receipt(headBytes: head, bodyBytes: body, end: end)
    }
}

extension RecordedExchange {
    /// Whether several exchanges share the connection at a time.
    fileprivate var isMultiplexed: Bool { ["2", "h2", "3", "h3", "quic"].contains { httpVersion.contains($0) } }

    /// Whether the client itself ended the request.
    var isAborted: Bool { failure.map { $0.uppercased().contains("ABORT") || $0.lowercased().contains("cancel") } ?? false }

    /// Whether a page of another origin sent it.
    var isCrossOrigin: Bool {
        if let site = header("sec-fetch-site") { return site == "cross-site" || site == "same-site" }
        guard let origin = header("origin"), origin.contains("://") else { return false }
        return RecordedURL(origin).map { $0.host != url.host || $0.scheme != url.scheme } ?? true
    }

    /// Whether the browser keeps the response from the page (Fetch standard §3.3.5). A redirect it follows by itself.
    var isUnreadable: Bool {
        guard isCrossOrigin, let origin = header("origin"), let status, !(300...399).contains(status) else { return false }
        guard let allowed = responseHeader("access-control-allow-origin") else { return true }
        // With cookies `*` is no wildcard, and the bank must allow them, too (Fetch standard §4.10, CORS check).
        let hasCookie = header("cookie") != nil
        if allowed == "*", !hasCookie { return false }
        return allowed != origin || (hasCookie && responseHeader("access-control-allow-credentials") != "true")
    }
}

extension JournalEntry {
    /// The entry with what a proxy saw of its times, connection and delivery.
    fileprivate func seen(_ seen: JournalEntry) -> JournalEntry {
        var entry = self
        entry.monoNanoseconds = seen.monoNanoseconds
        entry.connection = seen.connection
        entry.requestOnConnection = seen.requestOnConnection
        entry.wireProtocol = seen.wireProtocol
        entry.tls = seen.tls
        entry.fault = seen.fault
        entry.faults = seen.faults
        entry.receipt = seen.receipt
        return entry
    }
}
