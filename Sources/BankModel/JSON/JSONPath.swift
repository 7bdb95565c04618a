/// A path into JSON, such as `$.items[?(@.amount > 5)].id`, with the meaning that Jayway's JsonPath gives it, which WireMock uses.
///
/// A filter applies to each element of a list, and to an object as a whole. A number and a text are equal if the one on the right reads
/// as the one on the left: `5` equals `'5'`.
package struct JSONPath: Sendable, Hashable {
    /// The path as written.
    package let source: String
    let steps: [Segment]

    /// - Throws: what is not supported, and where.
    package init(_ source: String) throws(PatternError) {
        var parser = JSONPathParser(source)
        self.source = source
        steps = try parser.whole()
    }

    init(source: String, steps: [Segment]) { (self.source, self.steps) = (source, steps) }

    package static func == (a: JSONPath, b: JSONPath) -> Bool { a.source == b.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }

    /// What a path leads to.
    package enum Selection: Sendable, Hashable {
        case nothing
        /// The path names one value.
        case one(JSON)
        /// The path has a filter, a wildcard or the like: it names as many as there are.
        case several([JSON])

        var values: [JSON] {
            switch self {
            case .nothing: []
            case .one(let value): [value]
            case .several(let values): values
            }
        }

        /// The value, or the list of values.
        package var whole: JSON? {
            switch self {
            case .nothing: nil
            case .one(let value): value
            case .several(let values): .array(values)
            }
        }

        /// Whether there is something: not null, and no empty list or object.
        package var isPresent: Bool {
            switch self {
            case .nothing: false
            case .one(.null): false
            case .one(.array(let elements)): !elements.isEmpty
            case .one(.object(let object)): !object.members.isEmpty
            case .one: true
            case .several(let values): !values.isEmpty
            }
        }

        /// The texts that a comparison sees: of a list each element's; of an object its JSON.
        package var texts: [String] {
            let values: [JSON] = if case .one(.array(let elements)) = self { elements } else { values }
            return values.compactMap { $0 == .null ? nil : $0.doubleText }
        }
    }

    /// The values in a document; nothing if that takes more than ``Work`` allows.
    package func find(in root: JSON) -> Selection {
        let work = Work()
        let found = find(from: root, root: root, work)
        return work.isExceeded ? .nothing : found
    }

    func find(from start: JSON, root: JSON, _ work: Work) -> Selection {
        var values = [start]
        for step in steps { values = values.flatMap { step.values(of: $0, root: root, work) } }
        if steps.allSatisfy(\.isDefinite) { return values.first.map(Selection.one) ?? .nothing }
        return .several(values)
    }

    /// How much a search may do: each of `..*..*..*` and of `[0,0][0,0]` multiplies what the one before has found, and a filter may search
    /// the whole document for each element.
    final class Work {
        /// Enough for `..` in a body of 1 MiB: half a million numbers, each counted twice, or fewer objects, each counted four times.
        private var left = 2_000_000

        var isExceeded: Bool { left < 0 }

        /// Counts steps; false once there were too many.
        func take(_ count: Int) -> Bool {
            left -= min(count, left + 1)
            return !isExceeded
        }
    }

    indirect enum Segment: Sendable {
        case members([String])
        case elements([Int])
        case slice(from: Int?, to: Int?)
        case all
        case filter(JSONFilter)
        /// The step at this value and everywhere below.
        case everywhere(Segment)
        case length

        /// Whether it leads to one value at most.
        var isDefinite: Bool {
            switch self {
            case .members(let names): names.count == 1
            case .elements(let positions): positions.count == 1
            case .length: true
            case .slice, .all, .filter, .everywhere: false
            }
        }

        /// How many values one step reads at most; those below are counted where they are read. Only `..` reads anything of a number or a text.
        private func cost(_ value: JSON) -> Int {
            switch (self, value) {
            case (.everywhere, _): 1
            case (.members(let names), .object): names.count
            case (.elements(let positions), .array): positions.count
            case (.slice, .array(let elements)), (.all, .array(let elements)), (.filter, .array(let elements)): 1 + elements.count
            case (.all, .object(let object)): 1 + object.members.count
            case (.filter, .object), (.length, _): 1
            default: 0
            }
        }

        func values(of value: JSON, root: JSON, _ work: Work) -> [JSON] {
            guard work.take(cost(value)) else { return [] }
            switch (self, value) {
            case (.members(let names), .object(let object)): return names.compactMap { object[$0] }
            case (.elements(let positions), .array(let elements)):
                return positions.map { $0 < 0 ? $0 + elements.count : $0 }.filter(elements.indices.contains).map { elements[$0] }
            case (.slice(let from, let to), .array(let elements)):
                func position(_ number: Int) -> Int { min(max(number < 0 ? number + elements.count : number, 0), elements.count) }
                let (low, high) = (position(from ?? 0), position(to ?? elements.count))
                return low < high ? Array(elements[low..<high]) : []
            case (.all, .array(let elements)): return elements
            case (.all, .object(let object)): return object.members.map(\.value)
            case (.filter(let filter), .array(let elements)): return elements.filter { filter.holds($0, root: root, work) }
            case (.filter(let filter), .object): return filter.holds(value, root: root, work) ? [value] : []
            case (.everywhere(let step), _):
                let inner = Segment.all.values(of: value, root: root, work).flatMap { values(of: $0, root: root, work) }
                // A filter's elements are tested where they are themselves.
                if case .filter = step, value.array != nil { return inner }
                return step.values(of: value, root: root, work) + inner
            case (.length, .array(let elements)): return [.int(elements.count)]
            case (.length, .object(let object)): return [.int(object.members.count)]
            case (.length, .string(let text)): return [.int(text.utf16.count)]
            default: return []
            }
        }
    }
}

/// The condition of a step such as `[?(@.amount > 5)]`.
indirect enum JSONFilter: Sendable {
    case either([JSONFilter])
    case both([JSONFilter])
    case not(JSONFilter)
    /// Whether the path leads to something.
    case exists(Operand)
    case compared(Operand, Comparison, Operand)

    enum Operand: Sendable {
        case literal(JSON)
        case pattern(TextPattern)
        /// A path from the tested value, or from the document's root.
        case path(JSONPath, fromRoot: Bool)
    }

    enum Comparison: String, Sendable, CaseIterable {
        case equal = "=="
        case unequal = "!="
        case matches = "=~"
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case more = ">"
        case among = "in"
        case notAmong = "nin"
        case contains
    }

    func holds(_ value: JSON, root: JSON, _ work: JSONPath.Work) -> Bool {
        switch self {
        case .either(let parts): parts.contains { $0.holds(value, root: root, work) }
        case .both(let parts): parts.allSatisfy { $0.holds(value, root: root, work) }
        case .not(let part): !part.holds(value, root: root, work)
        case .exists(let operand): operand.value(value, root, work) != nil
        case .compared(let left, let comparison, let right): holds(left, comparison, right, value, root, work)
        }
    }

    private func holds(
        _ left: Operand, _ comparison: Comparison, _ right: Operand, _ value: JSON, _ root: JSON, _ work: JSONPath.Work
    ) -> Bool {
        if comparison == .matches {
            guard case .pattern(let pattern) = right, let found = left.value(value, root, work), !found.isContainer, found != .null else {
                return false
            }
            let text = found.plainText
            return work.take(text.utf8.count) && pattern.matches(text)
        }
        let (a, b) = (left.value(value, root, work), right.value(value, root, work))
        switch comparison {
        case .equal: return a.isLooselyEqual(to: b)
        case .unequal: return !a.isLooselyEqual(to: b)
        case .less, .more, .atMost, .atLeast: return ordered(a, b, comparison)
        case .among: return b?.array?.contains { a.isLooselyEqual(to: $0) } ?? false
        case .notAmong: return !(b?.array?.contains { a.isLooselyEqual(to: $0) } ?? false)
        case .contains:
            if let text = a?.string, let part = b?.string { return part.isEmpty || text.contains(part) }
            return a?.array?.contains { Optional($0).isLooselyEqual(to: b) } ?? false
        case .matches: return false
        }
    }

    private func ordered(_ a: JSON?, _ b: JSON?, _ comparison: Comparison) -> Bool {
        func holds<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
            switch comparison {
            case .less: a < b
            case .more: a > b
            case .atMost: a <= b
            default: a >= b
            }
        }
        switch (a, b) {
        case (.number(let a), .number(let b)): return a == b ? holds(0, 0) : holds(a.double, b.double)
        case (.string(let a), .string(let b)): return holds(a, b)
        default: return false
        }
    }
}

extension JSONFilter.Operand {
    /// Its value; nil if the path leads nowhere.
    func value(_ value: JSON, _ root: JSON, _ work: JSONPath.Work) -> JSON? {
        switch self {
        case .literal(let literal): return literal
        case .pattern: return nil
        case .path(let path, let fromRoot):
            switch path.find(from: fromRoot ? root : value, root: root, work) {
            case .nothing: return nil
            case .one(let found): return found
            case .several(let found): return found.isEmpty ? nil : .array(found)
            }
        }
    }
}

extension Optional<JSON> {
    /// Jayway's equality, which takes the left side's kind: a number equals the text that reads as it, and a text the number that is
    /// written so.
    fileprivate func isLooselyEqual(to other: JSON?) -> Bool {
        switch (self, other) {
        case (.number(let number), .string(let text)): JSONNumber(text).map { $0 == number } ?? false
        case (.string(let text), .number(let number)): text == number.digits
        case (nil, _), (_, nil): self == nil && other == nil
        default: self == other
        }
    }
}

extension JSON {
    /// The value as plain text, numbers with a fraction as a program writes them that reads doubles: `12.50` is `12.5`.
    package var doubleText: String {
        guard case .number(let number) = self, number.digits.contains(where: { ".eE".contains($0) }) else {
            return isContainer ? text : plainText
        }
        let value = number.double
        guard value.isFinite else { return plainText }
        if value == 0 || (0.001..<10_000_000).contains(abs(value)) { return "\(value)" }
        var (digits, exponent) = (abs(value), 0)
        while digits >= 10 { (digits, exponent) = (digits / 10, exponent + 1) }
        while digits < 1 { (digits, exponent) = (digits * 10, exponent - 1) }
        return "\(value < 0 ? "-" : "")\(digits)E\(exponent)"
    }
}
