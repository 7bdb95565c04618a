import BankModel

extension IdempotencyBook {
    /// The records of all keys whose request was executed, by key.
    var image: JSON {
        .array(records.filter { $0.value.stored != nil }.sorted { $0.key.order < $1.key.order }.map { IdempotencyBook.image($0, $1) })
    }

    static func image(_ id: ID, _ record: Record, withResponse: Bool = true) -> JSON {
        .object(known: [
            "customer": id.customer.map(JSON.string), "operation": id.operation.map(JSON.string), "key": .string(id.key),
            "asked": record.fingerprint.image, "since": .image(record.since), "row": record.stored?.row.map { .image($0.table, $0.key) },
            "reply": withResponse ? record.stored?.response.image : nil,
        ])
    }

    /// - Parameter response: the response stored beside a command, for a key whose image has none.
    static func read(_ image: ImageReader, response: BankResponse? = nil) throws(ImageError) -> (ID, Record) {
        let id = ID(customer: try image["customer"]?.text(), operation: try image["operation"]?.text(), key: try image.member("key").text())
        let row = try image["row"]?.pair()
        var response = response
        if let own = image["reply"] { response = try BankResponse(own) }
        let record = Record(
            fingerprint: try Fingerprint(image.member("asked")), since: try image.member("since").instant(),
            stored: response.map { Stored(response: $0, row: row.map { (table: $0, key: $1) }) })
        return (id, record)
    }
}

extension IdempotencyBook.ID {
    fileprivate var order: (String, String, String) { (key, operation ?? "", customer ?? "") }
}

extension IdempotencyBook.Fingerprint {
    var image: JSON {
        let stored: (String, JSON) =
            switch body {
            case .whole(let bytes): SecretFields.blanked(bytes).map { ("blanked", .image($0)) } ?? ("body", .image(bytes))
            case .blanked(let bytes): ("blanked", .image(bytes))
            // A missing field is an empty list, so that null remains null.
            case .fields(let values): ("fields", .array(values.map { .array($0.map { [$0] } ?? []) }))
            }
        return .object(known: [
            "method": .string(method), "path": .string(path), "query": query.map { .string(SecretFields.blanked($0) ?? $0) },
            stored.0: stored.1,
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        let body: Body
        if let fields = image["fields"] {
            body = .fields(try fields.list { value throws(ImageError) in try value.elements().first?.value })
        } else if let blanked = image["blanked"] {
            body = .blanked(try blanked.bytes())
        } else {
            body = .whole(try image.member("body").bytes())
        }
        self.init(
            method: try image.member("method").text(), path: try image.member("path").text(), query: try image["query"]?.text(), body: body)
    }
}

extension BankResponse {
    /// The stored form of a response: its content for the client, without `Date` and the request's id.
    var image: JSON {
        .object(known: [
            "status": .int(status), "headers": .array(headers.map { .image($0.name, $0.value) }), "body": .image(body),
            "name": name.map { .string($0.rawValue) }, "committed": .bool(committed),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        var headers: [JournalEntry.Header] = []
        for header in try image.member("headers").elements() {
            let (name, value) = try header.pair()
            headers.append(JournalEntry.Header(name, value))
        }
        self.init(
            status: try image.member("status").int(), headers: headers, body: try image.member("body").bytes(),
            name: try image["name"]?.choice(of: DialectResponseName.self))
        committed = try image.member("committed").bool()
    }
}
