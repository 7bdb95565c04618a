/// The rules of a body as a tree of their steps. Each location of the body looks for its rule, and a pact may have thousands of both.
struct BodyRuleTree {
    private struct Branch {
        /// The number of the first rule that ends here; nil for none.
        var rule: Int?
        /// How many of the steps to here are `*`.
        let wildcards: Int
        /// The branches that follow, by their steps.
        var next: [PactRules.PathElement: Int] = [:]
    }

    /// The first is the whole body.
    private var branches = [Branch(wildcards: 0)]

    /// Adds a rule; of several with the same steps the first counts.
    mutating func add(_ rule: Int, at steps: [PactRules.PathElement]) {
        var position = 0
        for step in steps {
            if let next = branches[position].next[step] {
                position = next
            } else {
                let new = Branch(wildcards: branches[position].wildcards + (step == .any ? 1 : 0))
                branches[position].next[step] = branches.count
                position = branches.count
                branches.append(new)
            }
        }
        if branches[position].rule == nil { branches[position].rule = rule }
    }

    /// Whether a rule has exactly these steps.
    func has(_ steps: [PactRules.PathElement]) -> Bool {
        var position = 0
        for step in steps {
            guard let next = branches[position].next[step] else { return false }
            position = next
        }
        return branches[position].rule != nil
    }

    /// The longest rule above or at a location, of these the one with the fewest `*`, of these the first.
    func rule(at location: [PactRules.PathElement]) -> Int? {
        var open = [0]
        var found = first(of: open)
        for step in location {
            open = following(open, step)
            found = first(of: open) ?? found
        }
        return found
    }

    /// Whether a rule stands at the location or below it.
    func hasRule(below location: [PactRules.PathElement]) -> Bool {
        if location.isEmpty { return branches.count > 1 || branches[0].rule != nil }
        // A branch is made for a rule only.
        return !location.reduce([0], following).isEmpty
    }

    private func following(_ open: [Int], _ step: PactRules.PathElement) -> [Int] {
        open.flatMap { position in
            [branches[position].next[step], step == .any ? nil : branches[position].next[.any]].compactMap(\.self)
        }
    }

    private func first(of open: [Int]) -> Int? {
        let rules = open.compactMap { position in branches[position].rule.map { (branches[position].wildcards, $0) } }
        return rules.min { $0 < $1 }?.1
    }
}
