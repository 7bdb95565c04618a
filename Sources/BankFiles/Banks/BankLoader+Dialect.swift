import BankCore
import BankModel

/// A dialect's file.
extension BankLoader {
    /// Reads a dialect.
    ///
    /// - Parameter root: the file's, with all that it inherits.
    func dialect(_ root: Node, named name: String) -> Dialect {
        let fields = Fields(root, of: DialectKeys.schema, complaints)
        defer { fields.finish() }
        if let node = fields[DialectKeys.dialect], node.scalar != name {
            complaints.add(found: node.kindName, expected: "`\(name)`, the file's name", at: node.position)
        }
        _ = fields[DialectKeys.extends]  // Resolved already.
        var dialect = Dialect(name: name)
        dialect.contentType = fields[DialectKeys.contentType] ?? dialect.contentType
        let reader = TemplateReader(loader: self, parameters: nil)
        if let node = fields[DialectKeys.responses] {
            for (_, keyNode, value) in Fields(node, of: DialectKeys.responsesSchema.what, complaints).all {
                guard let name = keyNode.choice(of: DialectResponseName.self, complaints) else { continue }
                dialect.responses[name] = reader.response(value, contentType: dialect.contentType)
            }
            let missing = DialectResponseName.allCases.filter { dialect.responses[$0] == nil }.map { "`\($0.rawValue)`" }
            if !missing.isEmpty { complaints.add("\(missing.joined(separator: ", ")) missing in `replies`", at: node.position) }
        }
        dialect.about = fields[DialectKeys.about] ?? dialect.about
        dialect.headers = fields[DialectKeys.headers].map(reader.headers) ?? []
        dialect.requestID = fields[DialectKeys.requestID]
        dialect.idempotency = fields[DialectKeys.idempotency].flatMap(reader.idempotency)
        dialect.magic = fields[DialectKeys.magic].map(magic) ?? dialect.magic
        dialect.moreDigits = fields[DialectKeys.moreDigits] ?? dialect.moreDigits
        dialect.rateLimit = fields[DialectKeys.rateLimit].flatMap { rateLimit($0) }
        dialect.jsonLayout = fields[DialectKeys.jsonLayout] ?? dialect.jsonLayout
        return dialect
    }
}

/// Whole responses, and headers.
extension TemplateReader {
    func response(_ node: Node, contentType: String) -> ResponseTemplate? {
        let fields = Fields(node, of: ResponseKeys.schema, complaints)
        let status = fields[ResponseKeys.status]
        let headers = fields[ResponseKeys.headers].map(self.headers) ?? []
        let body = fields[ResponseKeys.body].flatMap(template)
        let type = fields[ResponseKeys.contentType] ?? contentType
        let invented = fields[ResponseKeys.invented] ?? false
        fields.finish()
        return status.map { ResponseTemplate(status: $0, headers: headers, body: body, contentType: type, invented: invented) }
    }

    /// Reads headers: a name and a text or a source.
    func headers(_ node: Node) -> [HeaderTemplate] {
        Fields(node, of: "headers", complaints).all.flatMap { name, keyNode, value -> [HeaderTemplate] in
            if case .list(let lines) = value.content { return lines.compactMap { header(name, keyNode, $0) } }
            return header(name, keyNode, value).map { [$0] } ?? []
        }
    }

    private func header(_ name: String, _ keyNode: Node, _ value: Node) -> HeaderTemplate? {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }) else {
            return keyNode.wrong(complaints, "a header's name (RFC 9110 §5.6.2)")
        }
        if let text = value.scalar, text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
            complaints.add(
                found: "a line break or control character in the header \(name)", expected: "one line of text (RFC 9110 §5.5)",
                at: value.position)
            return nil
        }
        warnOfBraces(value)
        if let text = value.scalar { return HeaderTemplate(name, .literal(.string(text))) }
        return source(value).map { HeaderTemplate(name, $0) }
    }
}

extension BankLoader {
    /// A dialect's `magic`.
    private func magic(_ node: Node) -> MagicValues {
        let fields = Fields(node, of: MagicKeys.schema, complaints)
        var magic = MagicValues()
        for (text, keyNode, value) in members(of: fields[MagicKeys.amounts], "amounts") {
            guard let units = Int64(text), units > 0 else {
                complaints.add(found: "`\(text)`", expected: "an amount in minor units, such as \"6660101\"", at: keyNode.position)
                continue
            }
            magic.amounts[units] = outcome(value)
        }
        for (name, _, value) in members(of: fields[MagicKeys.payees], "payees") { magic.payees[name] = outcome(value) }
        fields.finish()
        return magic
    }

    private func outcome(_ node: Node) -> MagicOutcome? {
        if node.scalar == "rejected" { return .rejected }
        if let name = node.scalar.flatMap(DialectResponseName.init) { return .errorResponse(name) }
        return node.wrong(complaints, expectation(["rejected"] + DialectResponseName.allCases.map(\.rawValue), for: node.scalar ?? ""))
    }

    /// A `rate_limit`.
    ///
    /// - Parameter usual: the headers of a limit that names none.
    private func rateLimit(_ node: Node, usual: RateLimit.HeaderStyle = .ietf) -> RateLimit? {
        let fields = Fields(node, of: RateLimitKeys.schema, complaints)
        let (requests, within) = (fields[RateLimitKeys.requests], fields[RateLimitKeys.within])
        let per = fields[RateLimitKeys.per] ?? .token
        let headers = fields[RateLimitKeys.headers] ?? usual
        fields.finish()
        guard let requests, let within else { return nil }
        return RateLimit(requests: requests, within: within, per: per, headers: headers)
    }

    /// The limit of an operation, or `none`.
    func operationLimit(_ node: Node) -> Operation.Limit {
        if node.scalar == "none" { return .none }
        guard case .mapping = node.content else {
            return node.wrong(complaints, "{requests: 100, within: 1m}, or `none`") ?? .ofDialect
        }
        return rateLimit(node, usual: bank.dialect.rateLimit?.headers ?? .ietf).map { .own($0) } ?? .ofDialect
    }
}
