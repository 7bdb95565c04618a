import BankCore
import BankFiles
import BankModel
import Testing

/// One dialect's rules for keys, and a keyed write of a bank that uses it.
struct KeyedDialect: Sendable, CustomTestStringConvertible {
    let dialect: String
    let bank: String
    // The cells, in the table's order.
    let tokenRejected: (status: Int, body: String)
    let keyIsIn: ValueSource
    let quoted: String
    let longest: Longest
    /// In seconds; nil for none.
    let window: Int64?
    let storesRejections: Bool
    let replay: (status: Int, isCurrent: Bool, marker: String?)
    let otherPayload: Int
    let inFlight: Int
    // The write; `{key}` and `{amount}` are put in.
    let method: String
    let target: String
    var headers: [JournalEntry.Header] = []
    let body: String
    /// An amount that the account has, another, and one that it does not have.
    let amounts: (some: String, other: String, tooMuch: String)

    enum Longest: Sendable, Equatable { case characters(Int), uuid }

    var testDescription: String { dialect }

    static let all = [
        KeyedDialect(
            dialect: "problem-json", bank: "counterfoil",
            tokenRejected: (401, "urn:counterfoil:problem:token-rejected"),
            keyIsIn: .header("Idempotency-Key"), quoted: "either", longest: .characters(255), window: 86_400, storesRejections: true,
            replay: (201, false, "Idempotent-Replayed: true"), otherPayload: 422, inFlight: 409,
            method: "POST", target: "/v1/payments", headers: [.init("Idempotency-Key", "{key}")],
            body: #"{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "{amount}", "currency": "GBP"}}"#,
            amounts: ("10.20", "10.21", "99999.00")),
        KeyedDialect(
            dialect: "starling", bank: "roundup",
            tokenRejected: (403, #""error":"invalid_token","error_description""#),
            keyIsIn: .path("transferUid"), quoted: "–", longest: .uuid, window: nil, storesRejections: false,
            replay: (200, false, nil), otherPayload: 400, inFlight: 409,
            method: "PUT",
            target:
                "/api/v2/account/5f1c0a10-0000-4000-8000-000000000a01/savings-goals/90a10a10-0000-4000-8000-000000000a11/add-money/{key}",
            body: #"{"amount": {"currency": "GBP", "minorUnits": {amount}}}"#, amounts: ("1020", "1021", "9999900")),
        KeyedDialect(
            dialect: "openbanking-uk", bank: "guildhall",
            tokenRejected: (401, ""),
            keyIsIn: .header("x-idempotency-key"), quoted: "no", longest: .characters(40), window: 86_400, storesRejections: false,
            replay: (201, true, nil), otherPayload: 400, inFlight: 409,
            method: "POST", target: "/open-banking/v4.0/pisp/domestic-payments", headers: [.init("x-idempotency-key", "{key}")],
            body: """
                {"Data": {"Initiation": {"InstructedAmount": {"Amount": "{amount}", "Currency": "GBP"},
                "DebtorAccount": {"Identification": "gh-1"}, "CreditorAccount": {"Identification": "gh-2"}}}}
                """,
            amounts: ("10.20", "10.21", "99999.00")),
        KeyedDialect(
            dialect: "monzo", bank: "purse",
            tokenRejected: (401, #"{"code":"unauthorized."#),
            keyIsIn: .form("dedupe_id"), quoted: "–", longest: .characters(255), window: nil, storesRejections: false,
            replay: (200, false, nil), otherPayload: 400, inFlight: 409,
            method: "PUT", target: "/pots/pot-1/deposit", body: "source_account_id=acc-1&amount={amount}&dedupe_id={key}",
            amounts: ("1020", "1021", "9999900")),
    ]

    /// A key that every dialect accepts.
    static func key(_ number: Int) -> String { "7d1f0000-0000-4000-8000-00000000000\(number)" }

    func caller() throws -> Caller { try Caller(Shipped.withOwnBank.load(bank).bank, login: "ava") }

    /// Sends the write.
    func pay(_ caller: inout Caller, key: String, _ amount: String? = nil) -> BankResponse {
        let request = request(key, amount ?? amounts.some)
        return caller.send(method, request.target, headers: request.headers, body: request.body)
    }

    /// Sends the write up to its admission: the bank has begun with it, and nothing more.
    func begin(_ caller: inout Caller, key: String) -> Admission.Verdict {
        let request = request(key, amounts.some)
        return caller.admit(method, request.target, headers: request.headers, body: request.body)
    }

    private func request(_ key: String, _ amount: String) -> (target: String, headers: [JournalEntry.Header], body: String) {
        func filled(_ text: String) -> String { text.replacing("{key}", with: key).replacing("{amount}", with: amount) }
        return (filled(target), headers.map { .init($0.name, filled($0.value)) }, filled(body))
    }
}
