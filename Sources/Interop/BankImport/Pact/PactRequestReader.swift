import BankCore
import BankModel

/// Reads what an interaction's request must be.
struct PactRequestReader {
    let notes: Notes
    let version: PactVersion
    let rules: PactRules

    private static let known: Set<String> = ["method", "path", "query", "headers", "body", "matchingRules", "generators"]

    func read(_ request: LocatedJSON, into stub: inout Stub) {
        notes.unknown(request, known: PactRequestReader.known, .leftOut)
        for rule in rules.unreadable { notes.cannot(.leftOut, rule, "the path of this rule is not supported") }
        stub.methods = method(request).map { [$0] } ?? []
        guard let address = address(request) else { return }
        stub.path = address.path
        stub.when = address.when + query(request) + headers(request) + body(request)
    }

    private func method(_ request: LocatedJSON) -> String? {
        let known = ["GET", "POST", "PUT", "PATCH", "DELETE"]
        guard let piece = request["method"] else { return notes.wrong(request, expected: "a request with `method`") }
        guard let method = notes.text(piece)?.uppercased() else { return nil }
        if known.contains(method) { return method }
        notes.cannot(.leftOut, piece, "a bank's methods are \(oneOf(known)); GET also handles HEAD")
        return nil
    }

    // MARK: path

    private func address(_ request: LocatedJSON) -> AddressReader.Address? {
        guard let piece = request["path"] else { return notes.wrong(request, expected: "a request with `path`") }
        guard let path = notes.text(piece) else { return nil }
        let reader = AddressReader(notes: notes, asSent: false)
        if let matcher = rules.path?.matchers.first {
            let isOne = rules.path?.matchers.count == 1
            guard isOne, PactRules.name(matcher) == "regex", let expression = matcher["regex"] else {
                if isOne, PactRules.name(matcher) == "equality" { return reader.plain(piece, path) }
                notes.cannot(.leftOut, matcher, "for a path, only one `regex` or `equality` rule is supported")
                return nil
            }
            return notes.text(expression).flatMap { reader.pattern(expression, $0) }
        }
        return reader.plain(piece, path)
    }

    // MARK: query and headers

    private func query(_ request: LocatedJSON) -> [Condition] {
        guard let query = request["query"] else { return [Condition(.rawQuery, .absent)] }
        if let text = query.json.string {
            let fields = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            return only(
                fields.map { field in
                    let value = percentDecoded(field.count > 1 ? field[1] : "", plusIsSpace: true) ?? ""
                    return (percentDecoded(field[0], plusIsSpace: true) ?? String(field[0]), value, query)
                }, request)
        }
        guard query.json.object != nil else { return notes.wrong(query, expected: "a text, or an object of lists") ?? [] }
        return only(query.members.flatMap { name, piece in values(piece).map { (name, $0, piece) } }, request)
    }

    /// The fields of the query, and no others: a pact's query is told whole.
    private func only(_ fields: [(name: String, value: String, piece: LocatedJSON)], _ request: LocatedJSON) -> [Condition] {
        guard !fields.isEmpty else { return [Condition(.rawQuery, .absent)] }
        let names = Set(fields.map(\.name)).sorted().map(JSON.string)
        return conditions(fields, request, .query, "query") + [Condition(.queryNames, .value(.array(names)))]
    }

    private func headers(_ request: LocatedJSON) -> [Condition] {
        guard let headers = request["headers"] else { return [] }
        guard headers.json.object != nil else { return notes.wrong(headers, expected: "an object of headers") ?? [] }
        return headers.members.flatMap { name, piece -> [Condition] in
            let text = values(piece).joined(separator: ", ")
            if let made = generator(request, "header", name) { return any(.header, name, made) }
            let rule = rules.rule("header", name)
            if rule == nil, text.contains(",") {
                notes.cannot(.narrower, piece, "a header is compared as text, with the spaces after its commas")
            }
            // Parameters such as a charset make no other type (RFC 9110 §8.3.1).
            if rule == nil, name.lowercased() == "content-type", !text.contains("*") {
                return [Condition(.header, name, .like(["\(text)*"]))]
            }
            return PactMatcherReader(notes: notes).wanted(rule, example: .string(text)).map { Condition(.header, name, $0) }
        }
    }

    private func values(_ piece: LocatedJSON) -> [String] {
        (piece.json.array == nil ? [piece] : piece.elements).compactMap { $0.json.string ?? $0.json.number?.digits ?? notes.text($0) }
    }

    private func conditions(
        _ fields: [(name: String, value: String, piece: LocatedJSON)], _ request: LocatedJSON, _ part: Condition.Part, _ category: String
    ) -> [Condition] {
        var seen: Set<String> = []
        return fields.flatMap { name, value, piece -> [Condition] in
            guard seen.insert(name).inserted else {
                notes.cannot(.wider, piece, "only the first of two fields with one name is compared")
                return []
            }
            if let made = generator(request, category, name) { return any(part, name, made) }
            return PactMatcherReader(notes: notes).wanted(rules.rule(category, name), example: .string(value)).map {
                Condition(part, name, $0)
            }
        }
    }

    /// The generator that makes another value for each request than the example.
    private func generator(_ request: LocatedJSON, _ category: String, _ name: String) -> LocatedJSON? {
        request["generators"]?[category]?.members.first { $0.key.lowercased() == name.lowercased() }?.value
    }

    private func any(_ part: Condition.Part, _ name: String, _ piece: LocatedJSON) -> [Condition] {
        notes.cannot(.wider, piece, "the value is generated for each request: any that is not empty is accepted")
        return [Condition(part, name, .like(["*"]))]
    }

    // MARK: body

    private func body(_ request: LocatedJSON) -> [Condition] {
        guard let body = PactBody(request, version, notes) else { return [] }
        if body.bytes.isEmpty { return [Condition(.text, .absent)] }
        var rules = rules
        for (path, made) in request["generators"]?["body"]?.members ?? [] {
            guard rules.open(path, made) else {
                notes.cannot(.leftOut, made, "the path of this generator is not supported")
                return []
            }
        }
        if let json = body.json { return PactBodyReader(notes: notes, rules: rules).conditions(json) }
        if body.isForm { return form(body, rules) }
        if let rule = rules.rules.first(where: { $0.category == "body" }) {
            notes.cannot(.leftOut, rule.piece, "parts of a body that is neither JSON nor a form are not supported")
            return []
        }
        guard let text = String(validating: body.bytes, as: UTF8.self) else {
            notes.cannot(.leftOut, request, "a body that is not text")
            return []
        }
        if body.isXML, let piece = request["body"] {
            notes.cannot(.narrower, piece, "XML is compared as text, with the spaces between its tags")
        }
        return [Condition(.text, .value(.string(text)))]
    }

    private func form(_ body: PactBody, _ rules: PactRules) -> [Condition] {
        let matchers = PactMatcherReader(notes: notes)
        return String(decoding: body.bytes, as: UTF8.self).split(separator: "&").flatMap { field -> [Condition] in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = percentDecoded(parts[0], plusIsSpace: true) else { return [] }
            let value = percentDecoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true) ?? ""
            return matchers.wanted(rules.rule([.name(name)]), example: .string(value)).map { Condition(.form, name, $0) }
        }
    }
}
