/// The automaton of a regular expression: all its states are followed at once, so that no text takes longer than another of its length.
struct PatternProgram: Sendable {
    private enum Instruction: Sendable {
        /// A character of the set with that index.
        case set(Int)
        case split(Int, Int)
        case jump(Int)
        case assertion(PatternTree.Assertion)
        case accept
    }

    private var steps: [Instruction] = []
    private var sets: [ScalarSet] = []

    /// More would make one character of a text expensive.
    private static let most = 5000
    /// How many states a run follows at most: an expression of all steps makes each character of a body of 1 MiB expensive, and the server
    /// answers nobody else meanwhile. Enough for `.*a.*b.*` in such a body.
    private static let mostFollowed = 10_000_000

    init(_ tree: PatternTree) throws(PatternError) {
        try add(tree)
        steps.append(.accept)
    }

    private mutating func add(_ tree: PatternTree) throws(PatternError) {
        guard steps.count < PatternProgram.most else {
            throw PatternError(
                column: 1, found: "a long expression", expected: "at most \(PatternProgram.most) steps once its counts are written out")
        }
        switch tree {
        case .set(let set):
            sets.append(set)
            steps.append(.set(sets.count - 1))
        case .assertion(let assertion): steps.append(.assertion(assertion))
        case .sequence(let parts): for part in parts { try add(part) }
        case .either(let parts):
            var ends: [Int] = []
            for part in parts.dropLast() {
                let split = steps.count
                steps.append(.accept)
                try add(part)
                ends.append(steps.count)
                steps.append(.accept)
                steps[split] = .split(split + 1, steps.count)
            }
            if let last = parts.last { try add(last) }
            for end in ends { steps[end] = .jump(steps.count) }
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try add(part) }
            guard let most else { return try addAny(part) }
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(steps.count)
                steps.append(.accept)
                try add(part)
            }
            for split in splits { steps[split] = .split(split + 1, steps.count) }
        }
    }

    private mutating func addAny(_ part: PatternTree) throws(PatternError) {
        let split = steps.count
        steps.append(.accept)
        try add(part)
        steps.append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
    }

    // MARK: run

    /// The states that are reached at one position of the text.
    private struct Reached {
        var list: [Int] = []
        /// Those that are still to be added, with what they lead to.
        var open: [Int] = []
        private var marks: [Bool]

        init(_ count: Int) { marks = Array(repeating: false, count: count) }

        func has(_ state: Int) -> Bool { marks[state] }

        mutating func insert(_ state: Int) -> Bool {
            guard !marks[state] else { return false }
            marks[state] = true
            list.append(state)
            return true
        }

        mutating func removeAll() {
            for state in list { marks[state] = false }
            list.removeAll(keepingCapacity: true)
        }
    }

    /// - Parameter isWhole: the text from its beginning to its end; otherwise any part of it.
    /// - Returns: false as well if that follows too many states.
    func run(_ text: [Unicode.Scalar], isWhole: Bool) -> Bool {
        var (now, next) = (Reached(steps.count), Reached(steps.count))
        var followed = 0
        for position in 0...text.count {
            if position == 0 || !isWhole { reach(0, &now, text, position) }
            if !isWhole || position == text.count, now.has(steps.count - 1) { return true }
            followed += now.list.count
            if now.list.isEmpty || position == text.count || followed > PatternProgram.mostFollowed { return false }
            for state in now.list {
                if case .set(let set) = steps[state], sets[set].contains(text[position]) { reach(state + 1, &next, text, position + 1) }
            }
            swap(&now, &next)
            next.removeAll()
        }
        return false
    }

    /// Adds a state, and those that are reached from it without a character.
    private func reach(_ state: Int, _ reached: inout Reached, _ text: [Unicode.Scalar], _ position: Int) {
        reached.open.append(state)
        while let state = reached.open.popLast() {
            guard reached.insert(state) else { continue }
            switch steps[state] {
            case .set, .accept: break
            case .jump(let target): reached.open.append(target)
            case .split(let first, let second):
                reached.open.append(second)
                reached.open.append(first)
            case .assertion(let assertion): if holds(assertion, text, position) { reached.open.append(state + 1) }
            }
        }
    }

    private func holds(_ assertion: PatternTree.Assertion, _ text: [Unicode.Scalar], _ position: Int) -> Bool {
        func isWord(_ position: Int) -> Bool { text.indices.contains(position) && ScalarSet.words.contains(text[position]) }
        return switch assertion {
        case .start: position == 0
        case .end: position == text.count
        case .wordBoundary: isWord(position - 1) != isWord(position)
        case .noWordBoundary: isWord(position - 1) == isWord(position)
        }
    }
}
