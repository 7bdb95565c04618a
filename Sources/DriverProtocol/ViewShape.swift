package import BankModel

/// The shape of an operation's view: the only declaration of the views of the driver protocol.
package struct ViewShape: Sendable, Hashable {
    package var fields: [Field]

    /// One key of an object.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var kind: Kind
        package var presence: Presence
    }

    /// The JSON type of a value.
    package indirect enum Kind: Sendable, Hashable {
        /// A text, with an example for messages.
        case text(String)
        case bool
        case whole
        /// A list of texts.
        case texts
        case rows(ViewShape)
    }

    package enum Presence: Sendable, Hashable {
        /// A view without it is the driver's error.
        case always
        /// A correct client shows it if the bank has it; a view without it is judged.
        case shown
        /// A client may leave it out (`?` in the protocol's table).
        case optional
    }

    package init(of operation: DriverOperation) {
        fields =
            switch operation {
            case .login, .logout, .authorizeFinish: [.shown("signed_in", .bool)]
            case .authorizeBegin: [.always("url", .text("https://bank.example/authorize?client_id=app&…"))]
            case .status: [.shown("signed_in", .bool), .optional("prompts", .whole)]
            case .accounts:
                [
                    .list(
                        "accounts",
                        [
                            .shown("name", .text("Everyday")), .shown("currency", .text("GBP")),
                            .optional("balance", .text("12.30")),
                        ])
                ] + ViewShape.age
            case .balance:
                [
                    .shown("balance", .text("180.37")), .optional("available", .text("180.37")), .optional("currency", .text("GBP")),
                ] + ViewShape.age
            case .transactions:
                [
                    .list(
                        "transactions",
                        [
                            .shown("date", .text("2026-01-12")), .shown("description", .text("Kiosk 14")), .shown("amount", .text("-2.20")),
                            .optional("currency", .text("GBP")), .optional("pending", .bool), .optional("atm", .text("atm-mill")),
                        ]), .optional("complete", .bool),
                ] + ViewShape.age
            case .atms:
                [
                    .list("atms", [.shown("name", .text("Mill Lane")), .shown("lat", .text("-33.86")), .shown("lng", .text("151.21"))])
                ] + ViewShape.age
            case .image: [.shown("sha256", .text("e3b0c442…")), .optional("from_cache", .bool)]
            case .goals:
                [
                    .list(
                        "goals",
                        [.shown("name", .text("Holiday")), .shown("saved", .text("10.00")), .shown("currency", .text("GBP"))])
                ] + ViewShape.age
            case .pay, .resume, .paymentStatus: [.optional("payment", .text("p-1")), .shown("state", .text("accepted"))]
            case .events:
                [
                    .always("url", .text("http://127.0.0.1:9000/hook")),
                    .list("events", [.shown("type", .text("payment.settled")), .shown("amount", .text("10.00"))]),
                    .list("payments", [.shown("state", .text("settled"))]),
                ]
            case .quote: [.shown("rate", .text("1.1734")), .optional("expires_at", .text("2026-01-12T09:00:30Z"))]
            case .watch:
                [.shown("balance", .text("180.37")), .list("transactions", [.shown("amount", .text("-2.20"))])] + ViewShape.age
            case .challengeAnswer:
                [.always("challenge", .text("approved")), .optional("payment", .text("p-1")), .optional("state", .text("accepted"))]
            case .consents:
                [
                    .list(
                        "consents",
                        [.shown("state", .text("authorised")), .optional("accounts", .texts), .optional("expires", .text("2026-04-12"))])
                ]
            case .consentRevoke: [.shown("state", .text("revoked"))]
            case .roundUp:
                [.shown("amount", .text("1.58")), .shown("currency", .text("GBP")), .optional("payment", .text("p-1"))]
            }
    }

    private init(rows fields: [Field]) { self.fields = [Field(name: "id", kind: .text("a-1"), presence: .always)] + fields }

    /// Whether data are old, and their time.
    private static let age: [Field] = [.optional("stale", .bool), .optional("as_of", .text("2026-01-12T09:00:00Z"))]

    fileprivate static func list(_ fields: [Field]) -> Kind { .rows(ViewShape(rows: fields)) }
}

extension ViewShape {
    /// The optional keys as paths: `transactions.atm`.
    package var optionalPaths: Set<String> {
        Set(
            fields.flatMap { field -> [String] in
                let own = field.presence == .optional ? [field.name] : []
                guard case .rows(let shape) = field.kind else { return own }
                return own + shape.optionalPaths.map { "\(field.name).\($0)" }
            })
    }

    /// The view in the notation of the driver protocol: `{"accounts":[{"id","name","currency","balance"?}],"stale"?}`.
    package var notation: String {
        let parts = fields.map { field in
            var text = "\"\(field.name)\"" + (field.presence == .optional ? "?" : "")
            switch field.kind {
            case .text: break
            case .bool: text += ":bool"
            case .whole: text += ":int"
            case .texts: text += ":[text]"
            case .rows(let shape): text += ":[\(shape.notation)]"
            }
            return text
        }
        return "{\(parts.joined(separator: ","))}"
    }

    /// The first error in a view: the position, the finding and the expectation. nil if there is none.
    ///
    /// Ignores unknown keys, and null as the value of an optional key.
    package func mistake(in view: JSON) -> String? { mistake(in: view, path: "") }

    private func mistake(in view: JSON, path: String) -> String? {
        guard view.object != nil else {
            return "found \(excerpt(view)) as `\(path.isEmpty ? "view" : path)`, expected an object \(notation)"
        }
        for field in fields {
            let position = path.isEmpty ? field.name : "\(path).\(field.name)"
            guard let value = view[field.name] else {
                if field.presence == .always { return "found nothing as `\(position)`, expected \(field.kind.words)" }
                continue
            }
            if value == .null, field.presence != .always { continue }
            if value == .null {
                return "found null as `\(position)`, expected \(field.kind.words); a row that cannot be read is left out, "
                    + "and a list of which none can be read is the error `decode`"
            }
            if let mistake = field.kind.mistake(value, position) { return mistake }
        }
        return nil
    }

    fileprivate func mistakes(inRows rows: [JSON], _ path: String) -> String? {
        rows.enumerated().lazy.compactMap { index, row in mistake(in: row, path: "\(path)[\(index)]") }.first
    }
}

extension ViewShape.Kind {
    /// The kind in words, for an expectation.
    var words: String {
        switch self {
        case .text(let example): "a text, such as \"\(example)\""
        case .bool: "true or false"
        case .whole: "a whole number"
        case .texts: "a list of texts"
        case .rows(let shape): "a list of \(shape.notation)"
        }
    }

    fileprivate func mistake(_ value: JSON, _ position: String) -> String? {
        let isRight =
            switch self {
            case .text: value.string != nil
            case .bool: value.bool != nil
            case .whole: value.int != nil
            case .texts: value.array.map { $0.allSatisfy { $0.string != nil } } ?? false
            case .rows: value.array != nil
            }
        guard isRight else { return "found \(excerpt(value)) as `\(position)`, expected \(words)" }
        guard case .rows(let shape) = self else { return nil }
        return shape.mistakes(inRows: value.array ?? [], position)
    }
}

extension ViewShape.Field {
    fileprivate static func shown(_ name: String, _ kind: ViewShape.Kind) -> Self { Self(name: name, kind: kind, presence: .shown) }
    fileprivate static func always(_ name: String, _ kind: ViewShape.Kind) -> Self { Self(name: name, kind: kind, presence: .always) }
    fileprivate static func optional(_ name: String, _ kind: ViewShape.Kind) -> Self { Self(name: name, kind: kind, presence: .optional) }
    fileprivate static func list(_ name: String, _ fields: [Self]) -> Self {
        Self(name: name, kind: ViewShape.list(fields), presence: .always)
    }
}

/// The beginning of a value's text.
private func excerpt(_ value: JSON) -> String {
    let text = value.text
    return text.count > 60 ? "\(text.prefix(60))…" : text
}
