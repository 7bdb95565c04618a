import BankCore
import BankModel

/// The rows from earlier responses of one side, from which later requests are built.
struct Gathered {
    /// A row that was shown, and the rows that the request for it named.
    private struct Row {
        var table: String
        var fields: JSONObject
        var context: [RowField: String]
    }

    /// The values of an operation's parameters.
    struct Binding: Hashable {
        var parameters: [String: String] = [:]
        var context: [RowField: String] = [:]
        /// Taken from the stub, or from what the bank's files know: the provider may not have it.
        var isGuess = false
    }

    private var rows: [Row] = []
    private var addresses: [String] = []
    private let baseURL: String
    /// The number of rows stored per table.
    private let most: Int

    /// - Parameter baseURL: what absolute addresses of this side begin with.
    init(baseURL: String, most: Int) {
        self.baseURL = baseURL
        self.most = most
    }

    /// Learns from a response.
    mutating func take(_ response: JSON, _ locations: ResponseLocations, _ context: [RowField: String]) {
        for location in locations.rows {
            guard let found = response.at(steps: location.path) else { continue }
            for case .object(let fields) in found.array ?? [found] where rows.count(where: { $0.table == location.table }) < most {
                rows.append(Row(table: location.table, fields: fields, context: context))
            }
        }
        for text in response.flattened.compactMap(\.string) where addresses.count < 1000 {
            let isOwn = text.hasPrefix(baseURL + "/")
            if isOwn || text.hasPrefix("/") { addresses.append(isOwn ? String(text.dropFirst(baseURL.count)) : text) }
        }
    }

    /// The requests that can be made of an operation, the first that were learned first.
    ///
    /// - Parameter known: values that were given, by the parameter's name or `operation.parameter`.
    func bindings(of read: ReadableOperation, known: [String: String]) -> [Binding] {
        var bindings = [Binding()]
        for name in read.operation.path.parameters {
            let values = values(of: name, read, known)
            bindings = distinct(bindings.flatMap { binding in values.compactMap { binding.merged(with: $0) } })
        }
        return bindings
    }

    private func values(of name: String, _ read: ReadableOperation, _ known: [String: String]) -> [Binding] {
        if let value = known["\(read.operation.name).\(name)"] ?? known[name] { return [Binding(parameters: [name: value])] }
        if let origin = read.origins[name] {
            return rows.filter { $0.table == origin.table }.compactMap { row in
                guard let value = JSON.object(row.fields).at(origin.field)?.plainText, !value.isEmpty else { return nil }
                var context = row.context
                context[origin] = value
                return Binding(parameters: [name: value], context: context)
            }
        }
        let linked = addresses.compactMap { address in
            let path = String(address.prefix { $0 != "?" && $0 != "#" })
            return BankRequest("GET", path).segments.flatMap { read.operation.path.parameters(of: $0) }
        }
        if !linked.isEmpty { return linked.map { Binding(parameters: $0) } }
        guard let files = read.files, files.parameter == name else { return [] }
        return files.names.prefix(1).map { Binding(parameters: [name: $0], isGuess: true) }
    }
}

extension Gathered.Binding {
    /// Both together; nil if they name different rows or values.
    fileprivate func merged(with other: Self) -> Self? {
        let isOne =
            other.parameters.allSatisfy { name, value in parameters[name] == nil || parameters[name] == value }
            && other.context.allSatisfy { field, value in context[field] == nil || context[field] == value }
        guard isOne else { return nil }
        return Self(
            parameters: parameters.merging(other.parameters) { own, _ in own }, context: context.merging(other.context) { own, _ in own },
            isGuess: isGuess || other.isGuess)
    }
}
