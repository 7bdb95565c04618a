package import BankModel

/// The operation that a request matches, and the path's parameters.
package struct Match: Sendable {
    /// The bank's operations: to share them all costs less than a copy of the one that matched.
    fileprivate let operations: [Operation]
    package var operation: Operation { operations[index] }
    /// The operation's name and roles, without a copy of ``operation``'s thirty fields.
    package var name: String { operations[index].name }
    package var roles: [Role] { operations[index].roles }
    /// The operation's index in the bank.
    package let index: Int
    package let parameters: [String: String]

    /// The token or code that a request presents to be exchanged or revoked; nil if the operation does neither, or the request presents
    /// none.
    package func presentedToken(in request: BankRequest) -> String? {
        switch operation.grant {
        case .refresh(let token, _), .revoke(let token), .code(let token, _, _): token.text(in: request)
        case .password, .client, nil: nil
        }
    }
}

/// An operation that a request nearly matched, with the reasons why it did not.
package struct NearMiss: Sendable, Hashable {
    package let operation: String
    /// The expected request line, such as `GET /v1/accounts/{id}`.
    package let wants: String
    /// Texts such as `method: found PUT, expected POST`.
    package let reasons: [String]

    package var json: JSON {
        ["operation": .string(operation), "wants": .string(wants), "reasons": .array(reasons.map(JSON.string))]
    }
}

/// Finds the operation for a request.
package struct RequestRouter: Sendable {
    private let operations: [Operation]
    /// The numbers of the operations, in order, by their paths.
    private let tree: PathTree<[Int]>
    /// Whether methods and paths are compared as sent.
    private let asSent: Bool

    /// A router of a bank's operations.
    init(_ bank: Bank) {
        operations = bank.operations
        asSent = bank.asSent
        var tree = PathTree<[Int]>()
        for (index, operation) in bank.operations.enumerated() { tree.update(operation.path, default: []) { $0.append(index) } }
        self.tree = tree
    }

    /// The path's segments in the compared form; nil if an escape is broken.
    private func segments(of request: BankRequest) -> [String]? { asSent ? request.segmentsAsSent : request.segments }

    /// The method of the operations that a request can match: HEAD matches where GET does (RFC 9110 §9.3.2), unless methods are compared as
    /// sent.
    private func method(for request: BankRequest) -> String { request.method == "HEAD" && !asSent ? "GET" : request.method }

    /// The first operation that matches.
    ///
    /// - Parameter states: the session's.
    package func match(_ request: BankRequest, states: [String: String] = [:]) -> Match? {
        let method = method(for: request)
        var parts = RequestParts(request, states)
        guard let segments = segments(of: request) else { return nil }
        for index in tree.values(fitting: segments).joined().sorted() where operations[index].method == method {
            guard let parameters = operations[index].path.parameters(of: segments),
                operations[index].when.allSatisfy({ parts.fit($0, parameters) })
            else { continue }
            return Match(operations: operations, index: index, parameters: parameters)
        }
        return nil
    }

    /// Whether an operation with the request's method and path, whatever else it requires, may be called with a client's id and secret.
    func authenticatesClients(at request: BankRequest) -> Bool {
        guard let segments = segments(of: request) else { return false }
        let method = method(for: request)
        return tree.values(fitting: segments).joined().contains { index in
            operations[index].authenticatesClients && operations[index].method == method
                && operations[index].path.parameters(of: segments) != nil
        }
    }

    func operation(_ name: String) -> Operation? { operations.first { $0.name == name } }

    /// The operation that moves money and adds a row to that table.
    func mover(into table: String) -> Operation? {
        let movers = operations.filter { $0.move != nil && $0.insert?.table == table }
        return movers.first { $0.decoupled == nil } ?? movers.first
    }

    /// The methods of the operations that match this path, in order; HEAD with GET, unless methods are compared as sent.
    package func methods(at path: String) -> [String] {
        guard let segments = segments(of: BankRequest("GET", path)) else { return [] }
        var methods: [String] = []
        for operation in operations where operation.path.parameters(of: segments) != nil {
            methods += operation.method == "GET" && !asSent ? ["GET", "HEAD"] : [operation.method]
        }
        return distinct(methods)
    }

    /// The three operations nearest to a request that matched none, nearest first.
    package func nearMisses(_ request: BankRequest, states: [String: String] = [:]) -> [NearMiss] {
        let segments = segments(of: request) ?? request.segmentsAsSent
        let rated = operations.map { operation in
            let reasons = self.reasons(operation, request, segments, states)
            return (
                distance: reasons.distance, miss: NearMiss(operation: operation.name, wants: operation.requestLine, reasons: reasons.texts)
            )
        }
        return rated.sorted { $0.distance < $1.distance }.prefix(3).map(\.miss)
    }

    private func reasons(
        _ operation: Operation, _ request: BankRequest, _ segments: [String], _ states: [String: String]
    ) -> (distance: Int, texts: [String]) {
        var texts: [String] = []
        var distance = 0
        if operation.method != method(for: request) {
            texts.append("method: found \(request.method), expected \(operation.method)")
            distance += 2
        }
        let path = pathReasons(operation.path, segments)
        texts += path.texts
        distance += path.distance
        var values = RequestParts(request, states)
        let parameters = operation.path.parameters(of: segments)
        for condition in operation.when where condition.part != .path || parameters != nil {
            let found = values.value(condition, parameters ?? [:])
            guard !values.fit(condition, parameters ?? [:]) else { continue }
            texts.append("\(condition.location): found \(shown(found, condition)), expected \(condition.wanted.text)")
            distance += 1
        }
        return (distance, texts)
    }

    private func pathReasons(_ path: PathTemplate, _ segments: [String]) -> (distance: Int, texts: [String]) {
        if let start = path.missingStart(of: segments) {
            return (2, ["path: found `/\(segments.joined(separator: "/").echoed)`, expected `\(start)` in front of it"])
        }
        var texts: [String] = []
        var distance = 0
        let parts = path.parts
        if parts.count != segments.count, !path.hasRest || segments.count < parts.count {
            let least = path.hasRest ? "at least " : ""
            texts.append("path: found \(counted(segments.count, "segment")), expected \(least)\(parts.count)")
            distance += 3 * abs(parts.count - segments.count)
        }
        for (part, segment) in zip(parts, segments) where !part.fits(segment) {
            texts.append("path: found `\(segment.echoed)`, expected `\(part.text)`")
            distance += 3
        }
        return (distance, texts)
    }

    private func shown(_ found: JSON?, _ condition: Condition) -> String {
        guard let found else { return "nothing" }
        return condition.isSecret ? "something else" : "`\(found.shownText)`"
    }
}

extension Operation {
    /// Method and path, such as `GET /v1/accounts/{id}`.
    package var requestLine: String { "\(method) \(path)" }
}

extension PathTemplate: CustomStringConvertible {
    package var description: String { parts.reduce(into: "") { $0 += "/" + $1.text } }

    /// The literal segments that a request's path lacks in front, such as the bank's base; nil if it lacks none, or something else.
    fileprivate func missingStart(of segments: [String]) -> String? {
        let start = parts.prefix(max(0, parts.count - segments.count))
        guard !start.isEmpty, !segments.isEmpty, !hasRest, start.allSatisfy(\.isLiteral) else { return nil }
        guard zip(parts.dropFirst(start.count), segments).allSatisfy({ $0.fits($1) }) else { return nil }
        return start.map { "/\($0.text)" }.joined()
    }

    /// The parameters of a path that matches; nil if it does not.
    package func parameters(of segments: [String]) -> [String: String]? {
        guard hasRest ? segments.count >= parts.count : segments.count == parts.count else { return nil }
        var values: [String: String] = [:]
        for position in parts.indices where !parts[position].fits(segments[position]) { return nil }
        for (part, segment) in zip(parts, segments) {
            switch part {
            case .literal: break
            case .parameter(let name): values[name] = segment
            case .rest(let name): values[name] = segments[(parts.count - 1)...].joined(separator: "/")
            case .parameterWithSuffix(let name, let suffix): values[name] = String(segment.dropLast(suffix.count))
            }
        }
        return values
    }
}

extension PathTemplate.Part {
    func fits(_ segment: String) -> Bool {
        switch self {
        case .literal(let text): segment == text
        case .parameter: !segment.isEmpty
        case .rest: true
        case .parameterWithSuffix(_, let suffix): segment.hasSuffix(suffix) && segment.count > suffix.count
        }
    }

    fileprivate var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }

    var text: String {
        switch self {
        case .literal(let text): text
        case .parameter(let name): "{\(name)}"
        case .rest(let name): "{\(name)...}"
        case .parameterWithSuffix(let name, let suffix): "{\(name)}\(suffix)"
        }
    }
}

extension ValueSource {
    /// The text of a field of the body; nil if the source is another, or the field is missing.
    fileprivate func text(in request: BankRequest) -> String? {
        switch self {
        case .form(let name): request.form[name]
        case .body(let path): (try? request.json())?.at(path)?.plainText
        case .or(let first, let second): first.text(in: request) ?? second.text(in: request)
        default: nil
        }
    }
}
