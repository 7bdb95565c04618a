import BankCore
import BankModel
import Platform

/// Reads what an interaction's request must be.
struct PactRequestReader {
    let notes: ImportNotes
    let version: PactVersion
    let rules: PactRules

    private static let known: Set<String> = ["method", "path", "query", "headers", "body", "matchingRules", "generators"]

    func read(_ request: LocatedJSON, into stub: inout Stub) {
        notes.unknown(request, known: PactRequestReader.known, .leftOut)
        for rule in rules.unreadable { notes.warn(.leftOut, rule, "the path of this rule is not supported") }
        noteUnused(request)
        stub.methods = method(request).map { [$0] } ?? []
        guard let address = address(request) else { return }
        stub.path = address.path
        let body = PactBody(request, version, notes)
        stub.when = address.when + query(request) + headers(request) + type(request, body) + conditions(request, body)
    }

    private func method(_ request: LocatedJSON) -> String? {
        let known = ["GET", "POST", "PUT", "PATCH", "DELETE"]
        guard let piece = request["method"] else { return notes.wrong(request, expected: "a request with `method`") }
        guard let method = notes.text(piece)?.uppercased() else { return nil }
        return known.contains(method)
            ? method : notes.nothing(.leftOut, piece, "a bank's methods are \(oneOf(known)); GET also handles HEAD")
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
                return notes.nothing(.leftOut, matcher, "for a path, only one `regex` or `equality` rule is supported")
            }
            return notes.text(expression).flatMap { reader.pattern(expression, $0) }
        }
        return reader.plain(piece, path)
    }

    // MARK: query and headers

    /// The fields of the query, and no others: a pact's query is complete.
    private func query(_ request: LocatedJSON) -> [Condition] {
        let fields = fields(request)
        guard !fields.isEmpty else { return [Condition(.rawQuery, .absent)] }
        let names = Set(fields.map(\.name)).sorted().map(JSON.string)
        return conditions(fields, request, .query, "query") + [Condition(.queryNames, .value(.array(names)))]
    }

    private func fields(_ request: LocatedJSON) -> [(name: String, value: String, piece: LocatedJSON)] {
        guard let query = request["query"] else { return [] }
        if let text = query.json.string { return FormFields(text).all.map { ($0.name, $0.value, query) } }
        guard query.json.object != nil else { return notes.wrong(query, expected: "a text, or an object of lists") ?? [] }
        return query.members.flatMap { name, piece in values(piece).map { (name, $0, piece) } }
    }

    private func headers(_ request: LocatedJSON) -> [Condition] {
        guard let headers = request["headers"] else { return [] }
        guard headers.json.object != nil else { return notes.wrong(headers, expected: "an object of headers") ?? [] }
        return headers.members.flatMap { name, piece -> [Condition] in
            if let made = generator(request, "header", name) { return any(.header, name, made) }
            let texts = values(piece)
            if let rule = rules.rule("header", name) {
                let example = JSON.string(texts.joined(separator: ", "))
                return MatcherReader(notes: notes).wanted(rule, example: example).map { [Condition(.header, name, $0)] } ?? []
            }
            return header(name, texts, piece)
        }
    }

    /// A header without a rule. Several values may come in one line or, where the pact has a list of them, in several.
    private func header(_ name: String, _ texts: [String], _ piece: LocatedJSON) -> [Condition] {
        let header = PactHeader(name, texts)
        if header.isOrdered { notes.warn(.narrower, piece, "the order of parameters is compared") }
        let reader = MatcherReader(notes: notes)
        let line = header.expressions.compactMap { reader.matched($0, piece) }
        let wanted = line.count == 1 ? line[0] : .all(line)
        guard texts.count > 1 || header.hasParameters && header.values.count > 1 else { return [Condition(.header, name, wanted)] }
        if !header.hasParameters { notes.warn(.wider, piece, "the values may come in one line too, and in any order") }
        let lines = Condition.Wanted.values(header.values.map { .value(.string($0)) }, exactly: true)
        return [Condition(.header, name, .any([wanted, lines]))]
    }

    private func values(_ piece: LocatedJSON) -> [String] {
        (piece.json.array == nil ? [piece] : piece.elements).compactMap { $0.json.string ?? $0.json.number?.digits ?? notes.text($0) }
    }

    private func conditions(
        _ fields: [(name: String, value: String, piece: LocatedJSON)], _ request: LocatedJSON, _ part: Condition.Part, _ category: String
    ) -> [Condition] {
        var seen: Set<String> = []
        return fields.flatMap { name, value, piece -> [Condition] in
            guard seen.insert(name).inserted else { return [] }
            if let made = generator(request, category, name) { return any(part, name, made) }
            let rule = part == .form ? rules.rule([.name(name), .index(0)]) : rules.rule(category, name)
            let values = fields.filter { $0.name == name }.map(\.value)
            if values.count > 1 {
                guard rule != nil else {
                    notes.warn(.wider, piece, "the order of the values of a repeated field is not compared")
                    return [Condition(part, name, .values(values.map { .value(.string($0)) }, exactly: true))]
                }
                notes.warn(.wider, piece, "only one value of a repeated field must satisfy its rule")
            }
            return MatcherReader(notes: notes).wanted(rule, example: .string(value)).map { [Condition(part, name, $0)] } ?? []
        }
    }

    /// Notes the rules for headers and fields of the query that the request does not have: Pact does not use them.
    private func noteUnused(_ request: LocatedJSON) {
        let headers = Set(request["headers"]?.members.map { $0.key.lowercased() } ?? [])
        let fields = Set(fields(request).map(\.name))
        for rule in rules.rules {
            guard case .name(let name)? = rule.steps.first else { continue }
            let isUsed = rule.category == "header" ? headers.contains(name.lowercased()) : rule.category != "query" || fields.contains(name)
            if !isUsed { notes.warn(.ignored, rule.piece, "the request has nothing of this rule's name") }
        }
    }

    /// The generator that makes another value for each request than the example.
    private func generator(_ request: LocatedJSON, _ category: String, _ name: String) -> LocatedJSON? {
        request["generators"]?[category]?.members.first { $0.key.lowercased() == name.lowercased() }?.value
    }

    private func any(_ part: Condition.Part, _ name: String, _ piece: LocatedJSON) -> [Condition] {
        notes.warn(.wider, piece, "the value is generated for each request: any that is not empty is accepted")
        return [Condition(part, name, .like(["*"]))]
    }

    // MARK: body

    /// The type of a body for which no header is expected: Pact finds it out, and compares one that is sent.
    private func type(_ request: LocatedJSON, _ body: PactBody?) -> [Condition] {
        let isHeader = request["headers"]?.members.contains { $0.key.lowercased() == "content-type" } ?? false
        guard !isHeader, let body, !body.bytes.isEmpty, let type = body.contentType ?? (body.json == nil ? nil : "application/json"),
            let base = type.split(separator: ";").first
        else { return [] }
        let expression = PactHeader("content-type", [String(base)]).expressions[0]
        let typed = MatcherReader(notes: notes).matched(expression, request)
        return typed.map { [Condition(.header, "Content-Type", .any([.absent, $0]))] } ?? []
    }

    private func conditions(_ request: LocatedJSON, _ body: PactBody?) -> [Condition] {
        guard let body else { return [] }
        if body.bytes.isEmpty { return [Condition(.text, .absent)] }
        var rules = rules
        for (path, made) in request["generators"]?["body"]?.members ?? [] {
            guard rules.open(path, made) else {
                return notes.nothing(.leftOut, made, "the path of this generator is not supported") ?? []
            }
            notes.warn(.wider, made, "the value is generated for each request: any of its type is accepted")
        }
        if let json = body.json { return PactBodyReader(notes: notes, rules: rules).conditions(json) }
        if body.isForm { return form(body, rules, request) }
        if let rule = rules.rules.first(where: { $0.category == "body" }) {
            return notes.nothing(.leftOut, rule.piece, "parts of a body that is neither JSON nor a form are not supported") ?? []
        }
        guard let text = String(validUTF8: body.bytes) else {
            return notes.nothing(.leftOut, request, "a body that is not text") ?? []
        }
        return [Condition(.text, xml(body, text, request) ?? .value(.string(text)))]
    }

    /// What XML must be; nil for another body, and for XML that can only be compared as text.
    private func xml(_ body: PactBody, _ text: String, _ request: LocatedJSON) -> Condition.Wanted? {
        guard body.isXML, let piece = request["body"] else { return nil }
        guard let xml = PactXML(text), let pattern = try? TextPattern(xml.expression) else {
            return notes.nothing(.narrower, piece, "this XML is compared as text, with the spaces between its tags")
        }
        notes.warn(.narrower, piece, "XML must have attributes and elements in this order, and no other comments, entities or CDATA")
        return .matches(pattern)
    }

    private func form(_ body: PactBody, _ rules: PactRules, _ request: LocatedJSON) -> [Condition] {
        notes.warn(.wider, request.member("body"), "further fields of a form are accepted")
        let fields = FormFields(String(decoding: body.bytes, as: UTF8.self)).all.map {
            (name: $0.name, value: $0.value, piece: request.member("body"))
        }
        let reader = PactRequestReader(notes: notes, version: version, rules: rules)
        return reader.conditions(fields, request, .form, "form")
    }
}
