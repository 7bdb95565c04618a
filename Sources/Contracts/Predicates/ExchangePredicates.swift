package import BankModel

/// How many requests there may be: `{requests: {role: pay, max: 3}}`.
package struct RequestsPredicate: Predicate {
    package static let name = "requests"

    let filter: ExchangeFilter
    let allowed: ClosedRange<Int>

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`requests`", complaints)
        filter = ExchangeFilter(inner, outline, complaints)
        let least = inner["min"].flatMap { $0.int(in: 0...Int.max, complaints) }
        let most = inner["max"].flatMap { $0.int(in: (least ?? 0)...Int.max, complaints) }
        inner.finish()
        guard least != nil || most != nil else {
            complaints.add("`requests` needs `min` or `max`", at: node.place)
            return nil
        }
        allowed = (least ?? 0)...(most ?? .max)
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let count = filter.exchanges(of: scene).count
        guard !allowed.contains(count) else { return [] }
        let most = allowed.upperBound == .max ? "" : " and at most \(allowed.upperBound)"
        return [Unmet(expected: "at least \(allowed.lowerBound)\(most) requests\(filter.text)", seen: "\(count)")]
    }
}

/// In which order roles first come: `{order: [login, accounts]}`.
package struct OrderPredicate: Predicate {
    package static let name = "order"

    let roles: [Role]

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name), let nodes = node.elements(complaints) else { return nil }
        roles = nodes.compactMap { $0.choice(of: Role.self, complaints) }
        guard roles.count > 1 else {
            complaints.add(found: "\(roles.count) roles", expected: "at least two roles", at: node.place)
            return nil
        }
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let exchanges = scene.exchanges
        var rest = exchanges[...]
        for role in roles {
            guard let index = rest.firstIndex(where: { $0.roles.contains(role.rawValue) }) else {
                let seen = exchanges.map { $0.roles.isEmpty ? $0.path : $0.roles.joined(separator: "+") }
                return [
                    Unmet(
                        expected: "requests in the order \(roles.map(\.rawValue).joined(separator: ", "))",
                        seen: clipped(seen.joined(separator: ", "), to: 300))
                ]
            }
            rest = exchanges[(index + 1)...]
        }
        return []
    }
}

/// How long a client waits between attempts: `{gap: {role: pay, min: 1s, max: 30s}}`.
///
/// Measured from one reply's end to the next request's head, over the exchanges of one intent, or of the role where there
/// is none. No second attempt means not exercised: retrying is not demanded.
package struct GapPredicate: Predicate {
    package static let name = "gap"

    let filter: ExchangeFilter
    let least: Duration
    let most: Duration?

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`gap`", complaints)
        filter = ExchangeFilter(inner, outline, complaints)
        let least = inner["min"].flatMap { $0.duration(complaints) }
        most = inner["max"].flatMap { $0.duration(complaints) }
        inner.finish()
        guard least != nil || most != nil else {
            complaints.add("`gap` needs `min` or `max`", at: node.place)
            return nil
        }
        self.least = least ?? .zero
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let byIntent = Dictionary(grouping: filter.exchanges(of: scene)) { scene.intent(of: $0) }
        let gaps = byIntent.values.flatMap { attempts in
            zip(attempts, attempts.dropFirst()).map { earlier, later in
                Duration.nanoseconds(later.monoNanoseconds - earlier.monoNanoseconds - (earlier.durationMicroseconds ?? 0) * 1000)
            }
        }
        let expected = "between attempts\(filter.text) at least \(least.shortText)" + (most.map { " and at most \($0.shortText)" } ?? "")
        guard !gaps.isEmpty else { return [Unmet(.notExercised, expected: expected, seen: "no second attempt")] }
        guard let wrong = gaps.first(where: { $0 < least || $0 > most ?? $0 }) else { return [] }
        return [Unmet(expected: expected, seen: wrong.shortText)]
    }
}

/// No token and no listed secret stands in an address: `{url: {lacks: $tokens}}`.
///
/// The journal has a token's id wherever its text was, so the id in a path or query tells.
package struct URLPredicate: Predicate {
    package static let name = "url"

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields.required(Self.name) else { return nil }
        let inner = Fields(node, of: "`url`", complaints)
        guard let lacks = inner.required("lacks") else { return nil }
        inner.finish()
        if lacks.scalar != "$tokens" { complaints.add(found: lacks.kindName, expected: "$tokens", at: lacks.place) }
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let found = scene.exchanges.first { "\($0.path)?\($0.query ?? "")".contains("token#") }
        return found.map { exchange in
            let address = exchange.path + (exchange.query.map { "?\($0)" } ?? "")
            return [Unmet(.violation, expected: "no token in an address", seen: "exchange \(exchange.seq): \(address)")]
        } ?? []
    }
}
