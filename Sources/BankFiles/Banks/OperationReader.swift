import BankCore
import BankModel
import Platform

struct OperationReader {
    let name: String
    let node: Node
    let position: SourcePosition
    let loader: BankLoader

    var complaints: Complaints { loader.complaints }

    func read() -> Operation? {
        let fields = Fields(node, of: OperationKeys.schema, called: "the operation `\(name)`", complaints)
        guard let line = fields[OperationKeys.request], let (method, path) = requestLine(line) else { return nil }
        var reader = TemplateReader(loader: loader, parameters: path.parameters)
        var operation = Operation(name: name, method: method, path: path)
        operation.when =
            fields[OperationKeys.when].map { ConditionReader(parameters: path.parameters, complaints: complaints).conditions($0) } ?? []
        operation.access = access(fields)
        if let node = fields[OperationKeys.rateLimit] {
            operation.limit = loader.operationLimit(node)
        }
        operation.fresh = fields[OperationKeys.fresh].flatMap { fresh($0, operation.access) }
        operation.body = fields[OperationKeys.takes].flatMap(bodyRule)
        reader.body = operation.body?.form
        operation.challenge = fields[OperationKeys.challenge].flatMap { challenge($0, reader) }
        operation.parents = fields[OperationKeys.parent].map(reader.parents) ?? []
        operation.key = fields[OperationKeys.key].flatMap { key($0, reader, operation.body) }
        operation.grant = fields[OperationKeys.grant].flatMap { grant($0, reader) }
        operation.signIn = fields[OperationKeys.signIn]
        if operation.signIn != nil { checkSignIn(operation, fields) }
        operation.move = fields[OperationKeys.move].flatMap(reader.move)
        operation.quote = fields[OperationKeys.quote].flatMap { reader.quote($0, moves: operation.move != nil) }
        operation.insert = fields[OperationKeys.insert].flatMap { reader.insert($0, fields, moves: operation.move != nil) }
        if operation.insert == nil { complainOfStages(fields) }
        operation.decoupled = fields[OperationKeys.decoupled].flatMap(reader.source)
        operation.update = fields[OperationKeys.update].flatMap(reader.update)
        operation.stepUp = fields[OperationKeys.stepUp].flatMap { StepUpKeys.stepUp($0, complaints) }
        operation.delete = fields[OperationKeys.delete].flatMap(reader.parent)
        operation.cancel = fields[OperationKeys.cancel].flatMap(reader.parent)
        operation.repeats = fields[OperationKeys.repeats].flatMap { repeats($0, reader, operation) }
        operation.registers = fields[OperationKeys.registers].flatMap { reader.registration($0, of: operation) }
        operation.permissions = fields[OperationKeys.permission] ?? []
        operation.uses = fields[OperationKeys.uses].flatMap(reader.use)
        operation.revoke = fields[OperationKeys.revoke].flatMap(reader.consent)
        loader.checkConsents(operation, at: position)
        operation.ifMatch = fields[OperationKeys.ifMatch].flatMap(ifMatch)
        checkChallenges(operation, fields)
        operation.then = fields[OperationKeys.then].map(then) ?? []
        operation.businessFailure = fields[OperationKeys.businessFailure].flatMap(reader.template)
        operation.rejections = fields[OperationKeys.refuse].map { rejections($0, reader) } ?? [:]
        reader.insertsInto = operation.insert?.table
        reader.registers = operation.registers != nil
        operation.status = fields[OperationKeys.status] ?? 200
        operation.headers = fields[OperationKeys.headers].map(reader.headers) ?? []
        operation.response = fields[OperationKeys.response].flatMap { response($0, reader) } ?? .none
        if operation.issuesTokens, loader.bank.signIn?.dpop != nil, case .json(.object(let members)) = operation.response,
            members.contains(where: { if case .literal("Bearer") = $0.value { $0.key == "token_type" } else { false } })
        {
            complaints.add("found `token_type: Bearer`, expected `{token: type}`: with `dpop` a token may be bound to a key", at: position)
        }
        operation.etag = fields[OperationKeys.etag] ?? false
        operation.stream = fields[OperationKeys.stream].flatMap { stream($0, operation, fields) }
        fields.finish()
        return operation
    }

    /// The stages speak of the row that `insert` adds.
    private func complainOfStages(_ fields: Fields) {
        for stage in OperationKeys.stages {
            guard let node = fields[stage], fields[OperationKeys.insert] == nil else { continue }
            complaints.add(found: "`\(stage.key)`", expected: "it beside `insert`: it applies to the inserted row", at: node.position)
        }
    }

    private func requestLine(_ node: Node) -> (String, PathTemplate)? {
        let parts = (node.scalar ?? "").split(separator: " ").map(String.init)
        // HEAD is answered wherever GET is, and OPTIONS by nobody, unless methods are compared as sent.
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] + (loader.bank.asSent ? ["HEAD", "OPTIONS"] : [])
        guard parts.count == 2, methods.contains(parts[0]), let path = PathTemplate(loader.bank.base + parts[1]), parts[1].hasPrefix("/")
        else {
            return node.wrong(complaints, "a method and a path such as GET /accounts/{id}")
        }
        for (index, name) in path.parameters.enumerated() where path.parameters[..<index].contains(name) {
            complaints.add("found the path's `\(name)` a second time, expected each name once", at: node.position)
        }
        // An encoded one may be meant.
        if let mark = parts[1].first(where: { "?#".contains($0) }) {
            complaints.warn(
                "found `\(mark)` in the path `\(parts[1].shortened(to: 60))`, expected none: a query is not part of a path; the condition "
                    + "`when: {query: …}` selects requests by it", at: node.position)
        }
        if let segment = parts[1].split(separator: "/").first(where: { $0.hasPrefix(":") }) {
            complaints.warn(
                "found `\(segment)` in the path `\(parts[1].shortened(to: 60))`, expected a parameter as `{\(segment.dropFirst())}`",
                at: node.position)
        }
        return (parts[0], path)
    }

    private func repeats(_ node: Node, _ reader: TemplateReader, _ operation: Operation) -> Operation.Repeats? {
        let fields = Fields(node, of: RepeatsKeys.schema, complaints)
        let pays = fields[RepeatsKeys.pays]?.text(complaints)
        let (starts, every) = (fields[RepeatsKeys.starts].flatMap(reader.source), fields[RepeatsKeys.every].flatMap(reader.source))
        let time = fields[RepeatsKeys.at] ?? "06:00"
        let avoidsWeekends = fields[RepeatsKeys.weekends] != nil
        fields.finish()
        if operation.insert == nil || operation.move != nil || operation.body?.form != .json || operation.access == .open {
            complaints.add(
                found: "`repeats`", expected: "it in an operation with a token, a JSON body and `insert`, and without `move`",
                at: node.position)
        }
        let digits = time.split(separator: ":").compactMap { $0.count == 2 ? Int64($0) : nil }
        guard digits.count == 2, (0..<24).contains(digits[0]), (0..<60).contains(digits[1]), time.utf8.count == 5 else {
            complaints.add(found: "`\(time.shortened(to: 20))`", expected: "a time of day such as 06:00", at: node.position)
            return nil
        }
        guard let pays, let starts else { return nil }
        return Operation.Repeats(
            pays: pays, starts: starts, every: every, timeOfDay: (digits[0] * 60 + digits[1]) * 60_000_000_000,
            avoidsWeekends: avoidsWeekends)
    }

    private func ifMatch(_ node: Node) -> Operation.IfMatch? {
        let fields = Fields(node, of: IfMatchKeys.schema, complaints)
        let (read, isRequired) = (fields[IfMatchKeys.read], fields[IfMatchKeys.required] ?? false)
        fields.finish()
        return read.map { Operation.IfMatch(read: $0, isRequired: isRequired) }
    }

    private func then(_ node: Node) -> [(variable: String, state: String?)] {
        let fields = Fields(node, of: OperationKeys.thenSchema, complaints)
        let given = fields["state"]
        fields.finish()
        guard let states = given else { return node.wrong(complaints, "{state: {…}}") ?? [] }
        return Fields(states, of: "`state`", complaints).all.compactMap { name, _, value in
            value.isNull ? (name, nil) : value.text(complaints).map { (name, $0) }
        }
    }

    private func access(_ fields: Fields) -> Operation.Access {
        let open = fields[OperationKeys.open] ?? false
        let scope = fields[OperationKeys.scope]
        guard loader.bank.auth != nil, !open else {
            if let scope { complaints.add("found a scope, expected none: the operation requires no token", at: scope.position) }
            return .open
        }
        let scopes = loader.bank.allScopes
        if let scope, let name = scope.scalar, !scopes.contains(name) {
            let expected = scopes.isEmpty ? "`scopes` in `auth`" : expectation(scopes, for: name)
            complaints.add(found: "the scope `\(name)`", expected: expected, at: scope.position)
        }
        return .token(scope: scope?.text(complaints))
    }

    private func fresh(_ node: Node, _ access: Operation.Access) -> Operation.Freshness? {
        let fields = Fields(node, of: FreshKeys.schema, complaints)
        let freshness = FreshKeys.freshness(fields[FreshKeys.within], fields[FreshKeys.rows], complaints)
        fields.finish()
        if access == .open { complaints.add(found: "`fresh`", expected: "none: the operation requires no token", at: node.position) }
        return freshness
    }

    private func bodyRule(_ node: Node) -> Operation.BodyRule? {
        guard case .mapping(let members) = node.content, let first = members.first(where: { $0.key.scalar != "kinds" }), members.count <= 2
        else { return node.wrong(complaints, "{json: [fields]} or {form: [fields]}") }
        guard let form = first.key.choice(of: Operation.BodyRule.Form.self, complaints) else { return nil }
        let fields = Fields(node, of: TakesKeys.schema.what, complaints)
        let required = fields[TakesKeys.required(form)] ?? []
        let kindsNode = fields[TakesKeys.kinds]
        fields.finish()
        if form == .form, let kindsNode {
            complaints.add(found: "`kinds`", expected: "none: a form has texts only", at: kindsNode.position)
        }
        let kinds = (kindsNode.map { Fields($0, of: "kinds", complaints).all } ?? []).compactMap { path, _, kind in
            kind.choice(of: Operation.BodyRule.Kind.self, complaints).map { (path: path, kind: $0) }
        }
        return Operation.BodyRule(form: form, required: required, kinds: kinds)
    }

    private func key(_ node: Node, _ reader: TemplateReader, _ body: Operation.BodyRule?) -> ValueSource? {
        guard loader.hasDialect else { return nil }
        guard let policy = loader.bank.dialect.idempotency else {
            complaints.add("found a key, expected none: the dialect has no `idempotency`", at: node.position)
            return nil
        }
        if case .fields(let fields) = policy.fingerprint, !fields.contains(where: { body?.required.contains($0) ?? false }) {
            complaints.add(
                found: "a key, and in `takes` no field of the dialect's fingerprint", expected: oneOf(fields) + " in `takes`",
                at: node.position)
        }
        guard node.scalar == "dialect" else {
            guard case .mapping = node.content else {
                return node.wrong(complaints, "`dialect`, or the location of the key, such as {path: transferUid}")
            }
            return reader.source(node)
        }
        if case .path(let name) = policy.key, reader.parameters?.contains(name) != true {
            complaints.add(found: "the dialect's key, which is the path's `\(name)`", expected: "{\(name)} in `request`", at: node.position)
        }
        return policy.key
    }

    private func grant(_ node: Node, _ reader: TemplateReader) -> Operation.Grant? {
        let fields = Fields(node, of: GrantKeys.schema.what, complaints)
        defer { fields.finish() }
        if loader.bank.auth == nil { complaints.add("found a grant, expected `auth` in the bank: it has no tokens", at: node.position) }
        func source(_ fields: Fields, _ key: Field<Node>) -> ValueSource? { fields[key].flatMap(reader.source) }
        if let password = fields[GrantKeys.password] {
            let inner = Fields(password, of: GrantKeys.passwordSchema, complaints)
            let (user, word, scope) = (source(inner, GrantKeys.user), source(inner, GrantKeys.word), source(inner, GrantKeys.scope))
            inner.finish()
            guard let user, let word else { return nil }
            return .password(user: user, password: word, scope: scope)
        }
        if let refresh = fields[GrantKeys.refresh] {
            let inner = Fields(refresh, of: GrantKeys.refreshSchema, complaints)
            defer { inner.finish() }
            let scope = source(inner, GrantKeys.scope)
            return source(inner, GrantKeys.token).map { .refresh(token: $0, scope: scope) }
        }
        if let code = fields[GrantKeys.code] {
            requireSignIn(at: node.position)
            let inner = Fields(code, of: GrantKeys.codeSchema, complaints)
            let text = source(inner, GrantKeys.codeSource)
            let (redirect, verifier) = (source(inner, GrantKeys.redirect), source(inner, GrantKeys.verifier))
            inner.finish()
            guard let text, let redirect, let verifier else { return nil }
            return .code(code: text, redirect: redirect, verifier: verifier)
        }
        if let client = fields[GrantKeys.client] {
            requireSignIn(at: node.position)
            let inner = Fields(client, of: GrantKeys.clientSchema, complaints)
            defer { inner.finish() }
            return .client(scope: source(inner, GrantKeys.scope))
        }
        guard let revoke = fields[GrantKeys.revoke] else { return node.wrong(complaints, "password, refresh, revoke, code or client") }
        let inner = Fields(revoke, of: GrantKeys.revokeSchema, complaints)
        defer { inner.finish() }
        return source(inner, GrantKeys.token).map { .revoke(token: $0) }
    }

    private func requireSignIn(at position: SourcePosition) {
        if loader.bank.signIn == nil { complaints.add("`sign_in` is missing in the bank: it has no clients", at: position) }
    }

    /// The engine answers an operation of the sign-in itself, without authentication.
    private func checkSignIn(_ operation: Operation, _ fields: Fields) {
        requireSignIn(at: position)
        let wanted = operation.signIn == .page ? "GET" : "POST"
        if operation.method != wanted {
            complaints.add(found: operation.method, expected: "\(wanted) with `sign_in: \(operation.signIn?.rawValue ?? "")`", at: position)
        }
        if operation.access != .open {
            complaints.add("found an operation of the sign-in that needs a token, expected `open: true`", at: position)
        }
        let effects = [
            OperationKeys.grant, OperationKeys.move, OperationKeys.insert, OperationKeys.update, OperationKeys.delete, OperationKeys.cancel,
            OperationKeys.revoke, OperationKeys.uses, OperationKeys.response, OperationKeys.takes, OperationKeys.key,
        ]
        for effect in effects {
            guard let node = fields.node(of: effect) else { continue }
            complaints.add(
                found: "`\(effect.key)` beside `sign_in`", expected: "none: the response is the page's, or an RFC's", at: node.position)
        }
    }

    private func rejections(_ node: Node, _ reader: TemplateReader) -> [Operation.RejectionReason: ResponseTemplate] {
        var rejections: [Operation.RejectionReason: ResponseTemplate] = [:]
        for (_, keyNode, value) in Fields(node, of: "refuse", complaints).all {
            guard let situation = keyNode.choice(of: Operation.RejectionReason.self, complaints) else { continue }
            rejections[situation] = reader.response(value, contentType: loader.bank.dialect.contentType)
        }
        return rejections
    }
}
