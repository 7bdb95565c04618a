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
        case .ended(let table, let row, let instant, _):
            ["ended": ["table": .string(table), "row": .int(row), "at": .image(instant)]]
        case .reended(let number, let ending, _):
            [
                "reended": .object(known: [
                    "movement": .int(number), "at": .image(ending.at), "as": .string(ending.state.rawValue),
                    "authorised": ending.authorised?.image,
                ])
            ]
        case .hidden(let table, let key, let instant):
            ["hidden": ["table": .string(table), "key": .string(key), "since": .image(instant)]]
        case .kept(let id, let record): ["kept": IdempotencyBook.image(id, record, withResponse: false)]
        case .issued(let token): ["issued": token.image(digest: tokens.digest(of: token))]
        case .altered(let token, _): ["altered": token.image(digest: tokens.digest(of: token))]
        case .authorization(let authorization, _): ["authorization": authorization.image]
        case .challenge(let challenge, _): ["challenge": challenge.image]
        case .state(let variable, let state, _): ["state": .object(known: ["of": .string(variable), "is": state.map(JSON.string)])]
        case .webhooks(let all, _): ["webhooks": .array(all.map(\.image))]
        case .delivery(let delivery, _): ["delivery": delivery.image]
        case .scheduled(let schedule, _): ["scheduled": schedule.image]
        case .clock(let clock, _): ["clock": clock.image]
        case .reset(let machineNow, _): ["reset": .image(machineNow)]
        case .saved: ["saved": true]
        case .restored: ["restored": true]
        }
    }

    /// Decodes a change of a session of that bank.
    ///
    /// - Parameter response: the stored response of the command, if there is one.
    init(_ image: ImageReader, response: BankResponse?, _ bank: PreparedBank) throws(ImageError) {
        guard let member = image.value.object?.members.first else { throw image.wrong("an object of one change") }
        let value = try image.member(member.key)
        switch member.key {
        case "moved": self = .moved(try Movement(value))
        case "added":
            let table = try value.member("table").text()
            self = .added(table: table, row: try TableRow(try value.member("row"), try bank.table(table, of: value)))
        case "ended":
            self = .ended(
                table: try value.member("table").text(), row: try value.member("row").int(), at: try value.member("at").instant(),
                before: nil)
        case "reended":
            let ending = try Movement.Ending(at: value.member("at").instant(), of: value)
            self = .reended(try value.member("movement").number31(), ending, before: nil)
        case "hidden":
            self = .hidden(
                table: try value.member("table").text(), key: try value.member("key").text(), since: try value.member("since").instant())
        case "kept":
            let (id, record) = try IdempotencyBook.read(value, response: response)
            self = .kept(id, record)
        case "issued": self = .issued(try TokenBook.Token(value))
        case "altered": self = .altered(try TokenBook.Token(value), before: nil)
        case "authorization": self = .authorization(try Authorization(value), before: nil)
        case "challenge": self = .challenge(try Challenge(value), before: nil)
        case "state": self = .state(variable: try value.member("of").text(), try value["is"]?.text(), before: nil)
        case "webhooks":
            self = .webhooks(try value.list(Webhook.init), before: nil)
        case "delivery": self = .delivery(try Delivery(value), before: nil)
        case "scheduled": self = .scheduled(try Schedule(value), before: nil)
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
        .object(known: [
            "since": .image(since), "until": until.nanoseconds == .max ? nil : .image(until), "place": position?.image,
            "shows": origin?.image, "fields": .object(fields),
        ])
    }

    convenience init(_ image: ImageReader, _ table: Table) throws(ImageError) {
        let row = try image.member("fields")
        guard let fields = row.value.object else { throw row.wrong("an object") }
        self.init(
            fields, table, since: try image.member("since").instant(),
            until: try image["until"]?.instant() ?? Instant(nanoseconds: .max), position: try image["place"].map(TableRow.Position.init),
            origin: try image["shows"].map(Origin.init))
    }
}

extension TableRow.Origin {
    fileprivate var image: JSON {
        .object(known: ["movement": .int(Int(movement)), "list": list.map { .int(Int($0)) }, "debit": .bool(isDebit)])
    }

    fileprivate init(_ image: ImageReader) throws(ImageError) {
        self.init(
            movement: try image.member("movement").int32(), list: try image["list"]?.int32(), isDebit: try image.member("debit").bool())
    }
}

extension TableRow.Position {
    fileprivate var image: JSON {
        switch self {
        case .fixture(let position): ["fixture": .int(Int(position))]
        case .added(let number): ["added": .int(Int(number))]
        }
    }

    fileprivate init(_ image: ImageReader) throws(ImageError) {
        if let position = image["fixture"] {
            self = .fixture(try position.int32())
        } else {
            self = .added(try image.member("added").int32())
        }
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
