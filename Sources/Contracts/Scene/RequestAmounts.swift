import BankModel

/// The numbers in a request's body, of which one may be the amount of a payment order, in major or in minor units.
struct RequestAmounts {
    /// The values that are numbers as a whole, such as `"10.00"`, `1000` and `1e3`. A JSON body only.
    private let values: [JSONNumber]
    /// The numbers anywhere in the body, such as the parts of a date or of an account number.
    private let parts: [JSONNumber]
    private let isJSON: Bool

    init(_ exchange: JournalEntry) {
        let json = try? JSON(parsing: exchange.requestBody)
        isJSON = json != nil
        values = json.map { RequestAmounts.values(of: $0) } ?? []
        // By value: a client may escape any letter of its JSON.
        let text = json?.text ?? exchange.requestText
        parts = text.split { !($0.isASCII && $0.isNumber) && $0 != "." }.compactMap { JSONNumber(String($0)) }
    }

    /// The amounts that the request names: those that are a value of its body, else those that are a part of one. If that leaves several, or
    /// the body is not JSON and names none, what the bank has moved for the request decides.
    ///
    /// Example: `{"amount": "11.00", "date": "2026-01-10"}` names 11.00, not 10.00.
    ///
    /// - Parameter moved: the amount that the bank has moved; nil if it is not known.
    func named(of amounts: Set<String>, moved: Money?) -> Set<String> {
        let asValues = amounts.filter { RequestAmounts.names($0, in: values) }
        let named = asValues.isEmpty ? amounts.filter { RequestAmounts.names($0, in: parts) } : asValues
        guard named.count > 1 || (named.isEmpty && !isJSON), let moved = moved.flatMap({ JSONNumber($0.major) }) else { return named }
        let asMoved = amounts.filter { JSONNumber($0) == moved }
        return asMoved.isEmpty ? named : asMoved
    }

    /// Whether the request names that amount, whatever others there are.
    func named(_ amount: String?) -> Bool { amount.map { !named(of: [$0], moved: nil).isEmpty } ?? false }

    private static func names(_ amount: String, in numbers: [JSONNumber]) -> Bool {
        let minor = JSONNumber(String(amount.filter { $0 != "." }.drop { $0 == "0" }))
        return JSONNumber(amount).map { wanted in numbers.contains { $0 == wanted || $0 == minor } } ?? false
    }

    /// The values below one that are numbers, or texts that are one.
    private static func values(of json: JSON) -> [JSONNumber] {
        switch json {
        case .number(let number): [number]
        case .string(let text): [JSONNumber(text)].compactMap(\.self)
        case .array(let elements): elements.flatMap { values(of: $0) }
        case .object(let object): object.members.flatMap { values(of: $0.value) }
        case .null, .bool: []
        }
    }
}
