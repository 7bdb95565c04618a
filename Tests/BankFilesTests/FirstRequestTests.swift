import BankCore
import BankFiles
import TestBanks
import Testing

/// The request with which `serve` shows a bank.
@Suite struct FirstRequestTests {
    @Test func `a read with a role is shown`() throws {
        let bank = try TestFiles().library.load("till").bank

        #expect(bank.plainRead?.name == "accounts")
    }

    /// A bank that is only served needs no roles.
    @Test func `without roles it is the first read without parameters and conditions`() throws {
        let bank = try TestFiles()
            .replacing(
                "till/bank.yaml", "operations_of_a_client: [login, accounts, transactions, pay]",
                with: "operations_of_a_client: [login, pay]"
            )
            .replacing("till/bank.yaml", "accounts: [accounts], transactions: [entries], ", with: "")
            .replacing(
                "till/bank.yaml", "accounts: {request: GET /accounts,",
                with: "accounts: {when: {query: {page: null}}, request: GET /accounts,"
            )
            .library.load("till").bank

        #expect(bank.plainRead?.name == "clock")
    }
}
