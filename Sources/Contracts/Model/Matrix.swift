import BankModel

/// The combinations in which a case is run.
package struct Matrix: Sendable {
    /// Each key with its values, in file order.
    package var axes: [(key: String, values: [String])] = []
    /// Combinations left out: those that have all of these values.
    package var except: [[String: String]] = []
    /// Those in quotes: strings, whatever they look like.
    private var texts: Set<Parameter> = []

    /// The most instances of a case on one bank.
    private static let mostCombinations = 10_000

    /// Reads `{by: [close, reset], connection: [cold]}` and the list of what is left out; the keys of `foreach` come last.
    init(_ node: Node?, foreach: Corpus.Foreach, except: Node?, _ complaints: Complaints) {
        if let node {
            axes = Fields(node, of: "a matrix", complaints).all.map { key, keyNode, value in
                let values = value.texts(complaints) ?? []
                if values.isEmpty { complaints.add("the matrix key `\(key)` has no value", at: keyNode.position) }
                for case .scalar(let text, quoted: true) in value.elements(Complaints())?.map(\.content) ?? [] {
                    texts.insert(Parameter(key: key, value: text))
                }
                return (key, values)
            }
        }
        for (key, position, names) in foreach.axes {
            if axes.contains(where: { $0.key == key }) {
                complaints.add("the key `\(key)` is both in `foreach` and in the matrix", at: position)
            }
            axes.append((key, names))
        }
        let (first, count) = (axes.first?.key ?? "", axes.reduce(1.0) { $0 * Double($1.values.count) })
        if count > Double(Matrix.mostCombinations) {
            complaints.add(
                found: "more than \(Matrix.mostCombinations) combinations of `\(first)` and the keys after it", expected: "fewer values",
                at: node?.position ?? foreach.axes.first?.position ?? SourcePosition())
            axes = axes.map { ($0.key, Array($0.values.prefix(1))) }
        }
        for combination in except?.elements(complaints) ?? [] {
            let members = Fields(combination, of: "a combination left out", complaints).all
            for (key, keyNode, value) in members {
                let known = axes.first { $0.key == key }
                if known == nil {
                    complaints.add(found: "`\(key)`", expected: "a key of the matrix, \(oneOf(axes.map(\.key)))", at: keyNode.position)
                } else if let text = value.scalar, known?.values.contains(text) == false {
                    complaints.add(found: "`\(text)`", expected: "a value of `\(key)`, \(oneOf(known?.values ?? []))", at: value.position)
                }
            }
            self.except.append(Dictionary(members.map { ($0.key, $0.value.anyText(complaints) ?? "") }, uniquingKeysWith: { $1 }))
        }
    }

    /// The node that replaces `$name`: a string if it is quoted.
    func scalar(_ parameter: Parameter) -> Node.Content { .scalar(parameter.value, quoted: texts.contains(parameter)) }

    /// Every combination, the last key varying fastest.
    package var combinations: [[Parameter]] {
        let all = axes.reduce([[]]) { rows, axis in
            rows.flatMap { row in axis.values.map { row + [Parameter(key: axis.key, value: $0)] } }
        }
        return all.filter { row in
            !except.contains { left in left.allSatisfy { key, value in row.contains { $0.key == key && $0.value == value } } }
        }
    }
}

/// One key of a matrix with the value it has in an instance.
package struct Parameter: Sendable, Hashable {
    package var key: String
    package var value: String
}

extension Node {
    /// The node with every scalar `$key` replaced by that parameter's value, quoted if that is. Other `$names` stay.
    func substituting(_ parameters: [String: Content]) -> Node {
        switch content {
        case .scalar(let text, quoted: false) where text.hasPrefix("$"):
            guard let value = parameters[String(text.dropFirst())] else { return self }
            return Node(value, at: position)
        case .scalar: return self
        case .list(let nodes): return Node(.list(nodes.map { $0.substituting(parameters) }), at: position)
        case .mapping(let members):
            let replaced = members.map { (key: $0.key.substituting(parameters), value: $0.value.substituting(parameters)) }
            return Node(.mapping(replaced), at: position)
        }
    }
}
