import BankModel
import Contracts
import Foundation
import Platform

/// Looks for secrets in bytes, in all the forms in which they may be written.
struct SecretScan {
    private struct Needle {
        let token: String
        let kind: Evidence.FoundSecret.Kind
        let encoding: String
        let bytes: [UInt8]
    }

    private let needles: [Needle]
    private let search: TextSearch
    /// Whether a secret has characters for which forms or JSON have escapes; if none has, nothing is searched twice.
    private let mayHaveEscapes: Bool
    /// Whether a secret has a space, for which a form has `+`.
    private let hasSpaces: Bool

    /// - Parameters:
    ///   - texts: each token's text by its id.
    ///   - data: what the bank served, by labels.
    ///   - passwords: by labels.
    ///   - idTokens: how ID tokens begin, by labels.
    init(
        _ texts: [String: String], data: [String: String] = [:], passwords: [String: String] = [:], idTokens: [String: String] = [:]
    ) {
        // A password that is the name of one, such as `password`, stands in forms and JSON by chance.
        let passwords = passwords.filter { !SecretNames.areForNoAddress($0.value) }
        let secrets: [([String: String], Evidence.FoundSecret.Kind)] = [
            (texts, .token), (data, .data), (passwords, .password), (idTokens, .idToken),
        ]
        needles = secrets.flatMap { texts, kind in
            texts.sorted { $0.key < $1.key }.flatMap { token, text in
                SecretScan.writings(of: Array(text.utf8)).map { Needle(token: token, kind: kind, encoding: $0.0, bytes: $0.1) }
            }
        }
        search = TextSearch(needles.map(\.bytes))
        let secret = needles.filter { $0.encoding == SecretScan.raw && $0.kind != .data }.flatMap(\.bytes)
        mayHaveEscapes = !secret.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
        hasSpaces = secret.contains(0x20)
    }

    private static let raw = "raw"

    func find(in data: [UInt8], _ location: Evidence.FoundSecret.Location, _ path: String, after step: Int) -> [Evidence.FoundSecret] {
        var found = matches(in: data).map { (needle: $0, encoding: $0.encoding) }
        // Programs differ in the characters that they escape, so the text is searched for among the unescaped bytes.
        if mayHaveEscapes {
            for plusIsSpace in hasSpaces ? [false, true] : [false] {
                guard let plain = Escapes.removed(data, plusIsSpace: plusIsSpace) else { continue }
                for needle in matches(in: plain) where needle.encoding == SecretScan.raw && needle.kind != .data {
                    if found.contains(where: { $0.needle.token == needle.token && $0.needle.kind == needle.kind }) { continue }
                    found.append((needle, "with escapes"))
                }
            }
        }
        return found.map { needle, encoding in
            Evidence.FoundSecret(token: needle.token, kind: needle.kind, location: location, path: path, encoding: encoding, after: step)
        }
    }

    private func matches(in data: [UInt8]) -> [Needle] { data.withUnsafeBytes { search.found(in: $0) }.map { needles[$0] } }

    /// The text raw, in base64 at each of the three offsets, in hexadecimal, percent-encoded, in UTF-16.
    private static func writings(of text: [UInt8]) -> [(String, [UInt8])] {
        // A text that is too short would be found by chance.
        guard text.count > TextSearch.shortest else { return [] }
        var writings: [(String, [UInt8])] = [(raw, text)]
        for offset in 0..<3 {
            // The characters that depend on the text alone, whatever stands around it.
            let padded = [UInt8](repeating: 0, count: offset) + text
            let whole = Array(Data(padded).base64EncodedString().utf8)
            let first = (offset * 8 + 5) / 6
            let last = padded.count * 8 / 6
            let core = Array(whole[first..<last])
            writings.append(("base64", core))
            let safe = core.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
            if safe != core { writings.append(("base64url", safe)) }
        }
        let hex = hexadecimal(text)
        for digits in [Array(hex.utf8), Array(hex.uppercased().utf8)] {
            writings.append(("hexadecimal", digits))
            let pairs = stride(from: 0, to: digits.count, by: 2).flatMap { [UInt8(ascii: "%"), digits[$0], digits[$0 + 1]] }
            writings.append(("percent-encoded", pairs))
        }
        writings.append(("UTF-16", text.flatMap { [$0, 0] }))
        writings.append(("UTF-16 big-endian", text.flatMap { [0, $0] }))
        return writings
    }
}
