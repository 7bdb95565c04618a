import BankCore
import BankModel

/// Puts stubs together as a bank: operations in the order in which they win, bodies as files, faults as a plan.
struct CannedBank {
    let name: String
    let notes: ImportNotes
    let origin: Origin
    private var names = Names()
    /// Of each operation the stub it was made of.
    private var stubs: [Stub] = []
    private var known = CoverIndex()
    /// The operations of one priority, the one that is added now.
    private var equals = OverlapFinder()
    private var priority: Int?
    private var members: [(key: String, value: JSON)] = []
    private var bodies: [String: [UInt8]] = [:]
    private var rules: [JSON] = []

    /// The tool that the stubs come from.
    enum Origin {
        /// Compares methods and paths as they are sent; of equal priority the last that was loaded answers.
        case wireMock
        case pact
    }

    init(name: String, notes: ImportNotes, origin: Origin) {
        self.name = name
        self.notes = notes
        self.origin = origin
    }

    /// Adds stubs, those that win first.
    mutating func add(_ stubs: [Stub]) {
        let ranked = stubs.sorted { a, b in
            // A widened operation must not hide an exact one.
            (a.priority, a.isWider ? 1 : 0, -a.order) < (b.priority, b.isWider ? 1 : 0, -b.order)
        }
        for stub in ranked { add(stub) }
    }

    private mutating func add(_ stub: Stub) {
        if priority != stub.priority {
            priority = stub.priority
            equals = OverlapFinder()
        }
        let before = stubs.count
        var isHidden = false
        var isTied = false
        for method in stub.methods {
            guard let path = PathTemplate(stub.path) else { continue }
            var operation = Operation(name: "", method: method, path: path)
            operation.when = stub.when
            if let hider = known.covering(operation).min().map({ stubs[$0] }) {
                // One method of several that another mapping answers is that mapping's; nothing is lost.
                guard stub.methods.count == 1 else { continue }
                notes.warn(
                    .leftOut, stub.piece,
                    "no request would match it: \(hider.piece.item) (\(hider.piece.file)) matches \(operation.requestLine) before it"
                )
                isHidden = true
                continue
            }
            if origin == .wireMock, !isTied { isTied = noteTie(stub, operation) }
            let several = stub.methods.count > 1
            operation.name = names.name(for: stub.name.map { several ? "\($0) \(method)" : $0 } ?? "\(method) \(stub.path)")
            known.add(operation, as: stubs.count)
            equals.add(operation, as: stubs.count)
            stubs.append(stub)
            members.append((operation.name, definition(operation, stub)))
            for var rule in stub.response.rules.compactMap(\.object) {
                rule["on"] = ["operation": .string(operation.name)]
                rules.append(.object(rule))
            }
        }
        if !isHidden, stubs.count == before {
            notes.warn(.leftOut, stub.piece, "no request would match it: other mappings match all its methods")
        }
    }

    /// Notes that a mapping of the same priority answers some of the requests too, where which of them does is not the same in both.
    ///
    /// In one file the later wins, there as here. Files come there in the order of the file system; and what is converted too widely stands
    /// here behind the others.
    private func noteTie(_ stub: Stub, _ operation: Operation) -> Bool {
        let winner = equals.one(meeting: operation) { stubs[$0].piece.file != stub.piece.file || stubs[$0].order < stub.order }
        guard let winner = winner.map({ stubs[$0] }) else { return false }
        notes.warn(
            .approximate, stub.piece,
            "\(winner.piece.item) (\(winner.piece.file)) has the same priority and gets the requests that match both; "
                + "in WireMock, the last loaded one gets them")
        return true
    }

    // MARK: operations

    private mutating func definition(_ operation: Operation, _ stub: Stub) -> JSON {
        let response = stub.response
        let type: JSON = response.contentType.map(JSON.string) ?? .null
        var reply = response.template.map { JSON.object(["text": $0, "content_type": type]) }
        if reply == nil, !response.body.isEmpty {
            let file = response.file.map { "files/\($0)" } ?? "bodies/\(operation.name).\(response.suffix)"
            bodies[file] = response.body
            reply = ["file": .string(file), "content_type": type]
        }
        return .object(known: [
            "request": .string(operation.requestLine), "when": operation.when.isEmpty ? nil : when(operation.when),
            "status": response.status == 200 ? nil : .int(response.status),
            "then": stub.then.map { then in ["state": [then.variable: then.state.map(JSON.string) ?? JSON.null]] },
            "headers": response.headers.isEmpty ? nil : CannedBank.headers(response.headers), "reply": reply,
        ])
    }

    /// A name with several lines has a list.
    static func headers(_ lines: [(name: String, value: JSON)]) -> JSON {
        var object = JSONObject()
        for (name, value) in lines {
            let known = object.keys.first { $0.isHeaderName(name) }
            guard let known, let before = object[known] else {
                object[name] = value
                continue
            }
            object[known] = .array((before.array ?? [before]) + [value])
        }
        return .object(object)
    }

    private func when(_ conditions: [Condition]) -> JSON {
        var object = JSONObject()
        for condition in conditions {
            let wanted = if condition.part == .json, case .value(let value) = condition.wanted { value } else { json(condition.wanted) }
            if condition.part.isWhole {
                object[condition.part.rawValue] = wanted
            } else {
                object[condition.part.rawValue, condition.name] = wanted
            }
        }
        return .object(object)
    }

    private func json(_ wanted: Condition.Wanted) -> JSON {
        switch wanted {
        case .absent: .null
        case .like(let patterns): ["like": patterns.count == 1 ? .string(patterns[0]) : .array(patterns.map(JSON.string))]
        case .matches(let pattern): ["matches": .string(pattern.source)]
        case .any(let parts): ["any": .array(parts.map(json))]
        case .all(let parts): ["all": .array(parts.map(json))]
        case .not(let part): ["not": json(part)]
        case .values(let parts, let exactly): [exactly ? "exactly" : "include": .array(parts.map(json))]
        case .at(let path, let part): ["at": [path.source: json(part)]]
        case .alike(let likeness): ["like_json": json(likeness)]
        case .schema(let schema): ["of_schema": schema.source]
        case .value(let value): value.isContainer || value == .null ? ["is": value] : value
        }
    }

    private func json(_ likeness: JSONLikeness) -> JSON {
        .object(known: [
            "is": likeness.document, "more": likeness.allowsMore ? true : nil, "any_order": likeness.anyOrder ? true : nil,
        ])
    }

    // MARK: files

    /// The result of an import.
    ///
    /// - Parameters:
    ///   - read: how many sources were read.
    ///   - source: what one is, such as `mapping`.
    ///   - tool: the tool that they come from.
    /// - Throws: ``ComplaintsError`` if the bank has no operation.
    func imported(_ read: Int, _ source: String, of tool: String) throws(ComplaintsError) -> Imported {
        guard !stubs.isEmpty else {
            throw notes.rejection(
                "none of \(counted(read, source)) can be converted; a bank needs at least one operation", at: SourcePosition(file: name))
        }
        return Imported(
            files: files(about: "Imported from \(counted(read, source)) of \(tool)."), warnings: notes.warnings,
            sources: (read, Set(stubs.map(\.order)).count), operations: stubs.count, rules: rules.count)
    }

    /// The bank's folder, its dialect, and its plan if it has faults.
    private func files(about: String) -> [ImportFile] {
        let bank = JSON.object(known: [
            "bank": .string(name), "about": .string(about), "dialect": .string(CannedDialect.name),
            "as_sent": origin == .wireMock ? true : nil, "operations": .object(JSONObject(members)),
        ])
        let comment = "Written by counterfoil import. The first matching operation is used."
        var files = [
            ImportFile("\(name)/bank.yaml", YAMLText.document(bank, schema: YAMLText.bankSchema, comment: comment)),
            CannedDialect.file,
        ]
        files += bodies.sorted { $0.key < $1.key }.map { ImportFile("\(name)/\($0.key)", $0.value) }
        if !rules.isEmpty {
            files.append(PlanText.file("outages/\(name).yaml", about: "Faults and delays of \(name)'s mappings.", rules: rules))
        }
        return files
    }
}

/// The dialect of imported banks: no headers, and a plain 404 for what no mapping answers.
enum CannedDialect {
    static let name = "canned"

    /// `dialects/canned.yaml`
    static var file: ImportFile {
        var responses = JSONObject()
        for name in DialectResponseName.allCases {
            let words = name == .notFound ? "No mapping matches this request." : "\(name.rawValue.replacing("-", with: " "))."
            let body: JSON = ["code": .string(name.rawValue), "message": ["detail": .string(words)]]
            responses[name.rawValue] = ["status": .int(name.usualStatus), "invented": true, "body": body]
        }
        let dialect: JSON = [
            "dialect": .string(name), "about": "Canned responses from mappings. The bodies of error responses are placeholders.",
            "content_type": "application/json", "replies": .object(responses),
        ]
        let text = YAMLText.document(dialect, schema: YAMLText.dialectSchema, comment: "Written by counterfoil import.")
        return ImportFile("dialects/\(name).yaml", text)
    }
}
