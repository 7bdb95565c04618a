import BankModel

extension Change {
    /// The stored form: an object of one member, named after the kind of change. The data to undo it is left out, and so is
    /// the response in a key's record: it is stored beside the changes.
    ///
    /// - Parameter tokens: the book that knows the digests of tokens.
    func image(_ tokens: TokenBook) -> JSON {
        switch self {
        case .moved(let movement): ["moved": movement.image]
        case .added(let table, let row): ["added": ["table": .string(table), "row": row.image]]
        case .kept(let id, let record): ["kept": IdempotencyBook.image(id, record, withReply: false)]
        case .issued(let token): ["issued": token.image(digest: tokens.digest(of: token))]
        case .altered(let token, _): ["altered": token.image(digest: tokens.digest(of: token))]
        case .authorization(let authorization, _): ["authorization": authorization.image]
        case .state(let variable, let state, _): ["state": .image([("of", .string(variable)), ("is", state.map(JSON.string))])]
        case .clock(let clock, _): ["clock": clock.image]
        case .reset(let machineNow, _): ["reset": .image(machineNow)]
        case .saved: ["saved": true]
        case .restored: ["restored": true]
        }
    }

    /// Decodes a change of a session of that bank.
    ///
    /// - Parameter reply: the stored reply of the command, if there is one.
    init(_ image: ImageReader, reply: Reply?, _ bank: PreparedBank) throws(ImageError) {
        guard let member = image.value.object?.members.first else { throw image.wrong("an object of one change") }
        let value = try image.member(member.key)
        switch member.key {
        case "moved": self = .moved(try Movement(value))
        case "added":
            let table = try value.member("table").text()
            self = .added(table: table, row: try TableRow(try value.member("row"), try bank.table(table, of: value)))
        case "kept":
            let (id, record) = try IdempotencyBook.read(value, reply: reply)
            self = .kept(id, record)
        case "issued": self = .issued(try TokenBook.Token(value))
        case "altered": self = .altered(try TokenBook.Token(value), before: nil)
        case "authorization": self = .authorization(try Authorization(value), before: nil)
        case "state": self = .state(variable: try value.member("of").text(), try value["is"]?.text(), before: nil)
        case "clock": self = .clock(try VirtualClock(value), before: nil)
        case "reset": self = .reset(machineNow: try value.instant(), before: nil)
        case "saved": self = .saved(before: nil)
        case "restored": self = .restored(before: nil)
        default: throw image.wrong("a change supported by this version")
        }
    }
}

extension TableRow {
    var image: JSON {
        .image([
            ("since", .image(since)), ("until", until.nanoseconds == .max ? nil : .image(until)), ("fields", .object(fields.object)),
        ])
    }

    convenience init(_ image: ImageReader, _ table: Table) throws(ImageError) {
        let row = try image.member("fields")
        guard let fields = row.value.object else { throw row.wrong("an object") }
        self.init(
            fields, table, since: try image.member("since").instant(),
            until: try image["until"]?.instant() ?? Instant(nanoseconds: .max))
    }
}

extension PreparedBank {
    func table(_ name: String, of image: ImageReader) throws(ImageError) -> Table {
        guard let table = tables[name]?.table else {
            throw ImageError(
                path: image.path, found: "a row of \(name)", expected: "a table of the bank \(bank.name): " + oneOf(tables.keys.sorted()))
        }
        return table
    }
}
