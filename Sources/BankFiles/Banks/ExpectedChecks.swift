import BankCore
import BankModel
import DriverProtocol

/// Checks `expected.yaml`: the customers, the views, and that no value was read as another type.
struct ExpectedChecks {
    let bank: Bank
    let complaints: Complaints

    func run(_ root: Node) {
        let customers = (bank.auth == nil ? ["anyone"] : []) + bank.customers.map(\.login)
        for (customer, keyNode, views) in Fields(root, of: "the expected views", complaints).all {
            if !customers.contains(customer) {
                complaints.add(found: "the customer `\(customer)`", expected: expectation(customers, for: customer), at: keyNode.place)
            }
            for (_, nameNode, view) in Fields(views, of: "the views of \(customer)", complaints).all {
                guard let kind = nameNode.choice(of: ViewKind.self, complaints) else { continue }
                if !bank.clientOperations.contains(kind.rawValue) {
                    complaints.add(
                        found: "a view of `\(kind.rawValue)`", expected: "one of an operation listed in `operations_of_a_client`",
                        at: nameNode.place)
                }
                check(view, kind)
            }
        }
    }

    /// The operations that have a view (see the driver protocol), by their members' names.
    private enum ViewKind: String, CaseIterable {
        case accounts, balance, transactions, atms, goals

        /// The list in it and the members of the list's elements; nil for a view without a list.
        var element: [String]? {
            switch self {
            case .accounts: ["id", "name", "currency", "balance"]
            case .balance: nil
            case .transactions: ["id", "date", "description", "amount", "currency", "pending", "atm"]
            case .atms: ["id", "name", "lat", "lng"]
            case .goals: ["id", "name", "saved", "currency"]
            }
        }
    }

    private func check(_ view: Node, _ kind: ViewKind) {
        let fields = Fields(view, of: "the view `\(kind.rawValue)`", complaints)
        guard let names = kind.element else {
            checkMembers(fields, ["balance", "available", "currency"])
            return
        }
        let elements = fields.required(kind.rawValue)?.elements(complaints) ?? []
        fields.finish()
        for element in elements {
            let fields = Fields(element, of: "one of `\(kind.rawValue)`", complaints)
            _ = fields.required("id")
            checkMembers(fields, names)
        }
    }

    private func checkMembers(_ fields: Fields, _ names: [String]) {
        let currency = fields["currency"]?.scalar.flatMap(Currency.init)
        for name in names {
            guard let node = fields[name] else { continue }
            switch name {
            case "pending": _ = node.bool(complaints)
            case "amount", "balance", "available", "saved": checkAmount(node, currency)
            case "date": checkDate(node)
            case "currency": if currency == nil { let _: Currency? = node.wrong(complaints, "an ISO 4217 code such as GBP") }
            default: checkText(node)
            }
        }
        fields.finish()
    }

    private func checkAmount(_ node: Node, _ currency: Currency?) {
        guard case .scalar(let text, quoted: true) = node.content, JSONNumber(text) != nil else {
            let _: String? = node.wrong(complaints, "an amount in quotes such as \"12.30\"")
            return
        }
        guard let currency else { return }
        do throws(MoneyError) {
            let money = try Money(major: text, currency: currency)
            if money.major != text {
                complaints.add(found: "`\(text)`", expected: "all digits of \(currency): \"\(money.major)\"", at: node.place)
            }
        } catch {
            complaints.add("\(error)", at: node.place)
        }
    }

    private func checkDate(_ node: Node) {
        let isDate = node.scalar.map { CivilDate($0) != nil || RelativeDate($0) != nil } ?? false
        if !isDate { let _: String? = node.wrong(complaints, "a day such as \"2026-01-12\" or \"@-3d09:15\"") }
    }

    /// A bare scalar that spells a number, null or a truth value would not be a text.
    private func checkText(_ node: Node) {
        if node.json.string == nil { let _: String? = node.wrong(complaints, "a text; numbers in quotes") }
    }
}
