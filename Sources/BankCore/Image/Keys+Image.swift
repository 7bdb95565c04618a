import BankModel

extension IdempotencyBook {
    /// What is known under each key whose request was executed, by key.
    var image: [JSON] {
        records.filter { $0.value.stored != nil }.sorted { $0.key.sortable < $1.key.sortable }.map {
            IdempotencyBook.image($0.key, $0.value)
        }
    }

    static func image(_ id: ID, _ record: Record, withReply: Bool = true) -> JSON {
        .image([
            ("customer", id.customer.map(JSON.string)), ("operation", .string(id.operation)), ("key", .string(id.key)),
            ("asked", record.fingerprint.image), ("since", .image(record.since)), ("reply", withReply ? record.stored?.image : nil),
        ])
    }

    static func read(_ image: ImageReader) throws(ImageError) -> (ID, Record) {
        let id = ID(
            customer: try image["customer"]?.text(), operation: try image.member("operation").text(), key: try image.member("key").text())
        var stored: Reply?
        if let reply = image["reply"] { stored = try Reply(reply) }
        let record = Record(
            fingerprint: try Fingerprint(image.member("asked")), since: try image.member("since").instant(), stored: stored)
        return (id, record)
    }
}

extension IdempotencyBook.ID {
    fileprivate var sortable: (String, String, String) { (key, operation, customer ?? "") }
}

extension IdempotencyBook.Fingerprint {
    var image: JSON {
        .image([("path", .string(path)), ("query", query.map(JSON.string)), ("body", .image(body))])
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init(path: try image.member("path").text(), query: try image["query"]?.text(), body: try image.member("body").bytes())
    }
}

extension Reply {
    /// A reply as it is kept: what the client saw of it, but for `Date` and the request's id.
    var image: JSON {
        .image([
            ("status", .int(status)), ("headers", .array(headers.map { [.string($0.name), .string($0.value)] })),
            ("body", .image(body)), ("name", name.map { .string($0.rawValue) }), ("committed", .bool(committed)),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        var headers: [JournalEntry.Header] = []
        for header in try image.member("headers").elements() {
            let parts = try header.texts()
            guard parts.count == 2 else { throw header.wrong("a name and a value") }
            headers.append(JournalEntry.Header(parts[0], parts[1]))
        }
        self.init(
            status: Int(try image.member("status").int()), headers: headers, body: try image.member("body").bytes(),
            name: try image["name"]?.choice(of: DialectReplyName.self))
        committed = try image.member("committed").bool()
    }
}
