import BankCore
import BankModel

extension LearnedList {
    /// Why the rows of a list do not become a table; nil if the responses are not lists.
    ///
    /// - Parameter segments: what follows the call's path in other requests.
    static func reason(_ exchanges: [LearnedExchange], below segments: Set<String>) -> String? {
        guard let path = path(exchanges), let first = exchanges.first(where: { !rows($0.json, path).isEmpty }) else { return nil }
        // The list is a part of the one thing that the path names.
        if case .parameter? = first.path.parts.last { return nil }
        let found = rows(first.json, path).compactMap(\.object)
        if let name = found.lazy.flatMap(\.keys).first(where: { $0.hasPrefix("_") }) {
            return "its rows have `\(name)`, and a bank never sends a field that begins with `_`"
        }
        guard key(found, path, first, segments) != nil else { return "its rows have no id by the usual names" }
        let names = distinct(exchanges.flatMap { $0.query.map(\.name) }).map { "`\($0)`" }
        return names.isEmpty ? "its rows differ between responses" : "nothing shows how \(names.joined(separator: ", ")) choose its rows"
    }
}
