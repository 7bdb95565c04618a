import BankClient
import BankModel
import ClientDriver
import CounterfoilDriver
import DriverProtocol
import Foundation
import TestBanks
import Testing

/// The amount of a payment where the harness sends what the user typed.
struct TypedOrderTests {
    private let arguments: JSON = [
        "intent": "A", "from": "f", "to": "t", "amount": "1500.00", "raw_amount": "1.500", "currency": "EUR",
    ]

    @Test func `the typed amount counts, and not the amount beside it`() throws {
        #expect(try StepArguments(arguments).order(TypedAmounts(locale: "de_DE")).amount.major == "1500.00")
        var other = try #require(arguments.object)
        other["amount"] = "7.00"
        #expect(try StepArguments(.object(other)).order(TypedAmounts(locale: "de_DE")).amount.major == "1500.00")
    }

    @Test func `a typed amount that cannot be read is not replaced by the other one`() {
        let failure = #expect(throws: ClientFailure.self) { try StepArguments(arguments).order(TypedAmounts(locale: "en_GB")) }

        #expect(failure?.error == .rejected)
        #expect(failure?.detail.contains("1.500") == true)
    }

    @Test func `the locale of a case comes through a line of the protocol; without one the line has no such key`() throws {
        var start = CaseStart(id: "c", baseURL: "http://bank", stateDirectory: "/s", bank: "b", login: CaseStart.Login(user: "ava"))

        #expect(!HarnessMessage.start(start).line.contains("locale"))
        #expect(try HarnessMessage(line: HarnessMessage.start(start).line) == .start(start))
        start.locale = "fa_IR"
        #expect(HarnessMessage.start(start).line.contains(#""locale":"fa_IR""#))
        #expect(try HarnessMessage(line: HarnessMessage.start(start).line) == .start(start))
    }

    @Test func `a case brings its locale to the client, and a client without one reads English`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let euro = try #require(Currency("EUR"))
        var start = CaseStart(
            id: "c", baseURL: "http://bank", stateDirectory: folder.path, bank: "counterfoil", login: CaseStart.Login(user: "ava"))

        #expect(try ModelClient.parts(start, clock: CaseClock()).typedAmounts.money(typed: "1.50", euro)?.major == "1.50")
        start.locale = "de_DE"
        #expect(try ModelClient.parts(start, clock: CaseClock()).typedAmounts.money(typed: "1,50", euro)?.major == "1.50")
    }
}
