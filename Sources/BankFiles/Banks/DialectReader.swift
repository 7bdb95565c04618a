import BankCore
import BankModel

/// Reads a dialect's file.
struct DialectReader {
    private let root: Node
    private let name: String
    private let loader: BankLoader

    private var complaints: Complaints { loader.complaints }
    private var templates: TemplateReader { TemplateReader(loader: loader, parameters: nil) }

    init(_ root: Node, name: String, loader: BankLoader) {
        (self.root, self.name, self.loader) = (root, name, loader)
    }

    func read() -> Dialect? {
        let fields = Fields(root, of: "a dialect", complaints)
        if let node = fields.required("dialect"), node.scalar != name {
            complaints.add(found: node.kindName, expected: "`\(name)`, the file's name", at: node.place)
        }
        _ = fields["extends"]  // Resolved already by DialectFiles.
        let about = fields.required("about")?.text(complaints) ?? ""
        let contentType = fields["content_type"]?.text(complaints) ?? "application/json"
        let replyReader = ReplyReader(loader: loader, templates: templates)
        let headers = fields["headers"].map(replyReader.headers) ?? []
        let requestID = fields["request_id"]?.text(complaints)
        let idempotency = fields["idempotency"].flatMap { IdempotencyReader(loader: loader, templates: templates).policy($0) }
        let magic = fields["magic"].map { MagicReader(complaints: complaints).values($0) } ?? MagicValues()
        let moreDigits = fields["more_digits"]?.choice(of: Dialect.MoreDigits.self, complaints) ?? .refused
        var replies: [DialectReplyName: ReplyTemplate] = [:]
        if let node = fields.required("replies") {
            for (_, keyNode, value) in Fields(node, of: "replies", complaints).all {
                guard let name = keyNode.choice(of: DialectReplyName.self, complaints) else { continue }
                replies[name] = replyReader.reply(value, contentType: contentType)
            }
            let missing = DialectReplyName.allCases.filter { replies[$0] == nil }.map { "`\($0.rawValue)`" }
            if !missing.isEmpty { complaints.add("\(missing.joined(separator: ", ")) missing in replies", at: node.place) }
        }
        fields.finish()
        return Dialect(
            name: name, about: about, headers: headers, requestID: requestID, contentType: contentType, replies: replies,
            idempotency: idempotency, magic: magic, moreDigits: moreDigits)
    }
}

/// Reads a reply that stands for itself.
struct ReplyReader {
    let loader: BankLoader
    let templates: TemplateReader

    private var complaints: Complaints { loader.complaints }

    func reply(_ node: Node, contentType: String) -> ReplyTemplate? {
        let fields = Fields(node, of: "a reply", complaints)
        let status = fields.required("status")?.int(in: 200...599, complaints)
        let headers = fields["headers"].map(self.headers) ?? []
        let body = fields["body"].flatMap(templates.template)
        let type = fields["content_type"]?.text(complaints) ?? contentType
        let invented = fields["invented"]?.bool(complaints) ?? false
        fields.finish()
        return status.map { ReplyTemplate(status: $0, headers: headers, body: body, contentType: type, invented: invented) }
    }

    /// Headers: a name and a text or a source.
    func headers(_ node: Node) -> [HeaderTemplate] {
        Fields(node, of: "headers", complaints).all.compactMap { name, keyNode, value in
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }) else {
                return keyNode.wrong(complaints, "a header's name (RFC 9110 §5.6.2)")
            }
            if let text = value.scalar, text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
                complaints.add(
                    found: "a line break or control character in the header \(name)", expected: "one line of text (RFC 9110 §5.5)",
                    at: value.place)
                return nil
            }
            if let text = value.scalar { return HeaderTemplate(name, .literal(.string(text))) }
            return templates.source(value).map { HeaderTemplate(name, $0) }
        }
    }
}
