import BankCore
import BankModel

/// A response's template: what comes from the request, what is new each time, and all else as it was.
struct ResponseTemplate {
    private let write: LearnedExchange
    private let leaves: [(path: String, value: JSON)]

    init(_ write: LearnedExchange, _ leaves: [(path: String, value: JSON)]) {
        self.write = write
        self.leaves = leaves
    }

    func template(_ json: JSON, named name: String = "") -> JSON {
        if let object = json.object {
            if let same = write.requestJSON?[name], same == json { return ["body": .string(name)] }
            return .object(JSONObject(object.members.map { (key: $0.key, value: template($0.value, named: $0.key)) }))
        }
        guard !json.isContainer, json != .null else { return LearnedList.asTemplate(json) }
        let lower = name.lowercased()
        if let leaf = leaves.first(where: { $0.value == json && ($0.path == name || $0.path.hasSuffix(".\(name)")) })
            ?? leaves.first(where: { $0.value == json && json.string.map { $0.utf8.count > 3 } ?? false })
        {
            return ["body": .string(leaf.path)]
        }
        if let name = write.path.parameters.first(where: { write.parameters[$0] == json.string }) { return ["path": .string(name)] }
        if lower.hasSuffix("id"), let text = json.string, text.utf8.count >= 6 { return ["uuid": .string(ResponseTemplate.prefix(text))] }
        return ResponseTemplate.time(json, write) ?? json
    }

    /// The response to a payment: its own `id` is new for each payment, however short the recorded one is.
    func payment(_ json: JSON) -> JSON {
        let made = template(json)
        guard case .object(var object) = made, let id = json["id"], let text = id.string, object["id"] == id else { return made }
        object["id"] = ["uuid": .string(ResponseTemplate.prefix(text))]
        return .object(object)
    }

    /// The instant of the request, as the bank writes its clock; nil for any other value.
    static func time(_ json: JSON, _ write: LearnedExchange) -> JSON? {
        guard let text = json.string, write.exchange.started.nanoseconds != 0 else { return nil }
        if let day = CivilDate(text) { return day == write.exchange.started.date ? ["now": "day"] : nil }
        guard let instant = Instant(rfc3339: text), abs(instant.nanoseconds - write.exchange.started.nanoseconds) < 86_400_000_000_000
        else {
            return nil
        }
        return ["now": text.contains(".") ? "milliseconds" : "seconds"]
    }

    /// The letters before the first digit that end with a sign, such as `pay-`.
    static func prefix(_ id: String) -> String {
        guard let sign = id.firstIndex(where: { $0 == "-" || $0 == "_" }), id[..<sign].allSatisfy({ $0.isLetter }),
            !id[..<sign].allSatisfy(\.isHexDigit)
        else { return "" }
        return String(id[...sign])
    }
}
