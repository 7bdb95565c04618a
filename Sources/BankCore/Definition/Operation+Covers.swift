extension Operation {
    /// Whether every request that matches the other matches this one too, so that behind it the other is unreachable.
    package func covers(_ other: Operation) -> Bool {
        method == other.method && path.covers(other.path)
            && when.allSatisfy { wanted in other.when.contains { $0.implies(wanted) } }
    }
}

extension PathTemplate {
    /// Whether every path that matches the other matches this one too.
    func covers(_ other: PathTemplate) -> Bool {
        let isLongEnough = hasRest ? other.parts.count >= parts.count : other.parts.count == parts.count && !other.hasRest
        return isLongEnough && zip(parts, other.parts).allSatisfy { $0.covers($1) }
    }

    /// Whether some path may match both.
    func meets(_ other: PathTemplate) -> Bool {
        let isLongEnough =
            switch (hasRest, other.hasRest) {
            case (false, false): parts.count == other.parts.count
            case (true, false): other.parts.count >= parts.count
            case (false, true): parts.count >= other.parts.count
            case (true, true): true
            }
        return isLongEnough && zip(parts, other.parts).allSatisfy { $0.meets($1) }
    }
}

extension PathTemplate.Part {
    /// Whether every segment that matches the other matches this one too.
    func covers(_ other: PathTemplate.Part) -> Bool {
        switch (self, other) {
        case (.rest, _): true
        case (.parameter, .literal(let text)): !text.isEmpty
        case (.parameter, .parameter), (.parameter, .parameterWithSuffix): true
        case (.literal(let a), .literal(let b)): a == b
        case (.parameterWithSuffix, .literal(let text)): fits(text)
        case (.parameterWithSuffix(_, let a), .parameterWithSuffix(_, let b)): b.hasSuffix(a)
        default: false
        }
    }

    /// Whether some segment may match both.
    func meets(_ other: PathTemplate.Part) -> Bool {
        switch (self, other) {
        case (.literal(let text), let part), (let part, .literal(let text)): part.fits(text)
        default: true
        }
    }
}
