import BankCore
import BankModel

/// Finds where a description wants idempotency keys: in a header, in the body, or in the path.
struct DescribedKeys {
    private(set) var choices: [RoleChoice] = []
    /// Where the bound keys are, in words, by operation.
    private(set) var words: [Int: String] = [:]
    /// The dialect's `idempotency`; nil if no operation has a key.
    private(set) var policy: JSON?

    /// A location of keys, with its schema.
    private struct Key {
        var operation: Int
        var source: JSON
        var words: String
        var isRequired: Bool
        var schema: LocatedNode?
        /// Whether its name is that of an idempotency key.
        var isCertain: Bool
    }

    private static let requestIDs: Set<String> = ["xrequestid", "requestid", "xrequestreference", "clientrequestid"]
    private static let bodyNames: Set<String> = [
        "requestid", "clientrequestid", "dedupeid", "clienttoken", "clientreferenceid", "customertransactionid", "endtoendkey",
    ]

    /// Fills in the keys of the operations.
    init(_ operations: inout [DescribedOperation], confirmed: Bool) {
        let keys = operations.indices.compactMap { DescribedKeys.key(operations[$0], $0) }
        choices = keys.map { key in
            RoleChoice(
                state: key.isCertain || confirmed ? .bound : .proposed, role: "key", operation: operations[key.operation].node.item,
                reason: key.words + (key.isRequired ? ", required" : ""))
        }
        let bound = keys.filter { $0.isCertain || confirmed }
        guard let most = DescribedKeys.mostUsed(bound) else { return }
        for key in bound {
            words[key.operation] = key.words
            operations[key.operation].key = key.source == most.source ? "dialect" : key.source
            if operations[key.operation].takes == nil {
                if key.source["body"] != nil { operations[key.operation].takes = ["json": []] }
                if key.source["form"] != nil { operations[key.operation].takes = ["form": []] }
            }
            if let name = key.source["header"]?.string { operations[key.operation].used.insert("header \(name)") }
        }
        let longest = bound.compactMap { $0.schema?["maxLength"]?.json.int }.min() ?? 255
        let isUUID = bound.allSatisfy { $0.schema?["format"]?.text == "uuid" }
        policy = .object(known: [
            "key": most.source, "required": .bool(bound.allSatisfy(\.isRequired)), "longest": .int(min(max(longest, 1), 10_000)),
            "uuid": isUUID ? true : nil, "stored": "executed", "window": "24h",
        ])
    }

    /// The location that most operations have; of several the first.
    private static func mostUsed(_ keys: [Key]) -> Key? {
        // A path's parameter cannot be the key of all operations.
        let candidates = keys.filter { $0.source["path"] == nil }
        guard !candidates.isEmpty else { return keys.first }
        let uses = Dictionary(grouping: candidates, by: \.source).mapValues(\.count)
        return candidates.max { a, b in (uses[a.source, default: 0], b.operation) < (uses[b.source, default: 0], a.operation) }
    }

    private static func key(_ operation: DescribedOperation, _ index: Int) -> Key? {
        guard operation.method != "GET", !operation.isRead else { return nil }
        func inHeader(_ header: DescribedParameter, _ reason: String, isCertain: Bool) -> Key {
            Key(
                operation: index, source: ["header": .string(header.name)], words: "header \(header.name), \(reason)",
                isRequired: header.isRequired, schema: header.schema, isCertain: isCertain)
        }
        func inBody(_ field: BodyFields.DescribedField, _ reason: String, isCertain: Bool) -> Key {
            Key(
                operation: index, source: operation.isForm ? ["form": .string(field.path)] : ["body": .string(field.path)],
                words: operation.isForm ? "form \(field.path), \(reason)" : "body $.\(field.path), \(reason)",
                isRequired: field.isRequired, schema: field.schema, isCertain: isCertain)
        }
        let headers = operation.parameters.filter { $0.location == "header" }
        if let header = headers.first(where: { $0.name.lowercased().contains("idempoten") }) {
            return inHeader(header, "by its name", isCertain: true)
        }
        let fields = operation.isForm ? operation.fields.filter { !$0.path.contains(".") } : operation.fields
        if let field = fields.first(where: { DescribedName.plain($0.name).contains("idempoten") && $0.kind == .text }) {
            return inBody(field, "by its name", isCertain: true)
        }
        if let field = fields.first(where: { bodyNames.contains(DescribedName.plain($0.name)) && $0.kind == .text }) {
            return inBody(field, "which the client makes", isCertain: false)
        }
        if let header = headers.first(where: {
            requestIDs.contains(DescribedName.plain($0.name)) && ($0.isRequired || $0.schema?["format"]?.text == "uuid")
        }) {
            return inHeader(header, "\(header.schema?["format"]?.text == "uuid" ? "a UUID" : "a text") of the client", isCertain: false)
        }
        if operation.method == "PUT", case .parameter(let name)? = operation.path.parts.last,
            let parameter = operation.parameters.first(where: { $0.location == "path" && $0.name == name }),
            parameter.schema?["format"]?.text == "uuid",
            ["transfer", "payment", "transaction"].contains(where: name.lowercased().contains)
        {
            return Key(
                operation: index, source: ["path": .string(name)], words: "path {\(name)}, a UUID of the client", isRequired: true,
                schema: parameter.schema, isCertain: false)
        }
        return nil
    }
}
