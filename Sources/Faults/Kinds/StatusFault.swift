package import BankModel

/// Another reply in place of the bank's: a status, headers, a body (as JSON or text, or any bytes as `body_hex`).
///
/// Nothing is executed.
package struct StatusFault: ExchangeFault {
    package static let kind = "status"
    package static let about = "another reply; `body_hex` for bytes that are not text; `retry_after` also as `{http-date: 2}`"
    package static let example = #"{"status": 503, "headers": {"X-Why": "test"}, "body": {"a": 1}, "retry_after": 2}"#
    package let point = FaultPoint.request

    let reply: CustomReply

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let status = fields.required("status")?.int(in: 200...599, complaints)
        let retryAfter = fields["retry_after"].flatMap { RetryAfter($0, complaints) }
        var headers: [JournalEntry.Header] = []
        if let node = fields["headers"] {
            for (name, keyNode, value) in Fields(node, of: "headers", complaints).all {
                guard let header = JournalEntry.Header(checking: name, value.scalar ?? "", at: keyNode.place, complaints) else { continue }
                headers.append(header)
            }
        }
        let text = fields["body"]
        let digits = fields["body_hex"]
        if let digits, text != nil {
            complaints.add(found: "`body` and `body_hex`", expected: "one of them", at: digits.place)
        }
        let body =
            text.map { $0.scalar.map { Array($0.utf8) } ?? $0.json.bytes } ?? digits.flatMap { StatusFault.bytes(ofDigits: $0, complaints) }
        guard let status else { return nil }
        if body != nil, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            let isJSON = text.map { $0.scalar == nil } ?? true
            headers.append(JournalEntry.Header("Content-Type", isJSON ? "application/json" : "text/plain; charset=utf-8"))
        }
        reply = CustomReply(status: status, headers: headers, body: body ?? [], retryAfter: retryAfter)
    }

    /// The bytes of a body that is no text.
    private static func bytes(ofDigits node: Node, _ complaints: Complaints) -> [UInt8]? {
        guard let bytes = node.scalar.flatMap({ BankModel.bytes(hexadecimal: $0) }) else {
            return node.wrong(complaints, "bytes as hexadecimal digits, two each")
        }
        return bytes
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.answer(.custom(reply)) }

    package var settings: JSON {
        var object = JSONObject([("status", .int(reply.status))])
        if !reply.headers.isEmpty { object["headers"] = .object(JSONObject(reply.headers.map { ($0.name, .string($0.value)) })) }
        if let text = String(validating: reply.body, as: UTF8.self) {
            if !text.isEmpty { object["body"] = .string(text) }
        } else {
            object["body_hex"] = .string(hexadecimal(reply.body))
        }
        object["retry_after"] = reply.retryAfter?.json
        return .object(object)
    }
}

extension Sending {
    /// Another reply instead of executing the request.
    mutating func answer(_ substitute: Substitute) {
        self.substitute = substitute
        steps = [.head, .body]
    }
}

extension JournalEntry.Header {
    /// A header that cannot break out of its line (RFC 9110 §5.5); nil and a complaint otherwise.
    init?(checking name: String, _ value: String, at place: Place, _ complaints: Complaints) {
        let isToken = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
        let isLine = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isToken, isLine else {
            complaints.add(
                found: "the header `\(name)`", expected: "a name of letters, digits and -, and a value without line breaks", at: place)
            return nil
        }
        self.init(name, value)
    }
}
