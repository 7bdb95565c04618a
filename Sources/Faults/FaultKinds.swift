package import BankModel

/// Every kind of fault. A new one is a file in `Kinds/` and a line here.
package enum FaultKinds {
    package static let all: [any Fault.Type] = [
        RefuseFault.self, BlackholeFault.self, ResetOnAcceptFault.self, CloseOnAcceptFault.self, BandwidthFault.self,
        CertificateFault.self, TLSAbortFault.self,
        OldTLSFault.self,
        StatusFault.self, DialectFault.self, CloseFault.self, ResetFault.self, HangFault.self, CaptivePortalFault.self,
        BusinessFailureFault.self, RedirectFault.self, ReplayPageFault.self, ShiftPageFault.self, ExpireCursorFault.self,
        EndlessPageFault.self, StaleReadFault.self, WrongIDTokenFault.self, AuthorizationErrorFault.self, StreamEventsFault.self,
        LoseReplyFault.self,
        GarbageFault.self, HugeHeadFault.self, ContentTypeFault.self, EditFault.self, DateSkewFault.self, GoAwayFault.self,
        ResetStreamFault.self,
        TruncateFault.self, LongerLengthFault.self, ResetBodyFault.self, StallBodyFault.self, SlowFault.self, BadChunkFault.self,
        CorruptFault.self,
        GzipFault.self,
        TrailersFault.self,
        SetCookieFault.self,
        EarlyHintsFault.self,
        EarlyReplyFault.self,
        SurplusFault.self,
        DelayFault.self,
    ]

    /// The settings of each kind, as readers and editors know them.
    static let schemas = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.schema) })

    /// The kind's type; nil if there is none of that name.
    package static func type(of kind: String) -> (any Fault.Type)? { all.first { $0.kind == kind } }

    private static let effects = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.effects) })

    /// What the kind does to an exchange; nothing if there is none of that name.
    package static func effects(of kind: String) -> Set<FaultEffect> { effects[kind] ?? [] }

    /// Every kind with its point, its effect, the protocols that can carry it, and example settings.
    package static var json: JSON { .array(all.map { listed($0) }) }

    /// The example's settings, and the fault with them.
    fileprivate static func example(of type: any Fault.Type) -> (settings: JSON, fault: (any Fault)?) {
        let settings = (try? JSON(parsing: Array(type.example.utf8))) ?? [:]
        let complaints = Complaints()
        return (settings, type.init(Fields(Node(settings), of: "an example", complaints), complaints))
    }

    private static func listed(_ type: any Fault.Type) -> JSON {
        let example = example(of: type)
        return [
            "kind": .string(type.kind), "point": example.fault.map { .string($0.point.rawValue) } ?? .null, "about": .string(type.about),
            "protocols": .array(type.carriers.map(\.rawValue).sorted().map(JSON.string)),
            "effects": .array(FaultEffect.allCases.filter(type.effects.contains).map { .string($0.rawValue) }),
            "need": example.fault?.need.map { .string($0.rawValue) } ?? .null, "example": example.settings,
        ]
    }
}

extension Fault {
    fileprivate static var schema: ObjectSchema {
        let point = FaultKinds.example(of: self).fault.map { " Acts at `\($0.point.rawValue)`" } ?? ""
        let protocols = carriers.map { "`\($0.rawValue)`" }.sorted().joined(separator: ", ")
        return ObjectSchema(
            "the fault `\(kind)`", about.prefix(1).uppercased() + about.dropFirst() + "." + point + ", on " + protocols + ".",
            fields: fields, rules: rules, example: "fault: {\(kind): \(example)}")
    }
}

/// A fault as a rule names it: `{lose-reply: {by: close}, after: 300ms}`, or just `close`.
package struct FaultSetting: Sendable {
    package var fault: any Fault
    /// When it is delivered; nil means at once.
    package var after: Wait?
    /// Whether it acts on the bytes of the compressed body; without it a body that it cuts is not compressed.
    package var isEncoded: Bool

    package init(_ fault: any Fault, after: Wait? = nil, isEncoded: Bool = false) {
        self.fault = fault
        self.after = after
        self.isEncoded = isEncoded
    }

    static let after = Field("after", Wait.format, "delays the fault: by a time, or until the session's held requests are released")

    static let encoded = Field(
        "encoded", .bool, default: false,
        "whether the fault applies only to the bytes of a compressed body; without it, a body that the fault cuts is sent uncompressed")

    /// A kind by its name alone, or with its settings.
    static let format = Format(
        .anyOf([
            .words(FaultKinds.all.filter { type in !type.fields.contains { $0.declaration.isRequired } }.map { $0.kind }), .object(schema),
        ]),
        read: { FaultSetting($0, $1) }, write: { $0.json })

    private static let schema = ObjectSchema(
        "a fault", "One kind of fault, with its settings.",
        fields: [after, encoded]
            + FaultKinds.all.map { type in
                FieldSchema(
                    key: type.kind, schema: .anyOf([.object(type.schema), .nothing]), isRequired: false, standard: nil, help: type.about)
            }, rules: [.exactlyOne(FaultKinds.all.map { [$0.kind] })], example: "fault: {lose-reply: {by: reset}, after: 300ms}")

    /// Reads a fault; nil and complaints if the kind or a setting is unknown.
    private init?(_ node: Node, _ complaints: Complaints) {
        if let name = node.scalar {
            let settings = Node(.mapping([]), at: node.position)
            guard let fault = FaultSetting.fault(name, settings, at: node.position, complaints) else { return nil }
            self.init(fault)
            return
        }
        let fields = Fields(node, of: FaultSetting.schema, complaints)
        let after = fields[FaultSetting.after]
        let isEncoded = fields[FaultSetting.encoded] ?? false
        let kinds = fields.all.filter { ![FaultSetting.after.key, FaultSetting.encoded.key].contains($0.key) }
        guard kinds.count == 1, let kind = kinds.first else {
            complaints.add(found: "\(kinds.count) kinds", expected: "one kind of fault and its settings", at: node.position)
            return nil
        }
        guard let fault = FaultSetting.fault(kind.key, kind.value, at: kind.keyNode.position, complaints) else { return nil }
        if let afterNode = fields.node(of: FaultSetting.after), fault.point.isOfConnection {
            complaints.add(
                found: "`after` with \(kind.key)", expected: "no `after`: nothing is delivered at the point \(fault.point.rawValue)",
                at: afterNode.position)
            return nil
        }
        if isEncoded, let node = fields.node(of: FaultSetting.encoded), ![.commit, .head, .body].contains(fault.point) {
            complaints.add(
                found: "`encoded` with \(kind.key)", expected: "no `encoded`: there is no body at the point \(fault.point.rawValue)",
                at: node.position)
            return nil
        }
        self.init(fault, after: after, isEncoded: isEncoded)
    }

    private static func fault(_ kind: String, _ node: Node, at position: SourcePosition, _ complaints: Complaints) -> (any Fault)? {
        guard let type = FaultKinds.type(of: kind), let schema = FaultKinds.schemas[kind] else {
            let names = FaultKinds.all.map { $0.kind }
            let hint = didYouMean(kind, among: names, otherwise: "; known are \(names.joined(separator: ", "))")
            complaints.add("unknown kind of fault `\(kind)`\(hint)", at: position)
            return nil
        }
        if node.scalar != nil, !node.isNull {
            complaints.add(found: node.kindName, expected: "settings, such as {\(kind): \(type.example)}", at: node.position)
            return nil
        }
        let fields = Fields(node.isNull ? Node(.mapping([]), at: node.position) : node, of: schema, complaints)
        let fault = type.init(fields, complaints)
        fields.finish()
        return fault
    }

    /// The fault as it would be written.
    package var json: JSON {
        var object = JSONObject([(type(of: fault).kind, fault.settings)])
        object.set(FaultSetting.after, after)
        if isEncoded { object.set(FaultSetting.encoded, true) }
        return .object(object)
    }
}
