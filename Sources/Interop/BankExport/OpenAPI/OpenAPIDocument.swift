package import BankCore
package import BankModel

/// A bank's description in OpenAPI 3.1: what it takes, and every status it can answer.
///
/// All of it follows from the bank's files: the same bank gives the same bytes. Examples are requests that are made of the fixtures and
/// that the core carries out, with its responses; schemas take what the fixtures have, and what operations put into rows.
package struct OpenAPIDocument: Sendable {
    private let bank: Bank
    private let version: String
    private let servers: [String]

    /// - Parameters:
    ///   - bank: described.
    ///   - version: of the description.
    ///   - servers: addresses of the bank, the usual one first; at least one, as examples begin with it.
    package init(_ bank: Bank, version: String, servers: [String]) {
        self.bank = bank
        self.version = version
        self.servers = servers
    }

    /// The document.
    package var json: JSON {
        let tables = TableShapes(bank)
        let samples = Sample.all(of: bank, base: servers.first ?? "http://127.0.0.1:8080")
        var components = Components()
        var paths = JSONObject()
        for group in groups {
            let calls = group.operations.map { DescribedCall(bank.operations[$0], tables: tables, sample: samples[$0]) }
            let call = CallDescription(calls: calls, path: group.path, security: security).json(&components)
            paths[group.path.description, group.method.lowercased()] = call
        }
        return [
            "openapi": "3.1.0", "info": ["title": .string(bank.name), "version": .string(version), "description": .string(bank.about)],
            "servers": .array(servers.map { ["url": .string($0)] }), "paths": .object(paths),
            "components": components.json(securitySchemes: security.schemes),
        ]
    }

    private var security: SecurityDescription { SecurityDescription(bank: bank, server: servers.first ?? "") }

    /// Operations on one method and path are one in OpenAPI, whatever else distinguishes them.
    private var groups: [(method: String, path: PathTemplate, operations: [Int])] {
        let operations = bank.operations
        // Two paths that differ in their parameters' names are one.
        let paths = Dictionary(operations.map { ($0.path.unnamed, $0.path) }) { first, _ in first }
        let groups = Dictionary(grouping: operations.indices) { [operations[$0].method, operations[$0].path.unnamed] }
        return groups.values.sorted { $0[0] < $1[0] }.map { indexes in
            let first = operations[indexes[0]]
            return (method: first.method, path: paths[first.path.unnamed] ?? first.path, operations: indexes)
        }
    }
}

/// A request that the bank carries out, and its response.
struct Sample {
    let draft: RequestDraft
    let response: BankResponse

    /// One for each operation, in order; nil where no request was found that is carried out.
    ///
    /// - Parameter base: put before absolute addresses in responses.
    static func all(of bank: Bank, base: String) -> [Sample?] {
        let now = Instant(seconds: 1_768_219_200)  // 2026-01-12T12:00:00Z
        let state = SessionState(id: "example", seed: 7, prepared: PreparedBank(bank), baseURL: base, startedAt: now)
        let customer = bank.customers.first { !$0.locked }?.login
        return bank.operations.indices.map { index in
            guard let example = state.example(of: index, customer: customer, at: now) else { return nil }
            var state = state
            for wanted in example.states { _ = try? state.enter(wanted, at: now) }
            return Sample(draft: example.draft, response: state.answer(example.draft.request(), at: now).response)
        }
    }

    /// The body of the request, the fields of a form as texts; nil if there is none.
    var body: JSON? {
        guard draft.form == .form else { return draft.json() }
        return .object(JSONObject(draft.fields(ofForm: true).map { (key: $0.name, value: .string($0.text)) }))
    }
}

/// Responses that several operations have are written once.
struct Components {
    private var responses: [(name: String, json: JSON)] = []

    /// A reference to the response, which is among the components from now on.
    mutating func response(_ json: JSON, status: Int) -> JSON {
        let name: String
        let text = json.text
        if let known = responses.first(where: { $0.json.text == text }) {
            name = known.name
        } else {
            let others = responses.count { $0.name == "status-\(status)" || $0.name.hasPrefix("status-\(status)-") }
            name = others == 0 ? "status-\(status)" : "status-\(status)-\(others + 1)"
            responses.append((name, json))
        }
        return ["$ref": .string("#/components/responses/\(name)")]
    }

    /// The document's `components`.
    func json(securitySchemes: JSON?) -> JSON {
        let sorted = responses.sorted { $0.name < $1.name }.map { (key: $0.name, value: $0.json) }
        return .object(known: ["responses": .object(JSONObject(sorted)), "securitySchemes": securitySchemes])
    }
}

/// How a bank's callers prove who they are, as OpenAPI describes it.
struct SecurityDescription {
    let bank: Bank
    /// Put before the paths of token endpoints.
    let server: String

    /// The document's `securitySchemes`; nil for a bank without tokens.
    var schemes: JSON? {
        guard let auth = bank.auth else { return nil }
        let refresh = tokenPath { if case .refresh = $0 { true } else { false } }
        let page = bank.operations.first { $0.signIn == .page }.map { JSON.string(server + $0.path.description) }
        func flow(_ scopes: [String], _ fits: (Operation.Grant) -> Bool, page: JSON? = nil) -> JSON? {
            guard let token = tokenPath(where: fits) else { return nil }
            return .object(known: [
                "authorizationUrl": page, "tokenUrl": .string(server + token), "refreshUrl": refresh.map { .string(server + $0) },
                "scopes": .object(JSONObject(scopes.map { (key: $0, value: .string("The scope \($0).")) })),
            ])
        }
        let ofCode = auth.scopes + (bank.signIn?.scopes ?? [])
        let flows = JSONObject(known: [
            "password": flow(auth.scopes, { if case .password = $0 { true } else { false } }),
            "authorizationCode": page.flatMap { flow(ofCode, { if case .code = $0 { true } else { false } }, page: $0) },
            "clientCredentials": flow(auth.scopes, { if case .client = $0 { true } else { false } }),
        ])
        return .object(known: [
            "oauth2": flows.members.isEmpty ? nil : ["type": "oauth2", "flows": .object(flows)],
            "bearer": ["type": "http", "scheme": "bearer"],
        ])
    }

    /// The security requirements of an operation, any of which is enough; empty for an open one.
    func requirements(_ operation: Operation) -> JSON {
        guard case .token(let scope) = operation.access, bank.auth != nil else { return [] }
        let scopes = JSON.array([scope].compactMap(\.self).map(JSON.string))
        let bearer: JSON = ["bearer": scopes]
        return schemes?["oauth2"] == nil ? .array([bearer]) : .array([["oauth2": scopes], bearer])
    }

    /// The token endpoint of OAuth (RFC 6749 §3.2), which takes a form; nil where the bank has none.
    private func tokenPath(where fits: (Operation.Grant) -> Bool) -> String? {
        bank.operations.first { $0.body?.form == .form && $0.grant.map(fits) == true }.map { $0.path.description }
    }
}
