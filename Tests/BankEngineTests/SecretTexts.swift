import BankModel
import Foundation

/// A password that no output may contain: three unique marks, with characters between them that each encoding changes in its
/// own way.
struct SoughtPassword {
    let marks: [String]
    let text: String

    /// - Parameter number: the password's number, which its marks contain.
    init(_ number: Int, _ generator: inout SeededGenerator) {
        let signs = [
            "&", "=", "+", " ", "%", "\"", "\\", "'", "/", ";", ":", "{", "}", "[", "#", "?", ",", "<", "é", "\u{1F511}", "-", "_", "!",
        ]
        marks = (0..<3).map { _ in "zq" + String(hexadecimal(generator.next()).prefix(10)) }
        let (first, second) = (signs[Int(generator.next() % 23)], signs[Int(generator.next() % 23)])
        text = "\(marks[0])\(first)\(marks[1])\(second)\(first)\(marks[2])"
    }

    private var bytes: [UInt8] { Array(text.utf8) }
    private var percent: String { percentEncoded(text) }
    private var allPercent: String { bytes.map { "%" + hexadecimal([$0]) }.joined() }
    private var json: String { JSON.string(text).text }
    private var allEscaped: String { "\"" + text.utf16.map { "\\u" + String(hexadecimal(UInt64($0)).suffix(4)) }.joined() + "\"" }
    private var base64: String { Base64.encoded(bytes) }

    /// The password in a field of that name, in the encodings of clients: a request without its last line's body length, and
    /// its body.
    func requests(_ name: String) -> [(line: String, headers: [String], body: String)] {
        let form = "Content-Type: application/x-www-form-urlencoded"
        let object = "Content-Type: application/json"
        let multipart = "Content-Type: multipart/form-data; boundary=b1"
        let part = "--b1\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n--b1--\r\n"
        let login = "grant_type=password&username=ann&"
        // Some clients escape only the form's own characters.
        let partly = text.replacing("%", with: "%25").replacing("&", with: "%26").replacing("+", with: "%2B").replacing("#", with: "%23")
        return [
            ("POST /v1/token", [form], "\(login)\(name)=\(percent)"),
            ("POST /v1/token", [form], "\(login)\(name)=\(percent.replacing("%20", with: "+"))"),
            ("POST /v1/token", [form], "\(login)\(name)=\(percent.lowercasedEscapes)"),
            ("POST /v1/token", [form], "\(login)\(name)=\(partly)"),
            ("POST /v1/token", [form], "\(login)\(name)=\(allPercent)&n=1"),
            ("POST /v1/token", [form], "\(login)%\(hexadecimal([name.utf8.first ?? 0]))\(name.dropFirst())=\(percent)"),
            ("POST /v1/token", [form], "\(login)\(name)=\(percentEncoded(percent))"),
            ("POST /v1/token", [form], "\(login)\(name)=\(percent)&\(name)=\(percent)"),
            ("POST /v1/token", [form], "username=ann&\(name)=\(percent)"),
            ("POST /v1/token", [form], "grant_type=odd&username=ann&\(name)=\(percent)"),
            ("POST /v1/tokens/elsewhere", [form], "\(login)\(name)=\(percent)"),
            ("POST /v1/token", [object], "{\"username\": \"ann\", \"\(name)\": \(json)}"),
            ("POST /v1/token", [form], "{\"username\": \"ann\", \"\(name)\": \(allEscaped)}"),
            ("POST /v1/token", [object], "{\"a\": [{\"login\": {\"\(name)\": \(json), \"n\": 1}}]}"),
            ("POST /v1/token", [object], "{\"a\": \(JSON.string("{\"\(name)\": \(json)}").text)}"),
            ("POST /v1/token", [object], "{\"username\": \"ann\", \"\(name)\": \(json.dropLast())"),
            ("POST /v1/token", [multipart], part), ("POST /v1/token", [multipart], part.replacing("\r\n", with: "\n")),
            ("POST /v1/token?\(name)=\(percent)", [form], "grant_type=password"),
            ("GET /v1/clock?n=1&\(name)=\(percent.lowercasedEscapes)", [], ""),
            ("GET /v1/clock?next=\(percentEncoded("https://a/?\(name)=\(percent)"))", [], ""),
            ("GET /v1/elsewhere;\(name)=\(percent)/n", [], ""),
            ("GET /v1/clock", ["Authorization: Basic \(Base64.encoded(Array("ann:\(text)".utf8)))"], ""),
            ("GET /v1/clock", ["X-Password: \(percent)", "Referer: http://a/?n=1&\(name)=\(percent)"], ""),
            ("POST /v1/token", [form], "\(login)\(name)=\(percentEncoded(base64))"),
            ("POST /v1/token", [form], "data=\(percentEncoded(Base64.encoded(Array("{\"\(name)\": \(json)}".utf8))))"),
            ("POST /v1/token", ["Content-Type: text/plain"], "username=ann\r\n\(name)=\(percent)\r\n"),
        ]
    }
}

/// Searches outputs for passwords, in any encoding.
struct PasswordSearch {
    private let marks: Set<String>
    private let base64: [Data]

    init(_ passwords: [SoughtPassword]) {
        marks = Set(passwords.flatMap(\.marks))
        // Two offsets of three shift the text; for each the characters that do not depend on their neighbours.
        base64 = passwords.flatMap { password in
            (0..<3).map { offset in
                let whole = Base64.encoded([UInt8](repeating: 0, count: offset) + Array(password.marks[0].utf8))
                return Data(whole.utf8.dropFirst(offset == 0 ? 0 : offset + 1).prefix(10))
            }
        }
    }

    /// The marks that an output contains, after removing escapes of addresses and of JSON until none remain.
    func found(in output: [UInt8]) -> [String] {
        var found: Set<String> = []
        var (bytes, rounds) = (output, 0)
        while true {
            found.formUnion(marks(in: bytes))
            guard rounds < 6, let plain = Escapes.removed(bytes, plusIsSpace: true) else { break }
            bytes = plain
            rounds += 1
        }
        let data = Data(output)
        found.formUnion(base64.filter { data.range(of: $0) != nil }.map { "base64 \(String(decoding: $0, as: UTF8.self))" })
        return found.sorted()
    }

    private func marks(in bytes: [UInt8]) -> [String] {
        var found: [String] = []
        bytes.withUnsafeBufferPointer { bytes in
            var position = 0
            while position + 12 <= bytes.count {
                if bytes[position] == UInt8(ascii: "z"), bytes[position + 1] == UInt8(ascii: "q") {
                    let mark = String(decoding: UnsafeBufferPointer(rebasing: bytes[position..<position + 12]), as: UTF8.self)
                    if marks.contains(mark) { found.append(mark) }
                }
                position += 1
            }
        }
        return found
    }
}

extension String {
    /// `%2f` for `%2F`.
    fileprivate var lowercasedEscapes: String {
        var out = ""
        var escape = 0
        for character in self {
            out += escape > 0 ? character.lowercased() : String(character)
            escape = character == "%" ? 2 : max(0, escape - 1)
        }
        return out
    }
}
