import BankCore
package import BankModel
import DriverProtocol

/// The views of a correct client, per customer and operation: `expected.yaml`.
package struct ExpectedViews: Sendable {
    private let root: JSON

    init(_ node: Node) { root = node.json }

    /// The view of an operation for a customer; `anyone` stands for all.
    ///
    /// - Parameters:
    ///   - start: the session's start; relative dates follow it.
    ///   - secondsEast: the offset of the case's time zone from UTC at an instant: days are shown in that zone.
    package func view(customer: String, operation: String, start: Instant, secondsEast: (Instant) -> Int) -> JSON? {
        guard let view = root[customer]?[operation] ?? root["anyone"]?[operation] else { return nil }
        return resolved(view, start, secondsEast)
    }

    private func resolved(_ value: JSON, _ start: Instant, _ secondsEast: (Instant) -> Int) -> JSON {
        switch value {
        case .string(let text):
            guard text.hasPrefix("@"), let date = RelativeDate(text) else { return value }
            let instant = date.instant(start: start)
            return .string((instant + .seconds(secondsEast(instant))).date.description)
        case .array(let elements): return .array(elements.map { resolved($0, start, secondsEast) })
        case .object(let object):
            return .object(JSONObject(object.members.map { ($0.key, resolved($0.value, start, secondsEast)) }))
        default: return value
        }
    }
}

/// Checks `expected.yaml`: the customers, the views, and that no value was read as another type.
struct ExpectedChecks {
    let bank: Bank
    let complaints: Complaints

    func run(_ root: Node) {
        let customers = (bank.auth == nil ? ["anyone"] : []) + bank.customers.map(\.login)
        for (customer, keyNode, views) in Fields(root, of: "the expected results", complaints).all {
            if !customers.contains(customer) {
                complaints.add(found: "the customer `\(customer)`", expected: expectation(customers, for: customer), at: keyNode.position)
            }
            check(views, of: customer)
        }
    }

    private func check(_ views: Node, of customer: String) {
        let fields = Fields(views, of: ExpectedKeys.customer, called: "the expected results of \(customer)", complaints)
        let positions = Dictionary(fields.all.map { ($0.key, $0.keyNode.position) }) { first, _ in first }
        for keys in ExpectedKeys.views {
            guard let view = fields[keys.field] else { continue }
            let name = keys.operation.rawValue
            if !bank.clientOperations.contains(name) {
                complaints.add(
                    found: "an expected result of `\(name)`", expected: "one of an operation listed in `operations_of_a_client`",
                    at: positions[name] ?? view.position)
            }
            check(view, keys)
        }
        fields.finish()
    }

    private func check(_ view: Node, _ keys: ViewKeys) {
        guard let rows = keys.rows else { return check(view, keys.members) }
        let fields = Fields(view, of: keys.schema, complaints)
        let nodes = fields[rows] ?? []
        fields.finish()
        for node in nodes { check(node, keys.members) }
    }

    private func check(_ node: Node, _ keys: MemberKeys) {
        let fields = Fields(node, of: keys.schema, complaints)
        for flag in keys.flags { _ = fields[flag] }
        var amounts: [(text: String, position: SourcePosition)] = []
        var currency: Currency?
        for field in keys.texts {
            guard let text = fields[field], let position = fields.node(of: field)?.position else { continue }
            if MemberKeys.isAmount(field) { amounts.append((text, position)) }
            if field.key == "currency" { currency = Currency(text) }
        }
        fields.finish()
        guard let currency else { return }
        for amount in amounts { checkDigits(amount.text, currency, at: amount.position) }
    }

    private func checkDigits(_ text: String, _ currency: Currency, at position: SourcePosition) {
        do throws(MoneyError) {
            let money = try Money(major: text, currency: currency)
            if money.major != text {
                complaints.add(found: "`\(text)`", expected: "all digits of \(currency): \"\(money.major)\"", at: position)
            }
        } catch {
            complaints.add("\(error)", at: position)
        }
    }
}
