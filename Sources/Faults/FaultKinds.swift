package import BankModel

/// Every kind of fault. A new one is a file in `Kinds/` and a line here.
package enum FaultKinds {
    package static let all: [any Fault.Type] = [
        StatusFault.self, DialectFault.self, CloseFault.self, ResetFault.self, BusinessFailureFault.self, LoseReplyFault.self,
    ]

    /// The kind's type; nil if there is none of that name.
    package static func type(of kind: String) -> (any Fault.Type)? { all.first { $0.kind == kind } }
}

/// A fault as a rule names it: `{lose-reply: {by: close}, after: 300ms}`, or just `close`.
package struct FaultSetting: Sendable {
    package var fault: any Fault
    /// When it is delivered; nil means at once.
    package var after: Delay?

    /// How long a delivery is held back.
    package enum Delay: Sendable, Hashable {
        /// Real time.
        case duration(Duration)
        /// Until someone releases the session's held exchanges.
        case released
    }

    package init(_ fault: any Fault, after: Delay? = nil) { (self.fault, self.after) = (fault, after) }

    /// Reads a fault; nil and complaints if the kind or a setting is unknown.
    package init?(_ node: Node, _ complaints: Complaints) {
        if let name = node.scalar {
            let settings = Node(.mapping([]), at: node.place)
            guard let fault = FaultSetting.fault(name, settings, at: node.place, complaints) else { return nil }
            self.init(fault)
            return
        }
        let fields = Fields(node, of: "a fault", complaints)
        let after = fields["after"].flatMap { Delay($0, complaints) }
        let kinds = fields.all.filter { $0.key != "after" }
        guard kinds.count == 1, let kind = kinds.first else {
            complaints.add(found: "\(kinds.count) kinds", expected: "one kind of fault and its settings", at: node.place)
            return nil
        }
        guard let fault = FaultSetting.fault(kind.key, kind.value, at: kind.keyNode.place, complaints) else { return nil }
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
        switch after {
        case .duration(let duration): object["after"] = .string(duration.shortText)
        case .released: object["after"] = "released"
        case nil: break
        }
        return .object(object)
    }
}

extension FaultSetting.Delay {
    init?(_ node: Node, _ complaints: Complaints) {
        if node.scalar == "released" {
            self = .released
        } else if let text = node.scalar, let duration = Duration(text: text) {
            self = .duration(duration)
        } else {
            complaints.add(found: node.kindName, expected: "a duration such as 300ms, or `released`", at: node.place)
            return nil
        }
    }
}
