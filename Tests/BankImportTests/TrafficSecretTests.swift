import BankCore
import BankFiles
import BankModel
import Foundation
import Testing

@testable import BankImport

/// What must not be in the result of an import, and its replacement.
@Suite struct TrafficSecretTests {
    private static let secret = "s3cr3t-Wq81-zz"

    /// Entries that have the secret somewhere, by the location.
    private static let locations: [(location: String, entry: HAREntry)] = [
        ("query", HAREntry(0, "GET", "/a?access_token=\(secret)", gets: Traffic.json, response: #"{"a":1}"#)),
        ("path", HAREntry(0, "GET", "/a;token=\(secret)/b", token: secret, gets: Traffic.json, response: #"{"a":1}"#)),
        ("segment", HAREntry(0, "GET", "/sessions/\(secret)", token: secret, gets: Traffic.json, response: #"{"a":1}"#)),
        ("header", HAREntry(0, "GET", "/a", sends: ["X-Api-Key": secret], gets: Traffic.json, response: #"{"echo":"\#(secret)"}"#)),
        ("another header", HAREntry(0, "GET", "/a", sends: ["X-Auth": secret], gets: Traffic.json, response: #"{"echo":"\#(secret)"}"#)),
        ("a proof", HAREntry(0, "GET", "/a", sends: ["DPoP": secret], gets: Traffic.json, response: #"{"echo":"\#(secret)"}"#)),
        (
            "basic",
            HAREntry(
                0, "GET", "/a", sends: ["Authorization": "Basic \(Base64.encoded(Array("me:\(secret)".utf8)))"], gets: Traffic.json,
                response: #"{"echo":"\#(secret)"}"#)
        ),
        (
            "password of the URL",
            HAREntry(0, "GET", "/a", gets: Traffic.json, response: #"{"echo":"\#(secret)"}"#, host: "me:\(secret)@bank.example")
        ),
        (
            "password of the URL without a user",
            HAREntry(0, "GET", "/a", gets: Traffic.json, response: #"{"echo":"\#(secret)"}"#, host: ":\(secret)@bank.example")
        ),
        (
            "password of the URL with escapes",
            HAREntry(
                0, "GET", "/a", gets: Traffic.json, response: #"{"echo":"\#(secret)"}"#, host: "me:s3cr3t%2DWq81%2Dzz@bank.example")
        ),
        (
            "cookie",
            HAREntry(
                0, "GET", "/a", sends: ["Cookie": "sid=\(secret); x=1"], gets: ["Content-Type": "text/plain"], response: "you are \(secret)"
            )
        ),
        (
            "set-cookie",
            HAREntry(
                0, "GET", "/a", gets: ["Content-Type": "application/json", "Set-Cookie": "sid=\(secret); Path=/"], response: #"{"a":1}"#)
        ),
        (
            "request body",
            HAREntry(0, "POST", "/a", body: #"{"password":"\#(secret)"}"#, sends: Traffic.json, gets: Traffic.json, response: #"{"a":1}"#)
        ),
        (
            "response body",
            HAREntry(0, "GET", "/a", gets: Traffic.json, response: #"{"client_secret":"\#(secret)","note":"use \#(secret)"}"#)
        ),
        ("form", HAREntry(0, "POST", "/a", body: "passcode=\(secret)&x=1", sends: Traffic.form, gets: Traffic.json, response: #"{"a":1}"#)),
        (
            "base 64",
            HAREntry(
                0, "GET", "/a", token: secret, gets: Traffic.json,
                response: #"{"blob":"\#(Base64.encoded(Array("key: \(secret)!".utf8)))"}"#)
        ),
        ("JSON in JSON", HAREntry(0, "GET", "/a", gets: Traffic.json, response: #"{"inner":"{\"password\":\"\#(secret)\"}"}"#)),
        (
            "a client's authentication",
            HAREntry(
                0, "POST", "/session-server", sends: ["X-Bank-Client-Authentication": secret], gets: Traffic.json,
                response: #"{"Response":[{"Token":{"token":"\#(secret)"}}]}"#)
        ),
        (
            "the token of a sign-in that is not recognised",
            HAREntry(
                0, "POST", "/enrol", body: #"{"phone":"07700900123","otp":"449911"}"#, sends: Traffic.json, gets: Traffic.json,
                response: #"{"device":{"token":"\#(secret)"}}"#)
        ),
        ("XML element", soap("<ns:Password>\(secret)</ns:Password>")), ("XML attribute", soap("<Login id='1' password = '\(secret)'/>")),
        ("XML character data", soap("<Password><![CDATA[\(secret)]]></Password>")),
        (
            "response header",
            HAREntry(0, "GET", "/a", gets: ["Content-Type": "application/json", "X-Auth-Token": secret], response: #"{"a":1}"#)
        ),
        (
            "Location",
            HAREntry(
                0, "POST", "/a", 201, token: secret, gets: ["Location": "/a/\(secret)", "Content-Type": "application/json"], response: "{}")
        ),
    ]

    private static func soap(_ request: String) -> HAREntry {
        let xml = ["Content-Type": "text/xml"]
        return HAREntry(0, "POST", "/a", body: "<Body>\(request)</Body>", sends: xml, gets: xml, response: "<Echo>\(secret)</Echo>")
    }

    @Test func `personal data and short secrets are replaced in XML`() throws {
        let response =
            #"<Account since="2026-01-02"><Pin>4711</Pin><OwnerName>Ava Lindqvist</OwnerName><field name="Everyday &amp; more"/><Balance currency="EUR">12.50</Balance></Account>"#
        let learned = try Traffic.learned([HAREntry(0, "GET", "/a", gets: ["Content-Type": "text/xml"], response: response)])
        var caller = Caller(try learned.imported.bank("b").bank)

        let sent = caller.send("GET", "/a").response.text
        let parts = sent.components(separatedBy: "OwnerName>")
        #expect(sent.hasPrefix(#"<Account since="2026-01-02"><Pin>[redacted]</Pin><OwnerName>"#), "\(sent)")
        #expect(sent.hasSuffix(#"<field name="Everyday &amp; more"/><Balance currency="EUR">12.50</Balance></Account>"#), "\(sent)")
        #expect(parts.count == 3 && !parts[1].contains("Ava") && parts[1].count == "Ava Lindqvist</".count, "\(sent)")
        #expect(learned.replaced.contains { $0.member == "OwnerName" && $0.count == 1 })
    }

    @Test(arguments: [("X-Auth-Token", true), ("X-Csrf-Token", false), ("X-Bunq-Client-Authentication", true), ("X-Device", false)])
    func `credentials in a header of the bank's own name are listed`(_ name: String, _ areListed: Bool) throws {
        let entry = HAREntry(0, "GET", "/a", sends: [name: "0123456789abcdef"], gets: Traffic.json, response: #"{"a":1}"#)

        #expect(Traffic.lists(try Traffic.learned([entry]), "requests have credentials other than bearer tokens") == areListed)
    }

    @Test func `a card's PIN and security code are not in the result, an error's code is`() throws {
        let card = #"{"id":"card-1","pin":"4711","cvv":123,"securityCode":"0815","code":"AUTH-1"}"#
        let learned = try Traffic.learned([Traffic.get(0, "/v1/card", card, token: nil)])

        let texts = learned.imported.files.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts.allSatisfy { !$0.contains("4711") && !$0.contains("0815") })
        var caller = Caller(try learned.imported.bank("b").bank)
        let sent = try JSON(parsing: caller.send("GET", "/v1/card").response.body)
        #expect(sent["pin"] == "[redacted]" && sent["cvv"] == "[redacted]" && sent["securityCode"] == "[redacted]", "\(sent)")
        #expect(sent["code"] == "AUTH-1")
    }

    @Test(arguments: locations.map(\.location))
    func `a secret is not in the result`(_ location: String) throws {
        let entry = try #require(TrafficSecretTests.locations.first { $0.location == location }).entry
        let learned = try Traffic.learned([entry, HAREntry(900, "GET", "/b", gets: Traffic.json, response: #"{"b":1}"#)])

        let finder = OriginalFinder([.init(text: Array(TrafficSecretTests.secret.utf8), member: "it", replacement: [], isWord: false)])
        for file in learned.imported.files {
            #expect(finder.first(in: file.bytes) == nil, "\(String(decoding: file.bytes, as: UTF8.self))")
            #expect(finder.first(in: Array(file.path.utf8)) == nil)
        }
        #expect(learned.imported.warnings.allSatisfy { !$0.description.contains(TrafficSecretTests.secret) })
    }

    @Test func `an @ in a path does not end a password`() throws {
        let entry = HAREntry(0, "GET", "/u/a@b", gets: Traffic.json, response: #"{"a":"8443/u/a"}"#, host: "bank.example:8443")

        #expect(try Traffic.learned([entry]).replaced.isEmpty)
    }

    @Test(arguments: [
        "plain Ava Lindqvist text", "Ava%20Lindqvist", "Ava+Lindqvist", "%41va%20L%69ndqvist", #"Ava\u0020Lindqvist"#,
        #"\u0041va Lindqvist"#,
        "QXZhIExpbmRxdmlzdA==", "xQXZhIExpbmRxdmlzdA", "bmFtZTogQXZhIExpbmRxdmlzdA", "QXZhIExpbmRxdmlzdA%3D%3D",
        Base64.encoded(Array("x: Ava Lindqvist.".utf8)), Base64.encoded(Array(Base64.encoded(Array("x: Ava Lindqvist.".utf8)).utf8)),
    ])
    func `an original is found in every form`(_ text: String) {
        let finder = OriginalFinder([.init(text: Array("Ava Lindqvist".utf8), member: "name", replacement: [], isWord: true)])

        #expect(finder.first(in: Array(text.utf8))?.member == "name")
        #expect(finder.first(in: Array("Java Lindqvists and Ava Lindqvist2".utf8)) == nil)
    }

    /// A list of 4,000 accounts that begin alike, with a request for each, took half a minute while each place was compared with each of them.
    @Test func `of originals that begin alike the longest is found`() {
        let long = String(repeating: "acc", count: 40)
        let texts = ["acc", "acc-1", "acc-12", long, long + "-1"] + (200..<9_000).map { "acc-\($0)" }
        let finder = OriginalFinder(texts.map { .init(text: Array($0.utf8), member: $0, replacement: [], isWord: $0 != "acc") })
        func found(_ text: String) -> [String] { finder.matches(in: Array(text.utf8)).map(\.original.member) }

        #expect(found("acc-12 acc-1, acc-8999") == ["acc-12", "acc-1", "acc-8999"])
        #expect(found("\(long)-1 \(long) \(long)x").prefix(3) == [long + "-1", long, "acc"])
        #expect(found("acc-9999 acc-12x ac") == ["acc", "acc"])
        #expect(found(Array(repeating: "acc-8000", count: 20_000).joined(separator: ",")).count == 20_000)
    }

    @Test func `nothing is written if an original is left`() throws {
        // An address within a text is not taken apart.
        let entry = HAREntry(0, "GET", "/a", gets: Traffic.json, response: #"{"name":"Ava Lindqvist","link":"/by/Ava%20Lindqvist"}"#)

        let error = #expect(throws: ComplaintsError.self) { try Traffic.learned([entry]) }
        #expect(error.map { "\($0.complaints[0])" }?.contains("the value of `name` is in b/bodies/getA.json in some form") == true)
        #expect(throws: Never.self) { try Traffic.learned([entry]) { $0.keep = ["name"] } }
    }

    /// `ava-gbp` could become `ava-dkl`, which has the name of the customer in it, or a customer's password have the name Amber.
    @Test func `with no seed a replacement has another original in it`() throws {
        let accounts = ["gbp", "eur", "jpy", "bhd", "clf"].map { #"{"id":"ava-\#($0)","owner":"amber"}"# }.joined(separator: ",")
        let entries = [
            HAREntry(
                0, "POST", "/token", body: "grant_type=password&username=ava&password=correct-horse", sends: Traffic.form,
                gets: Traffic.json, response: #"{"access_token":"tok-81726354","token_type":"bearer"}"#),
            Traffic.get(9, "/v1/accounts", #"{"accounts":[\#(accounts)]}"#, token: "tok-81726354"),
        ]

        let refused = (1...400).filter { seed in (try? Traffic.learned(entries, seed: UInt64(seed))) == nil }
        #expect(refused.isEmpty, "refused with the seeds \(refused)")
    }

    /// `--keep` would not help: secrets are never kept. A word such as `expired`, which tests use as a token, is none.
    @Test func `a secret that is a word of the bank is not to be kept`() throws {
        func rejected(_ token: String) -> [HAREntry] {
            [
                Traffic.get(0, "/v1/accounts", Traffic.accounts),
                Traffic.get(9, "/v1/accounts", #"{"code":"x","message":"No token."}"#, status: 401, token: token),
            ]
        }

        let error = #expect(throws: ComplaintsError.self) { try Traffic.learned(rejected("Consent")) }
        #expect(error.map { "\($0.complaints[0])" }?.contains("leave its exchange out, or put another text there") == true)
        #expect(throws: Never.self) { try Traffic.learned(rejected("expired")) }
    }

    // MARK: replacements

    private static let profile =
        #"{"id":"cust-10293847","name":"Ava Lindqvist","email":"ava@mail.example","phone":"+44 7700 900123","iban":"GB29NWBK60161331926819","sortCode":"60-16-13","accountNumber":"31926819","card":"4111111111111111","dateOfBirth":"1990-05-06","amount":"12.30","since":"2026-01-02"}"#

    private func profile(
        seed: UInt64 = 7, _ change: (inout TrafficImport.Options) -> Void = { _ in }
    ) throws -> (JSON, TrafficImport.Learned) {
        let learned = try Traffic.learned(
            [
                HAREntry(0, "GET", "/me", gets: Traffic.json, response: TrafficSecretTests.profile),
                HAREntry(
                    100, "GET", "/c/cust-10293847", gets: Traffic.json,
                    response: #"{"owner":"Ava Lindqvist","text":"For AVA LINDQVIST, 31926819"}"#),
            ], seed: seed, change)
        return (try learned.imported.json("b/bodies/getMe.json"), learned)
    }

    @Test func `replacements have the same shape and valid check digits, amounts and dates stay`() throws {
        let (me, learned) = try profile()
        let before = try JSON(parsing: Array(TrafficSecretTests.profile.utf8))

        for (name, value) in before.object?.members ?? [] {
            let (old, new) = (value.string ?? "", me[name]?.string ?? "")
            #expect(["amount", "since"].contains(name) == (old == new), "\(name): \(new)")
            #expect(old.count == new.count)
            #expect(zip(old, new).allSatisfy { $0.isNumber == $1.isNumber && $0.isLetter == $1.isLetter }, "\(name): \(new)")
        }
        #expect(Checksums.isIBAN(me["iban"]?.string ?? ""))
        #expect(Checksums.isCard(me["card"]?.string ?? "") || Checksums.luhn(me["card"]?.string ?? "") == 0)
        #expect(CivilDate(me["dateOfBirth"]?.string ?? "") != nil)
        #expect(learned.replaced.first { $0.member == "name" }?.count == 1)
    }

    @Test(arguments: [
        ("kunde-10023", true), ("clé-10023", true), ("forêt-10023", true), ("forêt-1", false), ("10023€", false), ("a.10023", false),
        ("2026-01-02", false), ("accounts", false),
    ])
    func `digits and letters of any language make an id in a path`(_ segment: String, _ isID: Bool) {
        #expect(PersonalData.isID(segment: segment) == isID)
    }

    @Test func `one value has one replacement, in addresses and within texts too`() throws {
        let (me, learned) = try profile()
        let other = try learned.imported.files.first { $0.path.hasSuffix(".json") && $0.path != "b/bodies/getMe.json" }.map {
            try JSON(parsing: $0.bytes)
        }
        let all = learned.imported.files.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        let name = try #require(me["name"]?.string)

        #expect(all.contains("\"owner\": \"\(name)\"") || all.contains("\"owner\":\"\(name)\""), "\(all)")
        #expect(all.contains("For \(name.uppercased()), \(try #require(me["accountNumber"]?.string))"))
        #expect(all.contains(try #require(me["id"]?.string)))
        #expect(other != nil)
    }

    @Test func `the seed decides, and a member can be kept`() throws {
        #expect(try profile(seed: 7).0 == profile(seed: 7).0)
        #expect(try profile(seed: 7).0 != profile(seed: 8).0)
        #expect(try profile { $0.keep = ["Name", "account_number"] }.0["name"] == "Ava Lindqvist")
    }

    @Test func `jitter changes amounts and no other number`() throws {
        let me = try profile { $0.amounts = .jitter }.0
        let amount = try #require(me["amount"]?.string)

        #expect(amount != "12.30")
        #expect((11.0...13.6).contains(Double(amount) ?? 0))
        #expect(me["since"] == "2026-01-02")
    }
}
