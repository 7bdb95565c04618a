import BankCore
import BankModel

extension TrafficLearner {
    /// Each different request of the call gets the response that was recorded.
    mutating func learnCanned(_ call: [LearnedExchange]) {
        for requests in TrafficLearner.groups(call, by: \.address) {
            let answered = requests.filter { $0.isSuccess || $0.status < 400 }
            let rejected = requests.filter { $0.status >= 400 && !dialect.answers($0) }
            let bodies = TrafficLearner.groups(answered + rejected) { String(decoding: $0.exchange.requestBody.bytes, as: UTF8.self) }
            if bodies.count > 1, let write = requests.first(where: \.isWrite) {
                note(
                    .narrower, write,
                    "\(bodies.count) different bodies were sent to this address; each gets its recorded response, and another body gets not-found"
                )
            }
            for same in bodies {
                let kept = same.first { $0.status < 400 } ?? same[0]
                let others = same.filter { $0.status != kept.status || $0.exchange.responseBody != kept.exchange.responseBody }
                if let other = others.first {
                    let numbers = others.map { String($0.number) }.joined(separator: ", ")
                    note(
                        .approximate, other,
                        "the response differs from that of exchange \(kept.number), also in exchange \(numbers), and no relation to a write was found; "
                            + "the bank sends that of exchange \(kept.number)")
                }
                var operation = exact(kept, among: same)
                if bodies.count > 1, kept.isWrite { demandBody(kept, &operation) }
                let body = kept.exchange.responseBody.bytes
                operation.response = body.isEmpty ? .none : .file(body, contentType: kept.contentType)
                setHeaders(&operation)
                noteLink([kept], "because it leads to the recorded host")
                if kept.hasKey, kept.isSuccess { operation.details["key"] = "dialect" }
                add(operation)
            }
        }
    }

    /// An operation for exactly this address.
    private func exact(_ exchange: LearnedExchange, among exchanges: [LearnedExchange]) -> LearnedOperation {
        var operation = LearnedOperation(exchange, among: exchanges)
        for (index, part) in exchange.path.parts.enumerated() {
            guard case .parameter(let name) = part else { continue }
            let segment = exchange.segments[index]
            let isPlain = segment.utf8.allSatisfy { byte in
                "-._~:@!$'()*,;".utf8.contains(byte) || Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
                    || byte >= 0x30 && byte <= 0x39
            }
            if isPlain { operation.path.parts[index] = .literal(segment) } else { operation.when["path", name] = .string(segment) }
        }
        for field in exchange.query { operation.when["query", field.name] = .string(field.value) }
        return operation
    }

    /// Demands the recorded body, whatever its secrets are.
    private func demandBody(_ exchange: LearnedExchange, _ operation: inout LearnedOperation) {
        let text = String(decoding: exchange.exchange.requestBody.bytes, as: UTF8.self)
        let hasSecret = text.contains(SecretFields.mark)
        if exchange.isForm {
            for field in exchange.fields where field.value != SecretFields.mark {
                operation.when["form", field.name] = .string(field.value)
            }
        } else if let json = exchange.requestJSON {
            guard hasSecret else {
                operation.when["json"] = json
                return
            }
            for (name, value) in json.object?.members ?? [] where !value.text.contains(SecretFields.mark) {
                if name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) {
                    operation.when["body", name] = ["is": value]
                }
            }
        } else if !text.isEmpty {
            let like: JSON = ["like": .string(text.replacing(SecretFields.mark, with: "*"))]
            operation.when["text"] = hasSecret ? like : JSON.string(text)
        }
    }

    // MARK: notes

    func note(_ effect: ImportWarning.Effect, _ exchange: LearnedExchange, _ reason: String) {
        notes.warn(effect, exchange.located, reason)
    }

    private static let ownHeaders: Set<String> = [
        "date", "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "server", "via", "alt-svc", "age",
        "vary", "trailer", "upgrade", "strict-transport-security",
        "last-modified", "traceparent", "x-amzn-trace-id", "cf-ray",
    ]
    /// Headers with an id of the response.
    static let requestIDs: Set<String> = ["x-request-id", "request-id", "x-correlation-id", "x-trace-id", "x-amzn-requestid"]

    /// Keeps the headers that all responses of the operation have.
    func setHeaders(_ operation: inout LearnedOperation) {
        guard let first = operation.exchanges.first(where: { $0.status == operation.status }) else { return }
        let same = operation.exchanges.filter { $0.status == operation.status }
        var members: [(key: String, value: JSON)] = []
        for header in first.exchange.responseHeaders {
            let name = header.name
            if TrafficLearner.ownHeaders.contains(name.lowercased()) || TrafficLearner.requestIDs.contains(name.lowercased()) {
                continue
            }
            let isFixed = same.allSatisfy { other in
                other.exchange.responseHeaders.contains { $0.name.isHeaderName(name) && $0.value == header.value }
            }
            guard isFixed, name.lowercased() != "link" || !header.value.contains("rel=") else { continue }
            if name.isHeaderName("etag") {
                if operation.method == "GET" { operation.details["etag"] = true }
                continue
            }
            if let known = members.firstIndex(where: { $0.key.isHeaderName(name) }) {
                members[known].value = .array((members[known].value.array ?? []) + [.string(header.value)])
            } else {
                members.append((name, [.string(header.value)]))
            }
        }
        var response = StubResponse()
        response.readHeaders(first.located.holding(.object(JSONObject(members))), notes)
        operation.headers = response.headers.compactMap { header in
            header.name.isHeaderName("content-type") ? nil : header.value.string.map { (header.name, $0) }
        }
    }

    /// Lists calls that are no operation, because the bank's own errors are all that was recorded of them.
    func noteLost(_ calls: [[LearnedExchange]]) {
        let known = Set(operations.flatMap { [$0.requestLine] + $0.exchanges.map(\.call) })
        for call in calls where !known.contains(call[0].call) && call.contains(where: { $0.status != 404 }) {
            let statuses = distinct(call.map { String($0.status) }).joined(separator: ", ")
            note(.leftOut, call[0], "only \(statuses) was recorded, which does not show what the operation does, so the bank has none")
        }
    }

    /// Lists the fields of queries by which a list knows rows for the recorded values alone.
    func noteRecordedValues(of list: LearnedList, _ first: LearnedExchange) {
        let names = list.filters.filter { $0.field == "_\($0.query)" }.map { "`\($0.query)`" }
        guard !names.isEmpty else { return }
        let fields = names.joined(separator: ", ")
        note(.narrower, first, "nothing in the rows shows how \(fields) chooses them: the list is empty for a value that was not recorded")
    }

    /// Lists the fields of queries that choose nothing.
    func noteClocks(_ calls: [[LearnedExchange]]) {
        for call in calls {
            guard let timed = call.first(where: { !$0.clocks.isEmpty }) else { continue }
            let names = timed.clocks.sorted().map { "`\($0)`" }.joined(separator: ", ")
            note(.wider, timed, "\(names) in the query is the time of the request, and any value gets the same response")
        }
    }

    /// Lists the header that names other pages or resources (RFC 8288), where the bank has none.
    func noteLink(_ exchanges: [LearnedExchange], _ reason: String) {
        guard let linked = exchanges.first(where: { $0.header("link")?.contains("rel=") ?? false }) else { return }
        note(.ignored, linked, "the header Link is not sent, \(reason)")
    }

    func noteWhitespace(_ operation: LearnedOperation) {
        guard let odd = operation.exchanges.first(where: { $0.isSuccess && $0.json != nil && !$0.has(jsonLayout) }) else { return }
        note(.approximate, odd, "rows are sent with other white space or without optional escapes; the values are the same")
    }

    /// Lists responses that changed after a write, where neither a movement nor a new row explains why.
    func noteChanges(_ reads: [[LearnedExchange]]) {
        let cursors = lists.values.compactMap { $0.paging?.member?.last }
        let explanation = Explanation(tables: tables, newRows: newRows, cursors: Set(cursors))
        for call in reads {
            for same in TrafficLearner.groups(call.filter { $0.isSuccess }, by: { "\($0.address) \(customer($0))" }) {
                guard let changed = same.first(where: { $0.era > same[0].era && !isExplained($0, since: same[0], by: explanation) }) else {
                    continue
                }
                let writes = exchanges.filter { $0.isWrite && $0.isSuccess && $0.number > same[0].number && $0.number < changed.number }
                note(
                    .approximate, changed,
                    "the response differs from that of exchange \(same[0].number) after \(writes.first?.call ?? "a write") in exchange "
                        + "\(writes.map { String($0.number) }.joined(separator: ", ")), and no relation was found; the bank sends the first response"
                )
            }
        }
    }

    private func isExplained(_ later: LearnedExchange, since first: LearnedExchange, by explanation: Explanation) -> Bool {
        guard later.exchange.responseBody != first.exchange.responseBody else { return true }
        guard let before = first.json, let after = later.json else { return false }
        if let table = tables.first(where: { $0.key == "_key" && $0.path == later.path }), let old = before.object, let new = after.object {
            return explanation.isSame(old, new, held: Set(table.holds?.amounts ?? []))
        }
        return explanation.holds(before, after)
    }
}

extension JSONLayout {
    /// The white space that most of the successful JSON responses have; none if no response decides it.
    init(of exchanges: [LearnedExchange]) {
        let bodies = exchanges.filter(\.isSuccess)
        let counts = JSONLayout.allCases.map { layout in (layout: layout, count: bodies.count { $0.has(layout) }) }
        self = counts.reduce((layout: .compact, count: 0)) { $1.count > $0.count ? $1 : $0 }.layout
    }
}

extension LearnedExchange {
    /// Whether the response is what the bank would write with that white space.
    fileprivate func has(_ layout: JSONLayout) -> Bool { json.map { $0.bytes(layout) == exchange.responseBody.bytes } ?? false }

    /// The exchange in a report.
    var located: LocatedJSON { exchange.located(call) }
}
