import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Bodies in files: one that is missing costs its mapping, and no other.
@Suite struct BodyFileTests {
    private static let rest = #"{"name": "rest", "request": {"method": "GET", "url": "/rest"}, "response": {}}"#

    private func imported(_ name: String) throws -> Imported {
        let it = #"{"name": "it", "request": {"method": "GET", "url": "/it"}, "response": {"bodyFileName": "\#(name)"}}"#
        return try WireMockImport(name: "b").convert(Corpus.file(it, BodyFileTests.rest) + [ImportFile("__files/in/a.json", "{}")])
    }

    @Test(arguments: [
        ("../secret.json", "the file is outside __files"), ("in/../../secret.json", "the file is outside __files"),
        ("/../secret.json", "the file is outside __files"),
        ("in/b.json", "there is no such file in __files; did you mean `in/a.json`?; --files names another folder"),
        ("", "there is no such file in __files; --files names another folder"),
    ])
    func `a mapping without its file is left out and listed`(_ name: String, _ reason: String) throws {
        let imported = try imported(name)
        var caller = Caller(try imported.bank("b").bank)

        #expect(imported.warnings.map(\.reason) == [reason])
        #expect(imported.warnings.map(\.effect) == [.leftOut])
        #expect(imported.warnings.map(\.path) == ["$.mappings[0].response.bodyFileName"])
        #expect(caller.send("GET", "/rest").response.status == 200)
        #expect(caller.send("GET", "/it").operation == nil)
    }

    @Test func `a path inside is followed`() throws {
        let imported = try imported("./x/../in//a.json")
        var caller = Caller(try imported.bank("b").bank)

        #expect(imported.warnings == [])
        #expect(caller.send("GET", "/it").response.text == "{}")
    }
}
