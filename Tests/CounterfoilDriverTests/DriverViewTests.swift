import BankModel
@testable import CounterfoilDriver
import DriverProtocol
import Foundation
import Testing

/// What a kit's views are as the driver protocol has them. The protocol ignores a key that it does not know, so each text is compared.
@Suite struct DriverViewTests {
    private static let nine = DataAge(asOf: Date(timeIntervalSince1970: 1_768_208_400))

    private static let lists: [(DriverOperation, DriverView, String)] = [
        (
            .accounts, .accounts([.account("a", name: "n", currency: "GBP", balance: "1.00")], age: nine),
            #"{"accounts":[{"id":"a","name":"n","currency":"GBP","balance":"1.00"}],"stale":true,"as_of":"2026-01-12T09:00:00Z"}"#
        ),
        (.accounts, .accounts([.account("a", name: "n", currency: "GBP")]), #"{"accounts":[{"id":"a","name":"n","currency":"GBP"}]}"#),
        (
            .transactions,
            .transactions(
                [.transaction("t", date: "2026-01-12", description: "d", amount: "-1", currency: "GBP", pending: true, atm: "m")]),
            #"{"transactions":[{"id":"t","date":"2026-01-12","description":"d","amount":"-1","currency":"GBP","pending":true,"atm":"m"}]}"#
        ),
        (
            .transactions, .transactions([], isComplete: false, age: nine),
            #"{"transactions":[],"complete":false,"stale":true,"as_of":"2026-01-12T09:00:00Z"}"#
        ),
        (
            .transactions, .transactions([.transaction("t", date: "2026-01-12", description: "d", amount: "1.00")]),
            #"{"transactions":[{"id":"t","date":"2026-01-12","description":"d","amount":"1.00"}]}"#
        ),
        (
            .atms, .atms([.atm("m", name: "n", latitude: "-33.86", longitude: "151.21")], age: DataAge()),
            #"{"atms":[{"id":"m","name":"n","lat":"-33.86","lng":"151.21"}],"stale":true}"#
        ),
        (.atms, .atms([], age: nine), #"{"atms":[],"stale":true,"as_of":"2026-01-12T09:00:00Z"}"#),
        (
            .goals, .goals([.goal("g", name: "n", saved: "1.00", currency: "GBP")], age: nine),
            #"{"goals":[{"id":"g","name":"n","saved":"1.00","currency":"GBP"}],"stale":true,"as_of":"2026-01-12T09:00:00Z"}"#
        ),
        (
            .events, .events(at: "http:hook", [.event("e", type: "t", amount: "1.00"), .event("f", type: "u")]),
            #"{"url":"http:hook","events":[{"id":"e","type":"t","amount":"1.00"},{"id":"f","type":"u"}],"payments":[]}"#
        ),
        (
            .events, .events(at: "http:hook", [], payments: [.payment("p", state: "settled")]),
            #"{"url":"http:hook","events":[],"payments":[{"id":"p","state":"settled"}]}"#
        ),
        (
            .consents, .consents([.consent("c", state: "authorised", accounts: ["a", "b"], expires: "2026-04-12")]),
            #"{"consents":[{"id":"c","state":"authorised","accounts":["a","b"],"expires":"2026-04-12"}]}"#
        ),
        (.consents, .consents([.consent("d", state: "revoked")]), #"{"consents":[{"id":"d","state":"revoked"}]}"#),
        (
            .watch, .watched(balance: "3", [.transaction("t", date: "2026-01-12", description: "d", amount: "1")], age: DataAge()),
            #"{"balance":"3","transactions":[{"id":"t","date":"2026-01-12","description":"d","amount":"1"}],"stale":true}"#
        ),
        (
            .watch, .watched(balance: "3", [], age: nine),
            #"{"balance":"3","transactions":[],"stale":true,"as_of":"2026-01-12T09:00:00Z"}"#
        ),
    ]

    private static let others: [(DriverOperation, DriverView, String)] = [
        (.login, .signedIn(true), #"{"signed_in":true}"#),
        (.logout, .signedIn(false), #"{"signed_in":false}"#),
        (.authorizeBegin, .signInPage("http:page"), #"{"url":"http:page"}"#),
        (.authorizeFinish, .signedIn(true), #"{"signed_in":true}"#),
        (.status, .status(signedIn: false, prompts: 1), #"{"signed_in":false,"prompts":1}"#),
        (.status, .status(signedIn: true), #"{"signed_in":true}"#),
        (
            .balance, .balance("2.00", available: "1.00", currency: "GBP", age: nine),
            #"{"balance":"2.00","available":"1.00","currency":"GBP","stale":true,"as_of":"2026-01-12T09:00:00Z"}"#
        ),
        (.balance, .balance("2.00"), #"{"balance":"2.00"}"#),
        (.image, .image(sha256: "e3", fromCache: false), #"{"sha256":"e3","from_cache":false}"#),
        (.pay, .payment("p", state: "settled"), #"{"payment":"p","state":"settled"}"#),
        (.pay, .payment(nil, state: "accepted"), #"{"state":"accepted"}"#),
        (.resume, .payment("p", state: "pending-authorisation"), #"{"payment":"p","state":"pending-authorisation"}"#),
        (.paymentStatus, .payment("p", state: "returned"), #"{"payment":"p","state":"returned"}"#),
        (
            .challengeAnswer, .challenge("approved", payment: "p", state: "settled"),
            #"{"challenge":"approved","payment":"p","state":"settled"}"#
        ),
        (.challengeAnswer, .challenge("locked"), #"{"challenge":"locked"}"#),
        (.consentRevoke, .consent(state: "revoked"), #"{"state":"revoked"}"#),
        (.quote, .quote("1.1734", expires: "2026-01-12T09:00:30Z"), #"{"rate":"1.1734","expires_at":"2026-01-12T09:00:30Z"}"#),
        (.roundUp, .roundUp("1.58", currency: "GBP", payment: "p"), #"{"amount":"1.58","currency":"GBP","payment":"p"}"#),
        (.roundUp, .roundUp("0.00", currency: "GBP"), #"{"amount":"0.00","currency":"GBP"}"#),
    ]

    @Test func `the views are those of the protocol, key for key`() {
        for (operation, view, text) in Self.lists + Self.others {
            #expect(view.json.text == text)
            #expect(ViewShape(of: operation).mistake(in: view.json) == nil)
        }
    }

    @Test func `every operation has a view, and every key that the protocol knows is in one`() {
        let views = Self.lists + Self.others

        #expect(Set(views.map { operation, _, _ in operation }) == Set(DriverOperation.allCases))
        for operation in DriverOperation.allCases {
            let keys = views.filter { $0.0 == operation }.flatMap { $0.1.json.object?.members.map { $0.key } ?? [] }
            #expect(ViewShape(of: operation).fields.filter { !keys.contains($0.name) }.map(\.name) == [], "\(operation)")
        }
    }
}
