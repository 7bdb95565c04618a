import BankCore
package import BankModel
import DriverProtocol

/// The keys of `expected.yaml`, made of the shapes that the driver protocol gives the views.
package enum ExpectedKeys {
    /// The views that a bank's files can declare.
    static let views: [ViewKeys] = [DriverOperation.accounts, .balance, .transactions, .atms, .goals].map(ViewKeys.init)

    static let customer = ObjectSchema(
        "the expected results of a customer", "The expected results of one customer, by operation. An omitted operation is not compared.",
        fields: views.map(\.field),
        example: "{balance: {balance: \"12.30\", currency: GBP}}")

    package static let schema = Schema.map(keys: "customers, or `anyone` at a bank without tokens,", .object(customer))
}

struct ViewKeys: Sendable {
    let operation: DriverOperation
    /// The view among those of a customer.
    let field: Field<Node>
    /// The view's own key with its rows; nil for a view without a list.
    let rows: Field<[Node]>?
    /// The keys of a row; of the view itself if it has no list.
    let members: MemberKeys
    let schema: ObjectSchema

    init(_ operation: DriverOperation) {
        let name = operation.rawValue
        let shape = ViewShape(of: operation)
        self.operation = operation
        var list: ViewShape?
        for case .rows(let inner) in shape.fields.map(\.kind) { list = inner }
        if let list {
            members = MemberKeys("one of `\(name)`", named: "shown-\(name)", ViewKeys.order[operation] ?? "", list)
            let rows = Field(
                required: name, Format<[Node]>.nodes(.object(members.schema)), "the rows in display order")
            schema = ObjectSchema("the view `\(name)`", fields: [rows])
            self.rows = rows
        } else {
            members = MemberKeys("the view `\(name)`", "The customer's first account.", shape)
            schema = members.schema
            rows = nil
        }
        field = Field(name, .node(.object(schema)), "the expected result of `\(name)`")
    }

    private static let order: [DriverOperation: String] = [
        .accounts: "An account, in the bank's order.",
        .transactions: "A transaction of the customer's first account: newest first, pending before cleared inside a day.",
        .atms: "A cash machine, in the bank's order.",
        .goals: "A savings goal of the customer's first account, in the bank's order.",
    ]
}

/// The keys of one mapping of values that a client shows. Only those that are written are compared.
struct MemberKeys: Sendable {
    let texts: [Field<String>]
    let flags: [Field<Bool>]
    let schema: ObjectSchema

    /// - Parameter shape: of the view, or of one of its rows.
    init(_ what: String, named name: String? = nil, _ about: String, _ shape: ViewShape) {
        var texts: [Field<String>] = []
        var flags: [Field<Bool>] = []
        var fields: [any AnyField] = []
        for field in shape.fields where !MemberKeys.ofTheClient.contains(field.name) {
            switch field.kind {
            case .text:
                let text = MemberKeys.text(field.name)
                texts.append(text)
                fields.append(text)
            case .bool:
                let flag = Field<Bool>(field.name, .bool, MemberKeys.help[field.name] ?? "")
                flags.append(flag)
                fields.append(flag)
            case .whole, .texts, .rows: break
            }
        }
        self.texts = texts
        self.flags = flags
        schema = ObjectSchema(what, named: name, about, fields: fields)
    }

    /// Whether the key's value is an amount, which has all digits of its currency.
    static func isAmount(_ field: Field<String>) -> Bool { amounts.contains(field.key) }

    /// How old data are, which only the client knows.
    private static let ofTheClient: Set<String> = ["stale", "as_of", "complete"]
    private static let amounts: Set<String> = ["amount", "balance", "available", "saved"]

    private static func text(_ name: String) -> Field<String> {
        let help = help[name] ?? ""
        return switch name {
        case "id": Field(required: name, .shownText, help)
        case "date": Field(name, .day, help)
        case "currency": Field(name, .currency, help)
        default: Field(name, amounts.contains(name) ? .amount : .shownText, help)
        }
    }

    private static let help = [
        "id": "the bank's id", "name": "the name given by the bank", "currency": "the currency of its amounts",
        "balance": "in major units, with all digits of the currency", "available": "the available balance, written like the balance",
        "date": "the day; a relative date becomes the day of that instant in the case's time zone",
        "description": "the text; omit it if clients may choose the wording",
        "amount": "in major units, negative for money out, without a fee", "pending": "whether it is pending",
        "atm": "the id of the cash machine", "lat": "degrees north, as the bank writes them",
        "lng": "degrees east, as the bank writes them",
        "saved": "in major units, with all digits of the currency",
    ]
}

extension Format<[Node]> {
    /// A list whose elements are read one by one.
    fileprivate static func nodes(_ element: Schema) -> Format {
        Format(.list(element, atLeast: 0), read: { $0.elements($1) }, write: { .array($0.map(\.json)) })
    }
}

extension Format<String> {
    /// A text. A bare scalar that spells a number, null or a truth value is none.
    fileprivate static var shownText: Format {
        let expected = "a text; numbers in quotes"
        return Format(.words(expected), read: { $0.json.string ?? $0.wrong($1, expected) }, write: { .string($0) })
    }

    /// In quotes, which keep all digits.
    fileprivate static var amount: Format {
        checked("an amount in quotes such as \"12.30\"", pattern: "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?") { node in
            guard case .scalar(let text, quoted: true) = node.content, JSONNumber(text) != nil else { return nil }
            return text
        }
    }

    fileprivate static var day: Format {
        checked("a day such as \"2026-01-12\" or \"@-3d09:15\"", pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}|@.+") { node in
            node.scalar.flatMap { CivilDate($0) != nil || RelativeDate($0) != nil ? $0 : nil }
        }
    }

    fileprivate static var currency: Format {
        checked("an ISO 4217 code such as GBP", pattern: "[A-Z]{3}") { node in node.scalar.flatMap { Currency($0) != nil ? $0 : nil } }
    }

    /// - Parameter valid: the text of a node; nil if it is not valid.
    private static func checked(
        _ expected: String, pattern: String, _ valid: @escaping @Sendable (Node) -> String?
    ) -> Format {
        Format(
            .text(TextSchema(expected, pattern: pattern)), read: { valid($0) ?? $0.wrong($1, expected) }, write: { .string($0) })
    }
}
