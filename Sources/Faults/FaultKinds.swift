package import BankModel

/// Every kind of fault. A new one is a file in `Kinds/` and a line here.
package enum FaultKinds {
    package static let all: [any Fault.Type] = [
        RefuseFault.self, BlackholeFault.self, ResetOnAcceptFault.self, CloseOnAcceptFault.self, BandwidthFault.self,
        CertificateFault.self, TLSAbortFault.self,
        StatusFault.self, DialectFault.self, CloseFault.self, ResetFault.self, HangFault.self, CaptivePortalFault.self,
        BusinessFailureFault.self, RedirectFault.self, ReplayPageFault.self, ShiftPageFault.self, ExpireCursorFault.self,
        EndlessPageFault.self, StaleReadFault.self,
        LoseReplyFault.self,
        GarbageFault.self, HugeHeadFault.self, ContentTypeFault.self, DateSkewFault.self, GoAwayFault.self, ResetStreamFault.self,
        TruncateFault.self, LongerLengthFault.self, ResetBodyFault.self, StallBodyFault.self, SlowFault.self, BadChunkFault.self,
        CorruptFault.self,
        DelayFault.self,
    ]

    /// The kind's type; nil if there is none of that name.
    package static func type(of kind: String) -> (any Fault.Type)? { all.first { $0.kind == kind } }

    /// Every kind with its point, what happens, who can carry it, and settings to begin with.
    package static var json: JSON { .array(all.map { listed($0) }) }

    private static func listed(_ type: any Fault.Type) -> JSON {
        let example = (try? JSON(parsing: Array(type.example.utf8))) ?? [:]
        let complaints = Complaints()
        let fault = type.init(Fields(Node(example), of: "the example of `\(type.kind)`", complaints), complaints)
        return [
            "kind": .string(type.kind), "point": fault.map { .string($0.point.rawValue) } ?? .null, "about": .string(type.about),
            "protocols": .array(type.carriers.map(\.rawValue).sorted().map(JSON.string)), "example": example,
        ]
    }
}

/// A fault as a rule names it: `{lose-reply: {by: close}, after: 300ms}`, or just `close`.
package struct FaultSetting: Sendable {
    package var fault: any Fault
    /// When it is delivered; nil means at once.
    package var after: Wait?

    package init(_ fault: any Fault, after: Wait? = nil) {
        self.fault = fault
        self.after = after
    }

    /// Reads a fault; nil and complaints if the kind or a setting is unknown.
    package init?(_ node: Node, _ complaints: Complaints) {
        if let name = node.scalar {
            let settings = Node(.mapping([]), at: node.place)
            guard let fault = FaultSetting.fault(name, settings, at: node.place, complaints) else { return nil }
            self.init(fault)
            return
        }
        let fields = Fields(node, of: "a fault", complaints)
        let afterNode = fields["after"]
        let after = afterNode.flatMap { Wait($0, complaints) }
        let kinds = fields.all.filter { $0.key != "after" }
        guard kinds.count == 1, let kind = kinds.first else {
            complaints.add(found: "\(kinds.count) kinds", expected: "one kind of fault and its settings", at: node.place)
            return nil
        }
        guard let fault = FaultSetting.fault(kind.key, kind.value, at: kind.keyNode.place, complaints) else { return nil }
        if let afterNode, fault.point.isOfConnection {
            complaints.add(
                found: "`after` with \(kind.key)", expected: "no `after`: nothing is delivered at the point \(fault.point.rawValue)",
                at: afterNode.place)
            return nil
        }
        self.init(fault, after: after)
    }

    private static func fault(_ kind: String, _ node: Node, at place: Place, _ complaints: Complaints) -> (any Fault)? {
        guard let type = FaultKinds.type(of: kind) else {
            let names = FaultKinds.all.map { $0.kind }
            let hint = nearestName(to: kind, among: names).map { "did you mean `\($0)`?" } ?? "known are \(names.joined(separator: ", "))"
            complaints.add("unknown kind of fault `\(kind)`; \(hint)", at: place)
            return nil
        }
        let fields = Fields(node.isNull ? Node(.mapping([]), at: node.place) : node, of: "the fault `\(kind)`", complaints)
        let fault = type.init(fields, complaints)
        fields.finish()
        return fault
    }

    /// The fault as it would be written.
    package var json: JSON {
        var object = JSONObject([(type(of: fault).kind, fault.settings)])
        object["after"] = after?.json
        return .object(object)
    }
}
