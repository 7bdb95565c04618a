import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// What is a directive of a template, and what is an object.
@Suite struct TemplateDirectiveTests {
    private static let written =
        "reply: {access: {token: access}, refresh: {token: refresh}, seconds: {token: lifetime}, scope: {token: scope}}"

    private func response(_ reply: String) throws -> ResponseBody? {
        let files = TestFiles().replacing("till/bank.yaml", Self.written, with: "reply: \(reply)")
        return try files.library.load("till").bank.operations.first { $0.name == "signIn" }?.response
    }

    @Test func `an object with a directive's name and a directive as its value is an object`() throws {
        guard case .json(.object(let members))? = try response("{token: {token: access}}") else {
            Issue.record("found no object")
            return
        }
        #expect(members.map(\.key) == ["token"])
        guard case .value(.token(.access))? = members.first?.value else {
            Issue.record("found \(members), expected the token")
            return
        }
    }

    @Test(arguments: ["{token: {kind: access}}", "{token: acces}", "{token: {token: acces}}"])
    func `a mistake in a directive is reported`(_ reply: String) {
        #expect(throws: ComplaintsError.self) { try response(reply) }
    }
}
