import BankCore
package import BankModel

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
