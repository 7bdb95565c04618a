import BankModel

extension StepEnding {
    /// One way in which a step ended otherwise than an ending says, though with the same outcome.
    enum Difference: Hashable {
        case view(ViewDifference)
        /// The view says that it is old data and must not, or the other way round.
        case age(isExpectedOld: Bool)
        /// The view has something at this path of keys.
        case surplus(String)

        /// A noun phrase after `showed`.
        var text: Phrase {
            switch self {
            case .view(let difference): ViewComparison.text(difference)
            case .age(let isExpectedOld):
                isExpectedOld ? "the data without marking it as old (`stale`)" : "the data marked as old (`stale`)"
            case .surplus(let path): "\(fixed: path), which must not be there"
            }
        }

        /// The rows that a list lacks; nil if it does not lack any.
        var missingRows: Int? {
            guard case .view(let difference) = self, case .rows(let wanted, let seen) = difference.kind else { return nil }
            return !seen.isEmpty && seen.count < wanted.count ? wanted.count - seen.count : nil
        }

        /// The difference between the views; nil for one of another kind.
        var inView: ViewDifference? { if case .view(let difference) = self { difference } else { nil } }
    }
}
