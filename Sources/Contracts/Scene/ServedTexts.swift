package import BankModel

/// The texts that a bank sent under certain names: what must not be readable on a client's disk.
///
/// A text that the client sent before, such as the reference of a payment that the bank repeats, is the client's own.
package struct ServedTexts: Sendable {
    /// By a label of the field's name and a number, such as `description#2`.
    package private(set) var texts: [String: String] = [:]

    /// - Parameters:
    ///   - journal: its responses' bodies may be cut: what stands before the cut counts.
    ///   - fields: names of members, at any depth.
    package init(_ journal: [JournalEntry], fields: [String]) {
        let bodies = journal.enumerated().filter { !$0.element.requestBody.isEmpty }
        let sent = Dictionary(
            bodies.flatMap { index, entry in ((try? JSON(parsing: entry.requestBody))?.texts ?? []).map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        for field in fields {
            let name = JSON.string(field).bytes
            var known: Set<String> = []
            for (index, entry) in journal.enumerated() {
                for text in ServedTexts.values(of: name, in: entry.responseBody)
                where sent[text].map({ $0 > index }) ?? true && known.insert(text).inserted {
                    texts["\(field)#\(known.count)"] = text
                }
            }
        }
    }

    /// The texts that follow each occurrence of the quoted name and a colon.
    private static func values(of name: [UInt8], in body: [UInt8]) -> [String] {
        var values: [String] = []
        var start = 0
        while let key = body.firstPosition(of: name, from: start) {
            start = key + name.count
            let behind = body[start...].drop { isBlank($0) }
            guard behind.first == UInt8(ascii: ":") else { continue }
            let value = behind.dropFirst().drop { isBlank($0) }
            guard value.first == UInt8(ascii: "\""), let end = end(of: value) else { continue }
            if let text = (try? JSON(parsing: Array(value[value.startIndex...end])))?.string { values.append(text) }
        }
        return values
    }

    /// The end of the text that begins here.
    private static func end(of text: ArraySlice<UInt8>) -> Int? {
        var isEscaped = false
        for index in text.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if text[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if text[index]
                == UInt8(ascii: "\"")
            {
                return index
            }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

extension JSON {
    /// The texts at any depth, without the names of members.
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.texts)
        case .object(let object): object.members.flatMap { $0.value.texts }
        default: []
        }
    }
}

/// Why a journal cannot decide whether a client did what a rule forbids.
enum InconclusiveReason: Sendable, Hashable {
    /// The request came so soon after the response, in nanoseconds, and not on a connection that shows their order.
    case soon(Int64)
    /// The client may have made the request while several others were in flight, and delayed it.
    case crowd
    /// A fault delayed the request's connection.
    case delayed
    /// The client reset the connection of the response.
    case reset
    /// The journal dropped entries that would show it.
    case dropped
    /// The client sends equal payments one right after the other anyway.
    case twins
    /// The bodies are longer than the journal stores, or not stored at all.
    case unread
    /// It came so long after the response, or was so different, that the user may have asked for it.
    case user

    /// The sentence that a report has for it.
    var reason: String {
        switch self {
        case .soon(let nanoseconds):
            "it arrived \(nanoseconds / 1_000_000) ms after the response, on another connection; the client may have sent it before reading the response"
        case .crowd: "the client had several requests in flight and may have sent this one before reading the response"
        case .delayed: "a fault delayed its connection; the client may have sent it before reading the response"
        case .reset: "the client reset the connection after the response and may never have read it"
        case .dropped: "the journal dropped older entries (journal limit reached), which may explain it"
        case .twins: "the client also sends equal payments within 1 s of a success, so this may be a second payment"
        case .unread: "the journal does not store bodies of this size, and different bytes may be equal JSON"
        case .user: "the user may have asked for it: it is not the same request within 1 s of the response"
        }
    }

    /// The change to the test that lets the journal decide.
    var advice: String {
        switch self {
        case .soon, .crowd:
            "send one request at a time over a persistent connection, or wait half a second after the response; "
                + "for an app that sends one at a time, use `judge --sequential`, or `sequential` of a kit's `expect`"
        case .delayed: "remove the rule that delays connections"
        case .reset: "let the app read each response before it closes the connection"
        case .dropped: "reset the session before the test, or raise the journal limit"
        case .twins: "send one payment at a time"
        case .unread: "send a body of at most 8 KiB, to a session that does not forward to another bank"
        case .user: "do not reload or tap again in the app before that time"
        }
    }
}
