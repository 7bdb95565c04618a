import BankModel

/// The part of a driver's own words that is kept: a driver that sends megabytes must not fill a report.
extension DriverMessage {
    /// The most characters of one text.
    package static let longestText = 2000

    /// The message with each of its free texts cut to ``longestText``. Views are data: reports show excerpts of them.
    package var bounded: DriverMessage {
        switch self {
        case .hello(var hello):
            hello.nonce = hello.nonce.ofDriver
            hello.client = hello.client.ofDriver
            hello.banks = hello.banks?.map(\.ofDriver)
            hello.operations = hello.operations.map(\.ofDriver)
            hello.features = hello.features.map(\.ofDriver)
            return .hello(hello)
        case .result(let id, let n, .error(let name, let detail), let note):
            return .result(case: id, n: n, .error(name, detail: detail?.ofDriver), note: note?.ofDriver)
        case .result(let id, let n, let result, let note): return .result(case: id, n: n, result, note: note?.ofDriver)
        case .ready, .ended: return self
        }
    }

    /// All of the free text that is sent with a result; nil without any.
    package var freeText: String? {
        guard case .result(_, _, let result, let note) = self else { return nil }
        guard case .error(_, let detail) = result, let detail else { return note }
        return detail + (note.map { "\n\($0)" } ?? "")
    }
}

extension String {
    /// The text, which contains words of a driver's, as messages and reports have it.
    package var ofDriver: String { shortened(to: DriverMessage.longestText) }
}
