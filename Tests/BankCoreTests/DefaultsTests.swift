import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// The default arguments for a customer who is not the bank's first.
@Suite struct DefaultsTests {
    /// The test bank with goals: one of each of ann's accounts, two of bob's second one.
    private func bank(owns: String = "[b1, b2]") throws -> Bank {
        var files = TestFiles.till
        let accounts = try #require(files["till/accounts.json"])
        files["till/accounts.json"] = accounts.replacing(#"{"id": "b1""#, with: #"{"id": "b2", "balance": "1.00"}, {"id": "b1""#)
        files["till/goals.json"] =
            #"[{"id": "g1", "_account": "a1"}, {"id": "g2", "_account": "b1"}, {"id": "g3", "_account": "b2"}, {"id": "g4", "_account": "b2"}]"#
        files["till/bank.yaml"] = files["till/bank.yaml"]?
            .replacing("tables:", with: "tables:\n  goals: {file: goals.json, key: id, belongs: {_account: accounts}}")
            .replacing("owns: {accounts: [b1]}", with: "owns: {accounts: \(owns)}")
        var bank = try TestFiles(files).library.load("till").bank
        bank.defaults = ["round_up": ["goal": "g1", "account": "a1"], "pay": ["from": "a1", "to": "p1", "currency": "GBP"]]
        return bank
    }

    @Test(arguments: ["ann", "nobody", nil]) func `the first customer gets what is written`(login: String?) throws {
        let bank = try bank()

        #expect(JSON.object(bank.defaults(of: "round_up", for: login)) == ["goal": "g1", "account": "a1"])
        #expect(JSON.object(bank.defaults(of: "goals", for: login)) == [:])
    }

    @Test func `another customer gets the first account of theirs and its first goal`() throws {
        let bank = try bank()

        #expect(JSON.object(bank.defaults(of: "round_up", for: "bob")) == ["goal": "g3", "account": "b2"])
        #expect(JSON.object(bank.defaults(of: "pay", for: "bob")) == ["from": "b2", "to": "p1", "currency": "GBP"])
    }

    @Test func `an argument for which a customer has nothing is left out`() throws {
        let bank = try bank(owns: "[]")

        #expect(JSON.object(bank.defaults(of: "round_up", for: "bob")) == [:])
        #expect(JSON.object(bank.defaults(of: "pay", for: "bob")) == ["to": "p1", "currency": "GBP"])
    }

    /// The harness can ask a customer for nothing that the bank must reject.
    @Test(arguments: [("[b1, b2]", []), ("[b1]", ["to"]), ("[]", ["from", "to"])])
    func `what nothing can be filled in for is named`(_ owned: String, _ missing: [String]) throws {
        var bank = try bank(owns: owned)
        bank.defaults = ["pay": ["from": "a1", "to": "a2", "currency": "GBP"]]

        #expect(bank.unfilledDefaults(of: "pay", for: "bob") == missing)
        #expect(bank.unfilledDefaults(of: "pay", for: "ann") == [])
    }
}
