import Testing

@testable import BankClient

struct HTTPHeadersTests {
    @Test func `names compare without case, byte by byte beyond A to Z`() {
        let headers: HTTPHeaders = ["X-Ön": "1", "x-ön": "2", "X-öN": "3", "x-\u{6F}\u{308}n": "4"]

        #expect(headers["X-ÖN"] == "1")
        #expect(headers.values("x-ÖN") == ["1"])
        #expect(headers.values("X-ön") == ["2", "3"])
        #expect(headers.values("X-") == [])
    }

    @Test func `setting replaces all lines of a name and leaves the others in order; nil removes them`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": ""]

        headers["A"] = "4"
        #expect(headers == ["B": "2", "C": "", "A": "4"])

        headers["b"] = nil
        #expect(headers.lines.map(\.name) == ["C", "A"])
        #expect(headers["B"] == nil)
    }

    @Test func `a value may contain anything: only the transport rejects one with a line break`() {
        var headers = HTTPHeaders()
        headers.append("A", "1\r\nB: 2")
        headers.append("", "")

        #expect(headers["A"] == "1\r\nB: 2")
        #expect(headers.lines.count == 2)
        #expect(headers[""] == "")
        #expect(!headers.isEmpty)
    }

    @Test func `headers are equal if their lines are, however they came about`() {
        let read = ResponseHead(Array("HTTP/1.1 100 Continue\r\nX: 0\r\n\r\nHTTP/1.1 200 OK\r\nA:  1 \r\nB:2\n\r\nC: 3\r\n".utf8))
        var built: HTTPHeaders = ["B": "2"]
        built["A"] = "1"

        #expect(read.headers == ["A": "1", "B": "2"])
        #expect(read.headers != built)
        #expect(Set([read.headers, ["A": "1", "B": "2"]]).count == 1)
    }
}
