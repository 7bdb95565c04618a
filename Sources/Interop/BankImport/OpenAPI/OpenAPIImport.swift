import BankCore
package import BankModel

/// Makes a bank of a description in OpenAPI 3.0 or 3.1, or Swagger 2.0: pure, from a node to files.
///
/// Each operation answers with the first example of its first success; where the description has none, with a value made from the
/// schema. A list whose rows have ids becomes a table, and the operation that shows one of them shows a row of it. The errors that
/// the description has become the bank's dialect.
package struct OpenAPIImport: Sendable {
    /// The bank's name.
    package var name: String
    /// The proposals that become part of the bank.
    package var confirmed: Set<RoleChoice.Confirmation>

    package init(name: String, confirmed: Set<RoleChoice.Confirmation> = []) {
        self.name = name
        self.confirmed = confirmed
    }

    /// The bank's folder and its dialect.
    ///
    /// - Parameters:
    ///   - node: the description's root.
    ///   - file: the description's name, for messages.
    ///   - name: the description's own name in its folder, by which files beside it may refer to it.
    ///   - neighbour: gives the root of another file of that folder or below, by its path there; nil if there is none.
    /// - Throws: if it is not a description of these versions, or none of its operations can be converted.
    package func convert(
        _ node: Node, file: String, name own: String = "", neighbour: @escaping (String) -> Node? = { _ in nil }
    ) throws(ComplaintsError) -> Imported {
        let notes = ImportNotes()
        let description = Description(SwaggerDescription(node)?.converted ?? node, name: own, notes: notes, neighbour: neighbour)
        try checkVersion(description, file)
        let described = DescribedServer.base(description)
        let base = PathTemplate("/" + described)?.parameters == [] ? described : ""
        var security = DescribedSecurity(description)
        var dialect = DescribedDialect(name: name, description: description)
        let operations = read(description, &security, &dialect)
        guard !operations.isEmpty else {
            throw notes.rejection("found no convertible operation, expected at least one below `paths`", at: SourcePosition(file: file))
        }
        let title = description.root["info"]?["title"]?.text.flatMap { $0.isEmpty ? nil : $0 } ?? name
        var bank = DescribedBank(name: name, about: "Converted from the description of \(title).", base: base)
        let files = bank.files(
            operations, security: security, dialect: dialect, confirmed: confirmed, description: description)
        return Imported(
            files: files, warnings: notes.warnings, operations: bank.count, choices: bank.choices,
            signIn: security.howToSignIn(to: self.name, by: bank.signInCall))
    }

    private func checkVersion(_ description: Description, _ file: String) throws(ComplaintsError) {
        let root = description.root
        let expected = "expected `openapi: 3.0.x` or `3.1.x`, or `swagger: 2.0`"
        func rejection(_ found: String, _ node: LocatedNode?) -> ComplaintsError {
            var position = (node ?? root).node.position
            position.path = node?.pointer ?? ""
            return ComplaintsError([Complaint("found \(found), \(expected)", at: position)])
        }
        if let swagger = root["swagger"] {
            throw rejection("`swagger: \(swagger.text ?? "")`", swagger)
        }
        guard let version = root["openapi"] else {
            let remark = OtherFile.remark(onMembers: root.members.map(\.key)) ?? ""
            throw ComplaintsError([Complaint("found \(root.node.kindName), \(expected)\(remark)", at: root.node.position)])
        }
        let text = version.text ?? ""
        guard text.hasPrefix("3.0") || text.hasPrefix("3.1") else { throw rejection("`openapi: \(text)`", version) }
        for key in ["webhooks", "x-webhooks"] {
            if let webhooks = root[key] { description.warn(.ignored, webhooks, "a stub bank sends no requests") }
        }
    }

    // MARK: operations

    static let methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]

    private func read(
        _ description: Description, _ security: inout DescribedSecurity, _ dialect: inout DescribedDialect
    ) -> [DescribedOperation] {
        var names = Names(taken: ["signIn", "renew"])
        var operations: [DescribedOperation] = []
        // By what they answer, whatever their parameters are called.
        var answered: [String: String] = [:]
        for (path, written) in description.root["paths"]?.members ?? [] where !path.hasPrefix("x-") {
            guard let item = description.resolved(written) else { continue }
            if let servers = item["servers"] { description.warn(.ignored, servers, "all operations have one base URL") }
            for (word, found) in item.members where OpenAPIImport.methods.contains(word) {
                var node = found
                let method = word.uppercased()
                node.item = "\(method) \(path)"
                guard ["GET", "PUT", "POST", "DELETE", "PATCH"].contains(method) else {
                    description.warn(.leftOut, node, method == "HEAD" ? "HEAD is handled like GET" : "\(method) is not supported")
                    continue
                }
                guard !path.contains(where: { "?#".contains($0) }) else {
                    description.warn(.leftOut, node, "a path has neither a query nor a fragment")
                    continue
                }
                guard let template = PathTemplate(path), Set(template.parameters).count == template.parameters.count else {
                    let rule = "a parameter starts a path segment, text may follow it, and each name occurs once"
                    description.warn(.leftOut, node, path.hasPrefix("/") ? rule : "a path begins with /")
                    continue
                }
                let label = node["operationId"]?.text ?? "\(method) \(path)"
                var operation = DescribedOperation(node: node, name: names.kept(label), method: method, path: template)
                description.read(&operation, shared: item["parameters"]?.elements ?? [])
                (operation.isOpen, operation.scope) = security.demand(node["security"] ?? description.root["security"])
                dialect.add(node["responses"])
                if let twin = answered["\(method) \(template.unnamed)"] {
                    description.warn(.leftOut, node, "no request would match it: \(twin) matches before it")
                    continue
                }
                answered["\(method) \(template.unnamed)"] = node.item
                operations.append(operation)
            }
        }
        return operations
    }
}

extension PathTemplate {
    /// The parts that are words, without empty ones.
    var literals: [String] { parts.compactMap { part in if case .literal(let text) = part, !text.isEmpty { text } else { nil } } }
}
