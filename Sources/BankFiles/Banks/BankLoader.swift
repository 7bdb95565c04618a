import BankCore
import BankModel
import Platform

/// Reads one bank's folder into a ``Bank``, and reports all its errors.
final class BankLoader {
    let name: String
    let library: BankLibrary
    let complaints: Complaints
    private(set) var filesRead: [String] = []
    private var knownFiles: Set<String> = []
    /// The kinds of dirt that the fixtures contain on purpose: `key`, `date`, `amount`.
    private(set) var dirty: Set<RowChecks.Dirt> = []
    /// The bank, as far as it is read: what comes later is checked against it.
    private(set) var bank: Bank
    /// Whether the bank has its dialect: not until that is read, nor if it cannot be.
    private(set) var hasDialect = false
    /// Fields of rows that the definition refers to; checked at the end.
    var fieldUses: [FieldUse] = []
    /// The checks of each table's rows.
    var rowChecks: [RowChecks] = []
    /// Tables with errors: references to their rows are not checked.
    var faulty: Set<String> = []

    var folder: String { "\(library.folder)/\(name)" }

    init(name: String, library: BankLibrary, complaints: Complaints) {
        self.name = name
        self.library = library
        self.complaints = complaints
        bank = Bank(name: name, dialect: Dialect(name: ""))
    }

    func load() -> LoadedBank? {
        guard let root = yaml("\(folder)/bank.yaml", what: "the bank's definition") else { return nil }
        let fields = Fields(root, of: BankKeys.schema, complaints)
        if let node = fields[BankKeys.bank], let written = node.text(complaints), written != name {
            complaints.add(found: "`\(written)`", expected: "`\(name)`, the folder's name", at: node.position)
        }
        bank.about = fields[BankKeys.about] ?? ""
        bank.base = fields[BankKeys.base].flatMap { self.base($0) } ?? ""
        bank.asSent = fields[BankKeys.asSent] ?? false
        bank.compression = fields[BankKeys.compression] ?? []
        dirty = Set((fields[BankKeys.dirty]?.elements(complaints) ?? []).compactMap { $0.choice(of: RowChecks.Dirt.self, complaints) })
        let clientNode = fields[BankKeys.clientOperations]
        let defaultsNode = fields[BankKeys.defaults]
        bank.sensitive = fields[BankKeys.sensitive] ?? []
        if let dialect = fields[BankKeys.dialect].flatMap({ self.dialect($0) }) { (bank.dialect, hasDialect) = (dialect, true) }
        for (name, keyNode, node) in members(of: fields[BankKeys.tables], "tables") {
            if name == Movement.Account.outside {
                complaints.add(
                    found: "a table `\(name)`", expected: "another name: this one is for accounts of other banks", at: keyNode.position)
            }
            bank.tables[name] = table(name, node, at: keyNode.position)
        }
        checkBelongings(fields[BankKeys.tables])
        bank.auth = fields[BankKeys.auth].map(auth)
        for node in fields[BankKeys.customers]?.elements(complaints) ?? [] {
            if let customer = customer(node) { bank.customers.append(customer) }
        }
        bank.signIn = fields[BankKeys.signIn].map(signInPolicy)
        bank.consents = fields[BankKeys.consents].map(consentPolicies) ?? [:]
        bank.challenges = fields[BankKeys.challenges].map { ChallengeKeys.policy($0, complaints) }
        bank.webhooks = fields[BankKeys.webhooks].map(webhookPolicy)
        let hasBodies = bank.consents.values.contains { !$0.bodies.isEmpty }
        if let node = fields.node(of: BankKeys.consents), bank.webhooks == nil, hasBodies {
            complaints.add(found: "`bodies` in `consents`", expected: "`webhooks` in the bank: it sends none", at: node.position)
        }
        for check in rowChecks { check.checkOwners(bank.tables.filter { !faulty.contains($0.key) }, bank.customers) }
        let operationNodes = fields[BankKeys.operations].map { Fields($0, of: "operations", complaints).all } ?? []
        bank.operations = operationNodes.compactMap { name, keyNode, node in
            OperationReader(name: name, node: node, position: keyNode.position, loader: self).read()
        }
        bank.events = fields[BankKeys.events].flatMap(TemplateReader(loader: self, parameters: []).events)
        let life = lifeEvents(fields[BankKeys.life]) + lifeEvents(lifeFile)
        bindRoles(fields[BankKeys.roles])
        let positions = Dictionary(operationNodes.map { ($0.key, $0.keyNode.position) }) { first, _ in first }
        checkReachable(positions)
        checkPasswords(fields[BankKeys.customers])
        checkChallenges(fields.node(of: BankKeys.challenges))
        OperationChecks(bank: bank, faulty: faulty, positions: positions, complaints: complaints).run()
        checkFieldUses()
        if library.readsExpected { checkRanges() }
        fields.finish()
        let expected =
            library.readsExpected && library.hasFile("expected.yaml", of: name)
            ? yaml("\(folder)/expected.yaml", what: "the expected results") : nil
        guard hasDialect else { return nil }
        checkLife(life)
        bank.life = life.map(\.1)
        let client = ClientReader(bank: bank, faulty: faulty, complaints: complaints)
        bank.clientOperations = client.operations(clientNode)
        bank.defaults = client.defaults(defaultsNode, listed: bank.clientOperations)
        if let expected { ExpectedChecks(bank: bank, complaints: complaints).run(expected) }
        return LoadedBank(bank: bank, expected: expected.map { ExpectedViews($0) }, warnings: [], files: filesRead)
    }

    // MARK: files

    /// A YAML file's root.
    func yaml(_ path: String, what: String) -> Node? { library.files.yaml(path, below: noted(path), what: what, complaints) }

    /// A file's bytes.
    ///
    /// - Parameter position: the position that names the file, for the complaint about a missing one.
    /// - Returns: nil, and a complaint, if the file is not read.
    func bytes(_ path: String, _ limit: InputLimit, namedAt position: SourcePosition) -> [UInt8]? {
        do throws(UnreadFile) { return try library.files.read(path, below: noted(path), limit) } catch {
            if error.isMissing {
                complaints.add(found: "`\(path.dropFirst(folder.count + 1))`", expected: "a file \(path)", at: position)
            } else {
                complaints.add(Complaint(error, file: path, expected: "a file that can be read"))
            }
            return nil
        }
    }

    /// Adds a file to the bank's files.
    ///
    /// - Returns: the folder that no link may lead out of, of the bank or, for a dialect, of all banks: a bank from elsewhere would
    ///   expose the files of the machine that serves it.
    private func noted(_ path: String) -> String {
        if knownFiles.insert(path).inserted { filesRead.append(path) }
        return path.hasPrefix(folder + "/") ? folder : library.layers.folder(of: path)
    }

    /// The path of a file or folder of the bank; a complaint if it leads elsewhere.
    func path(inFolder node: Node) -> String? {
        guard let name = node.text(complaints) else { return nil }
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            return node.wrong(complaints, "a path inside the bank's folder")
        }
        return "\(folder)/\(name)"
    }

    // MARK: parts

    private func dialect(_ node: Node) -> Dialect? {
        guard let name = node.text(complaints), knows(dialect: name, at: node.position) else { return nil }
        return dialect(named: name)
    }

    /// Whether there is a dialect of that name; complains if there is none.
    func knows(dialect name: String, at position: SourcePosition) -> Bool {
        let known = library.dialectNames
        if known.contains(name) { return true }
        let expected = known.isEmpty ? "a file \(library.folder)/dialects/\(name).yaml" : expectation(known, for: name)
        complaints.add(found: "the dialect `\(name)`", expected: expected, at: position)
        return false
    }

    func dialect(named name: String) -> Dialect? {
        settings(ofDialect: name).map { dialect($0, named: name) }
    }

    private func base(_ node: Node) -> String? {
        guard let text = node.scalar, text.isEmpty || text.hasPrefix("/") && !text.hasSuffix("/"),
            PathTemplate("/" + text)?.parameters == []
        else {
            return node.wrong(complaints, "nothing, or a path such as /api/v2 that begins with a slash and does not end with one")
        }
        return text
    }

    private func customer(_ node: Node) -> Customer? {
        let fields = Fields(node, of: CustomerKeys.schema, complaints)
        let loginNode = fields[CustomerKeys.login]
        let login = loginNode?.text(complaints)
        if let login, let loginNode, bank.customers.contains(where: { $0.login == login }) {
            complaints.add("found the customer `\(login)` a second time, expected each login once", at: loginNode.position)
        }
        let password = fields[CustomerKeys.password]
        let tokenNode = fields.node(of: CustomerKeys.token)
        let token = fields[CustomerKeys.token]
        if let token, let tokenNode {
            if bank.auth == nil {
                complaints.add(found: "a token", expected: "`auth` in the bank: it has no tokens", at: tokenNode.position)
            }
            if bank.customers.contains(where: { $0.token == token }) {
                complaints.add("found a token of another customer, expected each token once", at: tokenNode.position)
            }
        }
        let locked = fields[CustomerKeys.locked] ?? false
        var owns: [String: Set<String>] = [:]
        for (table, keyNode, keys) in members(of: fields[CustomerKeys.owns], "owns") {
            guard let known = require(table: table, at: keyNode.position) else { continue }
            guard case .owner? = known.belongs else {
                complaints.add(
                    found: "`owns` of \(table)", expected: "a table with `belongs: owner`: other tables ignore `owns`", at: keyNode.position
                )
                continue
            }
            for key in keys.elements(complaints) ?? [] {
                guard let text = key.text(complaints) else { continue }
                if !faulty.contains(table), known.rows.rows(of: text, in: known.key).isEmpty {
                    let hint = didYouMean(text, among: known.rows.compactMap { $0[known.key]?.plainText })
                    complaints.add(
                        found: "the key `\(text)`", expected: "a row of \(table) with that \(known.key)\(hint)", at: key.position)
                }
                owns[table, default: []].insert(text)
            }
        }
        let profile = fields[CustomerKeys.profile].flatMap { $0.json.object ?? $0.wrong(complaints, "a mapping") } ?? JSONObject()
        fields.finish()
        return login.map { Customer(login: $0, password: password, token: token, locked: locked, owns: owns, profile: profile) }
    }

    private func bindRoles(_ node: Node?) {
        guard let node else { return }
        for (name, keyNode, list) in Fields(node, of: "roles", complaints).all {
            guard let role = keyNode.choice(of: Role.self, complaints), let nodes = list.elements(complaints) else { continue }
            if nodes.isEmpty { complaints.add(found: "no operation for the role \(name)", expected: "at least one", at: list.position) }
            for bound in nodes {
                guard let wanted = bound.text(complaints) else { continue }
                if let index = bank.operations.firstIndex(where: { $0.name == wanted }) {
                    bank.operations[index].roles.append(role)
                } else {
                    let hint = didYouMean(wanted, among: bank.operations.map(\.name))
                    complaints.add(
                        "found the operation `\(wanted)` for the role \(name), expected one of the bank's own\(hint)", at: bound.position)
                }
            }
        }
    }

    /// The members of an optional mapping.
    func members(of node: Node?, _ what: String) -> [(key: String, keyNode: Node, value: Node)] {
        node.map { Fields($0, of: what, complaints).all } ?? []
    }

    /// The table of that name; a complaint if there is none.
    @discardableResult
    func require(table name: String, at position: SourcePosition) -> Table? {
        if let table = bank.tables[name] { return table }
        let hint = didYouMean(name, among: bank.tables.keys)
        let expected = bank.tables.isEmpty ? "none: the bank has no tables" : oneOf(bank.tables.keys.sorted()) + hint
        complaints.add(found: "the table `\(name)`", expected: expected, at: position)
        return nil
    }
}
