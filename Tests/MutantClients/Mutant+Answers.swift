import BankClient
import BankModel
import DriverProtocol
import Foundation

extension Mutant {
    static var answers: [Mutant] {
        [
            Mutant(
                "never-reads-status", "ignores the status and reads only the body",
                killedBy: [400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 500, 502, 503, 504].map { "errors.\($0)" } + [
                    "errors.maintenance-outage"
                ]
            ) { parts, _ in
                parts.cache = nil
                parts.caller.rules = NeverReadsStatus()
            },
            Mutant(
                "unreadable-is-an-empty-list", "treats an unreadable body as an empty list",
                killedBy: [
                    "body.html-200", "body.malformed-json", "body.own-text-damaged", "body.own-text-extended", "body.cut-honest",
                    "body.byte-order-mark", "body.bad-utf8", "body.deep-nesting",
                ]
            ) {
                parts, _ in
                parts.caller.reader = UnreadableIsEmpty()
            },
            Mutant(
                "float-amounts", "computes amounts in binary floating point of 32 bits", killedBy: ["data.exact-amounts"],
                control: paying
            ) {
                parts, start in
                let reading = Reading(amounts: FloatAmounts(), timeZone: TimeZone(identifier: start.timeZone) ?? .gmt)
                parts.adapter = KnownBanks.adapter(start.bank, reading) ?? parts.adapter
            },
        ]
    }
}

private struct NeverReadsStatus: ReplyRules {
    func judge(_ response: HTTPResponse) -> ReplyVerdict { ReplyVerdict(nil) }
}

/// Nothing where something should be, in the shape of every bank here.
private struct UnreadableIsEmpty: BodyReading {
    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        if let json = try? StrictBodyReader().json(response) { return json }
        return .nothingToShow
    }
}

/// Amounts are read as `Float`.
private struct FloatAmounts: AmountReading {
    func money(major: JSONNumber, _ currency: Currency) -> Money? {
        guard let value = Float(major.digits) else { return nil }
        return money(value, currency)
    }

    func money(minor: JSONNumber, _ currency: Currency) -> Money? {
        guard let units = Float(minor.digits) else { return nil }
        return money(units * (1 / Float(currency.minorPerMajor)), currency)
    }

    private func money(_ value: Float, _ currency: Currency) -> Money? {
        Int64(exactly: (value * Float(currency.minorPerMajor)).rounded(.towardZero)).map { Money(minorUnits: $0, currency: currency) }
    }
}
