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
            ("customer", id.customer.map(JSON.string)), ("operation", id.operation.map(JSON.string)), ("key", .string(id.key)),
            ("asked", record.fingerprint.image), ("since", .image(record.since)),
            ("row", record.stored?.row.map { [.string($0.table), .string($0.key)] }),
            ("reply", withReply ? record.stored?.reply.image : nil),
        ])
    }

    /// - Parameter reply: what stands beside a command, for a key that its image tells without one.
    static func read(_ image: ImageReader, reply: Reply? = nil) throws(ImageError) -> (ID, Record) {
        let id = ID(
            customer: try image["customer"]?.text(), operation: try image["operation"]?.text(), key: try image.member("key").text())
        var record = Record(fingerprint: try Fingerprint(image.member("asked")), since: try image.member("since").instant(), stored: nil)
        var row: (table: String, key: String)?
        if let added = image["row"] {
            let parts = try added.texts()
            guard parts.count == 2 else { throw added.wrong("a table and a key") }
            row = (parts[0], parts[1])
        }
        var reply = reply
        if let own = image["reply"] { reply = try Reply(own) }
        record.stored = reply.map { Stored(reply: $0, row: row) }
        return (id, record)
    }
}

extension IdempotencyBook.ID {
    fileprivate var sortable: (String, String, String) { (key, operation ?? "", customer ?? "") }
}

extension IdempotencyBook.Fingerprint {
    var image: JSON {
        let (whole, fields): (JSON?, JSON?) =
            switch body {
            case .whole(let bytes): (.image(bytes), nil)
            // A field that was not there is an empty list, so that null stays null.
            case .fields(let values): (nil, .array(values.map { .array($0.map { [$0] } ?? []) }))
            }
        return .image([
            ("method", .string(method)), ("path", .string(path)), ("query", query.map(JSON.string)), ("body", whole), ("fields", fields),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        let body: Body
        if let fields = image["fields"] {
            var values: [JSON?] = []
            for value in try fields.elements() { values.append(try value.elements().first?.value) }
            body = .fields(values)
        } else {
            body = .whole(try image.member("body").bytes())
        }
        self.init(
            method: try image.member("method").text(), path: try image.member("path").text(), query: try image["query"]?.text(), body: body)
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
