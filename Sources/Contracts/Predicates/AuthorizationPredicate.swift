package import BankModel
import DriverProtocol

/// The addresses of the bank's sign-in page that the client has made: `{authorization: {each: {code_challenge_method: S256}}}`,
/// `{authorization: {distinct: [code_challenge]}}`. With `needs` the case is about clients that send a parameter.
package struct AuthorizationPredicate: Predicate {
    package static let name = "authorization"

    package static let forms = [
        form(
            "What the client asks for on the bank's sign-in page, in the address or in a pushed request (RFC 9126).",
            [body], example: "authorization: {each: {code_challenge_method: S256}, distinct: [code_challenge]}")
    ]

    private static let body = Field(required: name, .node(.object(schema)), "the parameters of each request for the page")
    private static let schema = ObjectSchema(
        "`authorization`", "The parameters of the requests for the sign-in page.", fields: [each, own, needs],
        rules: [.atLeastOne([each.key, own.key, needs.key])])
    private static let values = Schema.map(keys: "parameters", .text(TextSchema("a text; `*` stands for any")))
    private static let each = Field("each", .node(values), "parameters that each request must have, with their values")
    private static let own = Field(
        "distinct", .texts("a parameter", atLeast: 1), "parameters that must differ between requests")
    private static let needs = Field(
        "needs", .node(values), "parameters that a client need not send; without them the case is not exercised")

    let each: [Wanted]
    let distinct: [String]
    let needs: [Wanted]

    struct Wanted: Sendable {
        let name: String
        let glob: String

        func isMet(by parameters: FormFields) -> Bool { parameters[name].map { globMatches(glob, $0) } ?? false }
    }

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        func globs(_ field: Field<Node>) -> [Wanted] {
            inner[field].map { node in
                Fields(node, of: "the parameters", complaints).all.map { Wanted(name: $0.key, glob: $0.value.text(complaints) ?? "") }
            } ?? []
        }
        each = globs(Self.each)
        distinct = inner[Self.own] ?? []
        needs = globs(Self.needs)
        inner.finish()
        if !outline.has(.authorizeBegin) {
            complaints.add("`authorization` needs a step `authorize_begin`", at: node.position)
            return nil
        }
        guard !each.isEmpty || !distinct.isEmpty || !needs.isEmpty else {
            complaints.add("`authorization` needs `each`, `distinct` or `needs`", at: node.position)
            return nil
        }
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let requests = scene.authorizations
        // No page was opened: the step that should have opened it reports why.
        guard !requests.isEmpty else { return [] }
        let missing = needs.compactMap { need -> UnmetExpectation? in
            guard let request = requests.first(where: { !need.isMet(by: $0.parameters) }) else { return nil }
            // After a page with the parameter has led to a sign-in, a later page without it does not explain other failures of the case.
            let earlier = requests.prefix { $0.page.seq != request.page.seq }
            let isBehind = earlier.contains { scene.hasSignedIn(by: $0.page, before: request.page) }
            return UnmetExpectation(isBehind ? .absent : .notExercised, .parameterNotSent(need.name, need.glob, request.page))
        }
        // The case is not about a client that leaves out such a parameter.
        return missing.isEmpty ? others(requests) + shared(requests) : missing
    }

    /// Values other than those that each request has.
    private func others(_ requests: [Scene.Authorization]) -> [UnmetExpectation] {
        each.compactMap { wanted in
            guard let request = requests.first(where: { !wanted.isMet(by: $0.parameters) }) else { return nil }
            return UnmetExpectation(.violation, .parameterDiffers(wanted.name, request.parameters[wanted.name], wanted.glob, request.page))
        }
    }

    /// Values that two requests have in common, or that one lacks.
    private func shared(_ requests: [Scene.Authorization]) -> [UnmetExpectation] {
        distinct.compactMap { name in
            var seen: [String: JournalEntry] = [:]
            for request in requests {
                guard let value = request.parameters[name] else {
                    return UnmetExpectation(.violation, .parameterDiffers(name, nil, "*", request.page))
                }
                if let first = seen.updateValue(request.page, forKey: value) {
                    return UnmetExpectation(.violation, .parameterShared(name, first, request.page))
                }
            }
            return nil
        }
    }
}

extension Scene {
    /// Whether the client opened another page of the bank than the one that the case is about, or asked for less on it, as a client may.
    var opensOtherPage: Bool {
        let pages = (instance?.expectations ?? []).compactMap { $0 as? AuthorizationPredicate }
        return pages.contains { page in page.judge(self).contains { $0.weight == .notExercised } }
    }
}
