import BankModel
import Contracts
import DriverProtocol
import Foundation
import TestBanks
import Testing

@testable import Contracts

/// Every form of a failure message, with an example each in `Golden/messages.txt`: an editor reads them on one page.
@Suite struct FindingFormTests {
    private static let read = JournalEntry.read(1000, "token#1", .tokenRejected).with { $0.seq = 4 }
    private static let again = JournalEntry.read(1250, "token#1").with { $0.seq = 5 }
    private static let payment = JournalEntry.pay(2000, "key-a", .internalError).with { $0.seq = 6 }
    private static let twin = JournalEntry.pay(2050, "key-b").with { $0.seq = 7 }
    private static let busy = JournalEntry.read(3000, status: 503).saying("Retry-After", "1").with { $0.seq = 8 }
    private static let step: Phrase = "step 4 (\(fixed: "accounts"))"
    private static let paying: Phrase = "step 4 (\(fixed: "pay") \("A"))"
    private static let scope: Phrase = " of role \(fixed: "pay") after step \(3)"

    private static func pounds(_ amount: String) throws -> Money {
        try Money(major: amount, currency: #require(Currency("GBP")))
    }

    private static func payments() throws -> [(String, Finding)] {
        try [
            ("payments", .payments(0, for: "A", "", allowed: "exactly 1 payment", mistake: nil)),
            (
                "payments",
                .payments(
                    2, for: "A", "10.00 GBP under the key k1, 10.00 GBP under the key k2", allowed: "exactly 1 payment", mistake: .newKey)
            ),
            (
                "paymentsOfUnknownOrder",
                .paymentsOfUnknownOrder("10.00 GBP under the key k1, 10.00 GBP under the key k2", of: "A", candidates: ["A", "B"])
            ),
            ("attemptsOfUnknownOrder", .attemptsOfUnknownOrder([payment, twin], intent: "A")),
            ("paymentsForNoIntent", .paymentsForNoIntent("10.00 GBP without a key")),
            ("paymentForNoIntent", .paymentForNoIntent(pounds("10.00"), to: "payee-kobo", in: payment)),
            ("paidSeveralTimes", .paidSeveralTimes(2, for: "A", keys: ["k1", "k2"], in: twin)),
            ("paidSeveralTimes", .paidSeveralTimes(2, for: "A", keys: [], in: twin)),
            (
                "otherPayment",
                .otherPayment(
                    payment, moved: "19.98 GBP from nils-gbp to payee-kobo",
                    wanted: "19.99 GBP from nils-gbp to payee-kobo (payment order A)",
                    isAmount: true)
            ),
            ("successWithoutPayment", .successWithoutPayment(paying, intent: "A")),
            ("failureWithPayment", .failureWithPayment(paying, error: "rejected", pounds("10.00"), in: payment)),
            ("needlessDoubt", .needlessDoubt(paying, twin)),
            ("fieldsDiffer", .fieldsDiffer(.key, [("k1", payment), ("k2", twin)], intent: "A")),
            ("fieldsDiffer", .fieldsDiffer(.body, [(#"{"amount":1}"#, payment), (#"{"amount":2}"#, twin)], intent: "A")),
            ("fieldMissing", .fieldMissing(.key, payment)),
            ("fieldShared", .fieldShared(.key, "k1", by: ["A", "B"], at: twin)),
            ("keyMissing", .keyMissing(payment, rule: "a UUID as the key (RFC 9562 §4)")),
            ("keyMalformed", .keyMalformed(payment, "k 1", rule: "a key of 1 to 255 visible ASCII characters")),
            ("contentChanged", .contentChanged(payment, twin, key: "key-a", "another body (61 bytes instead of 60)")),
            ("keyOfTwoCustomers", .keyOfTwoCustomers(["ava", "ben"], key: "k1", twin)),
            ("keyOfAnotherIntent", .keyOfAnotherIntent("B", key: "k1", owner: "A", twin)),
            ("retriedUnderNewKey", .retriedUnderNewKey(payment, twin)),
            ("rejectedPaymentAgain", .rejectedPaymentAgain(payment.with { $0.status = 422 }, twin)),
        ]
    }

    private static let tokens: [(String, Finding)] = [
        ("rejectedToken", .rejectedToken("token#1", again, after: read)),
        ("emptyBearer", .emptyBearer(again, "Bearer null")),
        ("sent", .sent("a cookie", again, rule: "the client must not send a cookie")),
        ("unknownToken", .unknownToken(again, "Bearer None")), ("unknownToken", .unknownToken(again, nil)),
        ("tokenOfAnother", .tokenOfAnother(again, "token#1", owner: "ava", signedIn: "ben")),
        ("tokenAfterSignOut", .tokenAfterSignOut(again, "token#1", nil)),
        ("tokenAfterSignOut", .tokenAfterSignOut(again, "token#1", read)),
        ("dataOfAnother", .dataOfAnother(step, "Ava's savings", signedIn: "ben")),
        ("discardedToken", .discardedToken(read, again, "token#1")),
        ("refreshTokenAgain", .refreshTokenAgain(read, again, "refresh#1", isReplaced: true)),
        ("refreshTokenAgain", .refreshTokenAgain(read, again, "refresh#1", isReplaced: false)),
        ("secondRefresh", .secondRefresh(again, beside: read, after: [read, read, read])),
        ("refreshLoop", .refreshLoop([read, read, read], [read, read, again], again)),
        ("secretStored", .secretStored("token#1 is in session.json, base64", .rejected, step: 4)),
        ("secretStored", .secretStored("token#1 is in stderr, raw", .tokens, step: nil)),
        ("secretOnDisk", .secretOnDisk("token#1 is in ../copy.json, raw", "a client stores tokens in its own folder only")),
        ("secretShown", .secretShown("password#1 is in stderr, raw, while step 2 was running", "no password")),
        ("secretInAddress", .secretInAddress("password#1 is in exchange 4, raw", "no password")),
        ("secretInAddress", .secretInAddress(again, "the parameter `password`")),
        ("modeTooWide", .modeTooWide("session.json", "0644", most: "0600")),
        ("notSearched", .notSearched("the file cache.db", "larger than 64 MiB")),
        ("otherHost", .otherHost(again, "a token", host: "localhost", own: "127.0.0.1")),
        ("otherHost", .otherHost(again, "a token", host: "evil.example", own: "127.0.0.1")),
        ("redirectedContent", .redirectedContent(read, again, "token#1", host: "evil.example")),
        ("clearText", .clearText(again, "a token")), ("clearRedirectFollowed", .clearRedirectFollowed(read, again)),
    ]

    private static let endings: Phrase = "error \(fixed: "decode"), or ok and the data of step \(2), marked as old"
    private static let steps: [(String, Finding)] = [
        ("neverStarted", .neverStarted(step, endings: "ok")),
        (
            "endedOtherwise",
            .endedOtherwise(step, "error \(fixed: "offline") (connection reset)", endings: "error \(fixed: "unauthorized")")
        ),
        (
            "showedOtherwise",
            .showedOtherwise(
                step,
                [
                    .view(ViewDifference(path: "transactions[3].amount", kind: .value(expected: "-2.20", seen: "-2.2"))),
                    .view(ViewDifference(path: "transactions[4].pending", kind: .missing(expected: true))), .age(isExpectedOld: true),
                    .surplus("accounts.iban"),
                ],
                endings: endings)
        ),
        ("showedOtherwise", .showedOtherwise(step, [.age(isExpectedOld: true)], endings: endings, isIncomplete: true)),
        ("firstPageOnly", .firstPageOnly("step 3 (transactions)", missing: 24)),
        ("markedIncomplete", .markedIncomplete("step 3 (transactions)")),
        ("rowsMissingElsewhere", .rowsMissingElsewhere("step 3 (transactions)", aboutPages: "pages.all-rows-once")),
        ("leftOpen", .leftOpen(paying)), ("heldBack", .heldBack(paying)), ("paused", .paused(step, "error unavailable (status 503)")),
        ("readAhead", .readAhead(step)), ("sharedRequest", .sharedRequest(step)), ("listReadAgain", .listReadAgain(step)),
        ("olderConnection", .olderConnection(step)),
        ("noNewConnection", .noNewConnection(step, "error offline")),
        ("proofRejected", .proofRejected(read)), ("tokenNotBound", .tokenNotBound(again)),
        ("late", .late(step, "ok", after: .seconds(4), limit: .seconds(3))),
        ("successBeforeRequest", .successBeforeRequest(paying, payment, microseconds: 700)),
        ("successWithoutRequest", .successWithoutRequest(paying)),
        ("clientEnded", .clientEnded("the client hung in step 4 (pay): no response within 20s", isHang: true)),
        (
            "clientEnded",
            .clientEnded(
                "the client hung in step 4 (accounts): no response within 20s", isHang: true,
                mayWaitFor: busy.with { $0.responseHeaders = [JournalEntry.Header("Retry-After", "120")] })
        ),
        ("stepUnanswered", .stepUnanswered(step, isHang: true)), ("stepUnanswered", .stepUnanswered(step, isHang: false)),
        ("notRecovered", .notRecovered([6, 7, 8], .pay, ["offline", "offline", "timeout"], since: 5, in: nil)),
    ]

    private static let requests: [(String, Finding)] = [
        ("requests", .requests(3, scope, allowed: "at most 2 requests", isMinimum: false, last: twin)),
        ("requests", .requests(0, scope, allowed: "at least 1 request", isMinimum: true, last: nil)),
        ("otherOrder", .otherOrder(["accounts", "login"], expected: ["login", "accounts"])),
        ("tooMany", .tooMany(step, 101, most: 100, isSame: false)), ("tooMany", .tooMany(step, 101, most: 100, isSame: true)),
        ("strayRequest", .strayRequest(again)), ("tooManyAttempts", .tooManyAttempts(Array(repeating: again, count: 21), again, most: 20)),
        ("tooManyRedirects", .tooManyRedirects(Array(repeating: read, count: 160), again, most: 160)),
        ("rejectedRequestAgain", .rejectedRequestAgain(again, [read, read.with { $0.status = 400 }])),
        ("pause", .pause(.milliseconds(51), before: again, after: busy, bounds: "at least 990ms")),
        ("pausesDoNotGrow", .pausesDoNotGrow(scope, first: .milliseconds(200), last: .milliseconds(200))),
        ("pausesDoNotVary", .pausesDoNotVary(scope, "all 3", from: .milliseconds(200), to: .milliseconds(201))),
        ("pausesCrowd", .pausesCrowd(scope, 18, of: 20, from: .milliseconds(200), to: .milliseconds(201), percent: 50)),
        ("tooFewAttempts", .tooFewAttempts(scope, "no second attempt")),
        ("earlyRequest", .earlyRequest(again, after: busy, milliseconds: 51, pause: "1 s")),
    ]

    private static let preconditions: [(String, Finding)] = [
        ("noRun", .noRun("step 4 (fault) was rejected by the bank: unknown rule")),
        ("beyondMachine", .beyondMachine("step 4 (disk) needs a user other than root")),
        ("unsupported", .unsupported("the client does not support the bank feed")), ("stepUnsupported", .stepUnsupported(step)),
        ("dropped", .dropped(3)), ("dropped", .dropped(1)),
        ("limited", .limited(busy)), ("clockWasSet", .clockWasSet(by: .milliseconds(3_599_980))),
        ("unrepeated", .unrepeated()),
        ("noKill", .noKill(paying, point: "commit", outcome: "error offline")),
        ("noDelivery", .noDelivery("a copy with a time stamp of ten minutes ago")),
        ("noEvent", .noEvent("step 4 (happen)", "found no payment for `payment-settles`")),
        ("noDelivery", .noDelivery("a delivery without a fault")),
        ("paymentExecuted", .paymentExecuted("step 4 (pay)")),
        ("noFile", .noFile("step 4 (disk)", "the case damages the client's files")), ("staleControl", .staleControl(step)),
        ("failedControl", .failedControl(step, "error offline")), ("notShown", .notShown(step, "accounts.balance")),
        ("notApplied", .notApplied(0, needed: 1, why: "the client asked for no page but the first")),
        ("notApplied", .notApplied(1, needed: 2, why: nil)),
        ("appliedElsewhere", .appliedElsewhere(3, to: ["A"], meant: "B", why: ", which the client sent before any for payment order B")),
        ("tooFewRejections", .tooFewRejections(0, needed: 1)),
        ("noExpectedView", .noExpectedView(step, "the bank bins declares no expected view of accounts")),
        ("noSuchRequest", .noSuchRequest(scope)), ("noTrigger", .noTrigger("a payment failed with 5xx and was retried")),
    ]

    private static let signIns: [(String, Finding)] = [
        ("noPage", .noPage("step 2 (browser)")), ("pageElsewhere", .pageElsewhere("step 2 (browser)", "https://elsewhere.example")),
        ("pageFailed", .pageFailed("step 2 (browser)", "the bank's page shows: This account is locked.")),
        ("pageWithoutClient", .pageWithoutClient("step 4 (browser)")),
        ("confidentialClient", .confidentialClient("web")), ("usedCode", .usedCode(again, read)),
        ("parameterNotSent", .parameterNotSent("state", "*", read)),
        ("parameterNotSent", .parameterNotSent("scope", "*openid*", read)),
        ("parameterDiffers", .parameterDiffers("code_challenge_method", "plain", "S256", read)),
        ("parameterDiffers", .parameterDiffers("code_challenge", nil, "*", read)),
        ("parameterShared", .parameterShared("code_challenge", read, again)),
    ]

    private static func groups() throws -> [(String, [(String, Finding)])] {
        try [
            ("Payments", payments()), ("Tokens", tokens), ("Steps", steps), ("Requests", requests), ("Preconditions", preconditions),
            ("Sign-ins", signIns),
        ]
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/Contracts")

    @Test func `every form is in the list`() throws {
        let text = try Self.groups().map { group, forms in
            "\(group)\n\n" + forms.map { "\($0): \($1.text)\n" }.joined()
        }.joined(separator: "\n")

        #expect(Golden().difference("messages.txt", text) == nil)
        let declared = try Self.files().flatMap { _, source in
            source.split(separator: "static func ").dropFirst().filter { $0.prefix { $0 != "{" }.contains("-> Finding ") }
                .map { String($0.prefix(while: \.isLetter)) }
        }
        #expect(try Set(declared) == Set(Self.groups().flatMap(\.1).map(\.0)))
    }

    @Test
    func `only Findings, and rules beside their checks, word a message`() throws {
        let outside = try Self.files().filter { file, _ in !file.hasPrefix("Findings/") && !file.hasPrefix("Rules/") }
        #expect(outside.count > 50)
        for (file, source) in outside {
            for type in ["Finding", "UnmetExpectation", "Reason"] {
                for before in [" ", "(", "["] {
                    for first in ["\"", "expected:", "seen:"] { #expect(!source.contains("\(before)\(type)(\(first)"), "\(file)") }
                }
            }
        }
    }

    /// The sources of the module, each with its path.
    private static func files() throws -> [(String, String)] {
        let names = FileManager.default.enumerator(atPath: sources.path(percentEncoded: false))?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            (name, try String(contentsOf: sources.appending(path: name), encoding: .utf8))
        }
    }
}
