import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Unreadable input is an error that names its position, without a result.
@Suite struct UnreadableTests {
    private static let request = #""request": {"method": "GET", "url": "/a"}"#

    private func complaints(_ files: [ImportFile]) -> [String] {
        do throws(ComplaintsError) {
            _ = try WireMockImport(name: "b").convert(files)
            return []
        } catch { return error.complaints.map(\.description) }
    }

    private func complaints(response: String) -> [String] {
        complaints([
            ImportFile("mappings/a.json", "{\(Self.request), \"response\": \(response)}"), ImportFile("__files/in/a.json", "[]"),
            ImportFile("secret.json", "{}"),
        ])
    }

    @Test func `broken JSON is reported with its line`() {
        let files = [ImportFile("mappings/a.json", "{\(Self.request),\n \"response\": }"), ImportFile("mappings/b.json", "[")]

        let reported = complaints(files)

        #expect(reported.count == 2, "all faults at once")
        #expect(reported[0].hasPrefix("mappings/a.json:2:14: found"), "\(reported)")
        #expect(reported[1].hasPrefix("mappings/b.json:1:2: found"), "\(reported)")
    }

    @Test(arguments: [
        (#"{"status": "ok"}"#, "$.response.status: found a text, expected a whole number"),
        (#"{"body": []}"#, "$.response.body: found an array, expected a text"),
        (
            #"{"delayDistribution": {"type": "lognormal", "median": "1", "sigma": "a"}}"#,
            "$.response.delayDistribution.sigma: found a text, expected a number"
        ),
        (#"{"base64Body": "a"}"#, "$.response.base64Body: found a text, expected base 64 (RFC 4648)"),
        (
            #"{"fault": "NONE"}"#,
            "$.response.fault: found a text, expected CONNECTION_RESET_BY_PEER, EMPTY_RESPONSE, MALFORMED_RESPONSE_CHUNK or RANDOM_DATA_THEN_CLOSE"
        ),
        (
            #"{"delayDistribution": {"type": "uniform", "lower": 1}}"#,
            "$.response.delayDistribution: found an object, expected `upper`, in milliseconds"
        ),
        (#"{"chunkedDribbleDelay": {}}"#, "$.response.chunkedDribbleDelay: found an object, expected `numberOfChunks` and `totalDuration`"),
    ])
    func `a value of another kind is reported`(_ response: String, _ message: String) {
        #expect(complaints(response: response) == ["mappings/a.json: \(message)"])
    }

    /// Jackson reads WireMock's files, and takes one for the other.
    @Test(arguments: [#""status": "201", "body": 5"#, #""status": 201, "body": "5", "fixedDelayMilliseconds": "0""#])
    func `a number may be given as a text, and a text as a number`(_ response: String) throws {
        let mapping = #"{"priority": "1", "request": {"method": "GET", "url": "/a"}, "response": {\#(response)}}"#

        let imported = try WireMockImport(name: "b").convert(Corpus.file(mapping))

        var caller = Caller(try imported.bank("b").bank)
        let reply = caller.send("GET", "/a").response
        #expect(imported.warnings == [])
        #expect(reply.status == 201)
        #expect(reply.text == "5")
    }

    @Test func `a byte order mark is ignored`() {
        let text = Array("{\(Self.request), \"response\": {}}".utf8)

        #expect(complaints([ImportFile("mappings/a.json", [0xEF, 0xBB, 0xBF] + text)]) == [])
    }

    @Test func `a file that is no mapping is reported`() {
        #expect(
            complaints([ImportFile("mappings/a.json", "{}")]) == ["mappings/a.json: $: found an object, expected a mapping with `request`"])
        #expect(
            complaints([ImportFile("mappings/a.json", "[1]")]) == ["mappings/a.json: $: found an array, expected a mapping with `request`"])
        #expect(
            complaints([ImportFile("mappings/a.json", #"{"mappings": {}}"#)]) == [
                "mappings/a.json: $.mappings: found an object, expected an array of mappings"
            ])
        #expect(complaints([ImportFile("a.txt", "")]) == ["b: found no JSON file, expected mappings/*.json, or JSON files beside __files"])
    }

    @Test func `if nothing can be converted there is no bank`() {
        let reported = complaints([ImportFile("mappings/a.json", #"{"request": {"url": "/a", "host": {}}, "response": {}}"#)])

        #expect(reported.last == "b: none of 1 mapping can be converted; a bank needs at least one operation", "\(reported)")
        #expect(reported.count == 3, "\(reported)")
    }
}
