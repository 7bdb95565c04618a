import BankCore
import BankModel

/// Makes the request for an operation from its definition, which has where each value goes.
struct CallBuilder {
    private let operation: Operation
    private var draft: RequestDraft

    /// - Throws: ``UnfillableCall`` if only a value that cannot be made up distinguishes the operation from others.
    init(_ operation: Operation, parameters: [String: String] = [:]) throws(UnfillableCall) {
        self.operation = operation
        draft = RequestDraft(method: operation.method, path: operation.path)
        draft[.header("Accept")] = RequestDraft.Value("application/json")
        for (name, text) in parameters { draft[.path(name)] = RequestDraft.Value(.string(text)) }
        for condition in operation.when {
            guard let value = condition.wanted.example else { continue }
            guard !condition.part.isWhole, let location = condition.inRequest, condition.wanted.holds(value) else {
                throw UnfillableCall(what: "its whole \(condition.part.rawValue)")
            }
            if case .path(let name) = location, let own = parameters[name], own != value.plainText {
                throw UnfillableCall(what: "the value of its `\(name)` that the bank's files name")
            }
            fill(location, value)
        }
    }

    /// Puts a value where the operation looks for it.
    mutating func put(_ value: JSON, at source: ValueSource) throws(UnfillableCall) {
        if case .literal = source { return }
        guard let location = source.inRequest else { throw UnfillableCall(what: "a value that is not part of a request") }
        fill(location, value)
    }

    private mutating func fill(_ location: RequestDraft.Location, _ value: JSON) {
        draft[location] = RequestDraft.Value(value)
        switch location {
        case .form: draft.form = .form
        case .body: draft.form = .json
        case .path, .query, .header, .rawQuery, .text: break
        }
    }

    /// Goes with that token.
    mutating func authorise(_ token: String) { draft[.header("Authorization")] = RequestDraft.Value(.string(token), prefix: "Bearer ") }

    /// The request.
    ///
    /// - Throws: ``UnfillableCall`` naming what the operation wants and nobody has put there.
    func request() throws(UnfillableCall) -> BankRequest {
        for name in operation.path.parameters where draft[.path(name)] == nil { throw UnfillableCall(what: "`\(name)` in the path") }
        let json = draft.json()
        for field in operation.body?.required ?? [] where draft[.form(field)] == nil && json?.at(field) == nil {
            throw UnfillableCall(what: "`\(field)` in the body")
        }
        return draft.request()
    }
}

/// Something that an operation wants and that nobody has given.
struct UnfillableCall: Error, CustomStringConvertible {
    let what: String

    var description: String { "it needs \(what), which verify cannot supply" }
}

extension Condition.Wanted {
    /// A value that holds; nil where nothing must stand there.
    fileprivate var example: JSON? {
        switch self {
        case .absent: nil
        case .value(let value): value
        case .like(let patterns): .string(patterns.joined().filter { $0 != "*" })
        case .any(let parts): parts.lazy.compactMap(\.example).first
        case .all, .matches, .not, .values, .at, .alike, .schema: .null
        }
    }
}
