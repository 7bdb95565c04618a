import BankCore
import BankModel

/// Reads one bank's folder into a ``Bank``, and complains of everything that is wrong with it.
final class BankLoader {
    let name: String
    let library: BankLibrary
    let complaints: Complaints
    private(set) var filesRead: [String] = []
    /// Kinds of dirt that the fixtures have on purpose: `key`, `date`, `amount`.
    private(set) var dirty: Set<String> = []
    /// The tables, once read: templates are checked against them.
    private(set) var tables: [String: Table] = [:]

    var folder: String { "\(library.folder)/\(name)" }

    init(name: String, library: BankLibrary, complaints: Complaints) {
        (self.name, self.library, self.complaints) = (name, library, complaints)
    }

    func load() -> LoadedBank? {
        guard let root = yaml("\(folder)/bank.yaml", what: "the bank's definition") else { return nil }
        let fields = Fields(root, of: "a bank", complaints)
        if let node = fields.required("bank"), let written = node.text(complaints), written != name {
            complaints.add(found: "`\(written)`", expected: "`\(name)`, the folder's name", at: node.place)
        }
        let about = fields.required("about")?.text(complaints) ?? ""
        let base = fields["base"]?.scalar ?? ""
        dirty = Set(fields["dirty"]?.texts(complaints) ?? [])
        let clientOperations = fields["operations_of_a_client"]?.texts(complaints) ?? []
        let defaults = fields["defaults"]?.json ?? .object([:])
        let sensitive = fields["sensitive"]?.texts(complaints) ?? []
        let dialect = fields.required("dialect").flatMap { self.dialect($0) }
        for (name, keyNode, node) in members(of: fields["tables"], "tables") {
            tables[name] = table(name, node, at: keyNode.place)
        }
        checkBelongings(fields["tables"])
        let auth = fields["auth"].map { self.auth($0) }
        let customers = (fields["customers"]?.elements(complaints) ?? []).compactMap { customer($0, auth: auth) }
        let operationNodes = fields.required("operations").map { Fields($0, of: "operations", complaints).all } ?? []
        var operations = operationNodes.compactMap { name, keyNode, node in
            OperationReader(name, node, at: keyNode.place, loader: self, base: base, auth: auth, dialect: dialect).read()
        }
        bindRoles(fields["roles"], &operations)
        checkReachable(operations, operationNodes.map(\.keyNode))
        fields.finish()
        let expected = library.files.read("\(folder)/expected.yaml") == nil ? nil : yaml("\(folder)/expected.yaml", what: "the expected views")
        guard let dialect else { return nil }
        let bank = Bank(
            name: name, about: about, base: base, dialect: dialect, tables: tables, customers: customers, auth: auth, operations: operations,
            clientOperations: clientOperations, defaults: defaults, sensitive: sensitive)
        return LoadedBank(bank: bank, expected: expected.map { ExpectedViews($0) }, warnings: [], files: filesRead)
    }

    // MARK: files

    /// A YAML file's root.
    func yaml(_ path: String, what: String) -> Node? {
        guard let bytes = bytes(path) else {
            complaints.add(found: "no file", expected: what, at: Place(file: path))
            return nil
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            complaints.add(found: "bytes that are no UTF-8", expected: "UTF-8", at: Place(file: path, line: 1, column: 1))
            return nil
        }
        return Node.parse(yaml: text, file: path, complaints)
    }

    /// A file's bytes; it is one of the bank's files from now on.
    func bytes(_ path: String) -> [UInt8]? {
        if !filesRead.contains(path) { filesRead.append(path) }
        return library.files.read(path)
    }

    // MARK: parts

    private func dialect(_ node: Node) -> Dialect? {
        guard let name = node.text(complaints) else { return nil }
        let known = library.dialectNames
        guard known.contains(name) else {
            let expected = known.isEmpty ? "a file \(library.folder)/dialects/\(name).yaml" : expectation(known, for: name)
            complaints.add(found: "the dialect `\(name)`", expected: expected, at: node.place)
            return nil
        }
        return dialect(named: name)
    }

    /// The dialect of that file.
    func dialect(named name: String) -> Dialect? {
        yaml("\(library.folder)/dialects/\(name).yaml", what: "the dialect").flatMap { DialectReader($0, name: name, loader: self).read() }
    }

    private func auth(_ node: Node) -> AuthPolicy {
        let fields = Fields(node, of: "auth", complaints)
        _ = fields["scheme"]?.text(complaints)
        let lifetime = fields.required("lifetime")?.duration(complaints) ?? .zero
        let scopes = fields["scopes"]?.texts(complaints) ?? []
        let refresh = fields["refresh"]?.duration(complaints)
        fields.finish()
        return AuthPolicy(lifetime: lifetime, scopes: scopes, refreshLifetime: refresh)
    }

    private func customer(_ node: Node, auth: AuthPolicy?) -> Customer? {
        let fields = Fields(node, of: "a customer", complaints)
        let login = fields.required("login")?.text(complaints)
        let password = fields["password"]?.text(complaints)
        let locked = fields["locked"]?.bool(complaints) ?? false
        var owns: [String: Set<String>] = [:]
        for (table, keyNode, keys) in members(of: fields["owns"], "owns") {
            guard let known = require(table: table, at: keyNode.place) else { continue }
            for key in keys.elements(complaints) ?? [] {
                guard let text = key.text(complaints) else { continue }
                if !known.rows.contains(where: { $0[known.key]?.plainText == text }) {
                    complaints.add(found: "the key `\(text)`", expected: "a row of \(table) with that \(known.key)", at: key.place)
                }
                owns[table, default: []].insert(text)
            }
        }
        let profile = fields["profile"]?.json.object ?? JSONObject()
        fields.finish()
        return login.map { Customer(login: $0, password: password, locked: locked, owns: owns, profile: profile) }
    }

    private func bindRoles(_ node: Node?, _ operations: inout [Operation]) {
        guard let node else { return }
        for (name, keyNode, list) in Fields(node, of: "roles", complaints).all {
            guard let role = keyNode.choice(of: Role.self, complaints) else { continue }
            for bound in list.elements(complaints) ?? [] {
                guard let wanted = bound.text(complaints) else { continue }
                if let index = operations.firstIndex(where: { $0.name == wanted }) {
                    operations[index].roles.append(role)
                } else {
                    let hint = nearestName(to: wanted, among: operations.map(\.name)).map { ", did you mean `\($0)`?" } ?? ""
                    complaints.add("found the operation `\(wanted)` for the role \(name), expected one of the bank's own\(hint)", at: bound.place)
                }
            }
        }
    }

    /// Complains of operations that no request can ever meet.
    private func checkReachable(_ operations: [Operation], _ keys: [Node]) {
        for (index, operation) in operations.enumerated() {
            let hider = operations[..<index].first { earlier in
                earlier.method == operation.method && earlier.path.covers(operation.path)
                    && earlier.whenForm.allSatisfy { operation.whenForm[$0.key] == .some($0.value) }
            }
            guard let hider, let place = keys.first(where: { $0.scalar == operation.name })?.place else { continue }
            complaints.add("no request can meet `\(operation.name)`: `\(hider.name)` stands before it and answers \(operation.requestLine) too", at: place)
        }
    }

    private func checkBelongings(_ node: Node?) {
        guard let node else { return }
        for (name, keyNode, _) in Fields(node, of: "tables", complaints).all {
            guard case .row(_, let parent)? = tables[name]?.belongs else { continue }
            _ = require(table: parent, at: keyNode.place)
        }
    }

    /// The members of a mapping that may be missing.
    func members(of node: Node?, _ what: String) -> [(key: String, keyNode: Node, value: Node)] {
        node.map { Fields($0, of: what, complaints).all } ?? []
    }

    /// The table of that name; a complaint if there is none.
    @discardableResult
    func require(table name: String, at place: Place) -> Table? {
        if let table = tables[name] { return table }
        let hint = nearestName(to: name, among: tables.keys).map { "; did you mean `\($0)`?" } ?? ""
        complaints.add(found: "the table `\(name)`", expected: oneOf(tables.keys.sorted()) + hint, at: place)
        return nil
    }
}

extension PathTemplate {
    /// Whether every path that fits the other fits this one too.
    func covers(_ other: PathTemplate) -> Bool {
        parts.count == other.parts.count
            && zip(parts, other.parts).allSatisfy { mine, theirs in
                switch (mine, theirs) {
                case (.parameter, _): true
                case (.literal(let a), .literal(let b)): a == b
                case (.parameterWithSuffix(_, let suffix), .literal(let text)): text.hasSuffix(suffix) && text.count > suffix.count
                case (.parameterWithSuffix(_, let a), .parameterWithSuffix(_, let b)): b.hasSuffix(a)
                default: false
                }
            }
    }
}
