import BankModel

extension IdempotencyBook {
    /// The records of all keys whose request was executed, by key.
    func write(to writer: inout ImageWriter) {
        let known = records.lazy.filter { $0.value.stored != nil }.map(\.key).sorted(by: ID.isBefore)
        writer.array(known) { id, writer in
            if let record = records[id] { IdempotencyBook.write(id, record, to: &writer) }
        }
    }

    static func write(_ id: ID, _ record: Record, withReply: Bool = true, to writer: inout ImageWriter) {
        writer.object { writer in
            writer.text(.customer, id.customer)
            writer.text(.operation, id.operation)
            writer.text(.key, id.key)
            writer.member(.asked) { record.fingerprint.write(to: &$0) }
            writer.instant(.since, record.since)
            if let row = record.stored?.row { writer.member(.row) { $0.pair(row.table, row.key) } }
            if withReply, let stored = record.stored { writer.member(.reply) { stored.reply.write(to: &$0) } }
        }
    }

    /// - Parameter reply: the reply stored beside a command, for a key whose image has none.
    static func read(_ image: ImageReader, reply: Reply? = nil) throws(ImageError) -> (ID, Record) {
        let id = ID(
            customer: try image["customer"]?.text(), operation: try image["operation"]?.text(), key: try image.member("key").text())
        var row: (table: String, key: String)?
        if let added = image["row"] {
            let parts = try added.texts()
            guard parts.count == 2 else { throw added.wrong("a table and a key") }
            row = (parts[0], parts[1])
        }
        var reply = reply
        if let own = image["reply"] { reply = try Reply(own) }
        let record = Record(
            fingerprint: try Fingerprint(image.member("asked")), since: try image.member("since").instant(),
            stored: reply.map { Stored(reply: $0, row: row) })
        return (id, record)
    }
}

extension IdempotencyBook.ID {
    /// By key, then operation, then customer.
    fileprivate static func isBefore(_ a: IdempotencyBook.ID, _ b: IdempotencyBook.ID) -> Bool {
        if a.key != b.key { return a.key < b.key }
        return (a.operation ?? "", a.customer ?? "") < (b.operation ?? "", b.customer ?? "")
    }
}

extension IdempotencyBook.Fingerprint {
    func write(to writer: inout ImageWriter) {
        writer.object { writer in
            writer.text(.method, method)
            writer.text(.path, path)
            writer.text(.query, query.map { SecretFields.blanked($0) ?? $0 })
            switch body {
            case .whole(let bytes):
                if let blanked = SecretFields.blanked(bytes) { writer.octets(.blanked, blanked) } else { writer.octets(.body, bytes) }
            case .blanked(let bytes): writer.octets(.blanked, bytes)
            // A missing field is an empty list, so that null remains null.
            case .fields(let values): writer.value(.fields, .array(values.map { .array($0.map { [$0] } ?? []) }))
            }
        }
    }

    init(_ image: ImageReader) throws(ImageError) {
        let body: Body
        if let fields = image["fields"] {
            var values: [JSON?] = []
            for value in try fields.elements() { values.append(try value.elements().first?.value) }
            body = .fields(values)
        } else if let blanked = image["blanked"] {
            body = .blanked(try blanked.bytes())
        } else {
            body = .whole(try image.member("body").bytes())
        }
        self.init(
            method: try image.member("method").text(), path: try image.member("path").text(), query: try image["query"]?.text(), body: body)
    }
}

extension Reply {
    /// The stored form of a response: its content for the client, without `Date` and the request's id.
    func write(to writer: inout ImageWriter) {
        writer.object { writer in
            writer.int(.status, Int64(status))
            writer.member(.headers) { $0.array(headers) { header, writer in writer.pair(header.name, header.value) } }
            writer.octets(.body, body)
            writer.text(.name, name?.rawValue)
            writer.value(.committed, .bool(committed))
        }
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
