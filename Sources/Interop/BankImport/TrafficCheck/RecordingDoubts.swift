import BankModel

/// Why an archive does not prove a finding, by what a recorder sees of clients, addresses and sign-outs.
extension ArchiveJournal {
    /// Of any finding: nothing may show which host is the bank's.
    func apiDoubt(_ last: RecordedExchange) -> Doubt? {
        guard facts.isHostUncertain, let hosts = facts.hosts, hosts.count > 1 else { return nil }
        return (
            "no request has a token, a key, a sign-in or a payment, so the HAR does not show whether \(last.url.host) is the bank's",
            "name the hosts of the API in api.yaml: `hosts: […]`"
        )
    }

    /// Of the responses before the last request, for which the client may not have waited.
    func waitDoubt(_ found: [RecordedExchange]) -> Doubt? {
        guard let slow = found.dropLast().first(where: \.mayBeGivenUp) else { return nil }
        let seconds = (slow.duration ?? 0) / 1_000_000
        return (
            "exchange \(slow.number) took \(seconds) s, and a proxy's HAR does not show whether the app still waited for the response",
            "record in the app, or check it with `counterfoil judge --through`"
        )
    }

    /// Of requests that two tabs may have sent.
    func tabDoubt(_ found: ArraySlice<RecordedExchange>) -> Doubt? {
        guard let earlier = found.first, let later = found.dropFirst().first(where: earlier.isOfAnotherPage) else { return nil }
        return (
            "exchanges \(earlier.number) and \(later.number) come from two pages of a browser, which may be two tabs",
            "record in the tab with the browser's developer tools, which record no other"
        )
    }

    /// Of requests with a reload or a navigation of the tab in between.
    func loadDoubt(_ found: ArraySlice<RecordedExchange>) -> Doubt? {
        guard let earlier = found.first, let load = earlier.pageLoad,
            let later = found.first(where: { $0.pageLoad.map { $0 != load } ?? false })
        else { return nil }
        return (
            "the page was reloaded between exchanges \(earlier.number) and \(later.number), and may have kept nothing in memory",
            "record without a reload or a navigation in between"
        )
    }

    /// Of a request with a secret in its address.
    func addressDoubt(_ request: RecordedExchange) -> Doubt? {
        if request.resource == "eventsource" || request.isEventStreamOfPage {
            return (
                "a browser's EventSource has no header for the token of exchange \(request.number) (RFC 6750 §2.3)",
                "if the bank takes a ticket for one use instead, send that"
            )
        }
        let named = FormFields(request.url.query ?? "").all.filter { SecretNames.areForNoAddress($0.name) && !$0.value.isEmpty }
        if let choice = named.first, named.allSatisfy({ ArchiveJournal.isChoice($0.value, of: $0.name) }) {
            return (
                "the value of `\(choice.name)` in the address of exchange \(request.number) is a choice, not a secret",
                "if it is a secret, send it in the body"
            )
        }
        guard let number = addressesGiven[request.url.address], let giver = entries[number], giver.started < request.started else {
            return nil
        }
        return (
            "the bank made the address of exchange \(request.number), in its response to exchange \(giver.number)",
            "let the bank give an address without a secret, or with a ticket for one use"
        )
    }

    /// Whether a value is one of a few words, such as `otp=sms` and `refresh_token=true`. A one-time code has digits.
    private static func isChoice(_ value: String, of name: String) -> Bool {
        if ["true", "false", "yes", "no", "on", "off", "0", "1"].contains(value.lowercased()) { return true }
        return ["otp", "onetimecode"].contains(RecordedExchange.plain(name)) && !value.contains(where: \.isNumber)
    }

    /// Of a sign-out, which may be another device's.
    func signOutDoubt(_ signOut: RecordedExchange) -> Doubt? {
        let fields = signOut.fields + FormFields(signOut.url.query ?? "").all.map { (name: $0.name, value: $0.value) }
        if let revoked = signOut.field(["token"]), labels.label(revoked) == nil {
            return (
                "exchange \(signOut.number) revokes a token that no other exchange has, which may be another device's",
                "record from the sign-in on"
            )
        }
        let other = fields.first { field in
            let plain = RecordedExchange.plain(field.name)
            let isNamed = ["deviceid", "sessionid", "tokenid", "device", "session", "id"].contains(plain) || plain.contains("other")
            return isNamed && !isOwn(field, of: signOut)
        }
        guard let other else { return nil }
        return (
            "the `\(other.name)` of exchange \(signOut.number) may name another device's sign-in",
            "record from the sign-in on: if that has the same `\(other.name)`, it is this client's"
        )
    }

    /// Whether the client names itself so, in a header of the request or as it signs in, or the bank has named its last sign-in so.
    private func isOwn(_ field: (name: String, value: String), of signOut: RecordedExchange) -> Bool {
        let own = signIns.filter { owners[$0.number] == owners[signOut.number] }
        return signOut.requestHeaders.contains { $0.value == field.value }
            || own.contains { $0.fields.contains { $0.value == field.value } }
            || own.last { $0.started < signOut.started }?.gives(field.value, as: field.name) ?? false
    }

    /// Of two payments under one key whose bodies differ: what is encrypted or signed differs each time.
    func contentDoubt(_ first: RecordedExchange, _ last: RecordedExchange) -> Doubt? {
        if first.isBodyJWT, last.isBodyJWT {
            return (
                "the bodies of exchanges \(first.number) and \(last.number) are JWTs, which differ each time that the same content is signed",
                "use a bank that takes bodies in clear, such as a stub"
            )
        }
        let isSame = first.clearMembers.map { $0 == last.clearMembers } ?? false
        guard isSame || (first.isBodyBase64 && last.isBodyBase64) else { return nil }
        return (
            "the bodies of exchanges \(first.number) and \(last.number) are encrypted, and may have the same content",
            "use a bank that takes bodies in clear, such as a stub"
        )
    }
}

extension RecordedExchange {
    /// Whether the client may have given the request up before the response came: a proxy records that all the same, and a browser writes
    /// what it gave up as such.
    fileprivate var mayBeGivenUp: Bool {
        guard page == nil, seen == nil, status != nil, let duration else { return false }
        return duration >= RecordedExchange.patience
    }

    /// A careful client waits longer than this, in microseconds.
    private static let patience: Int64 = 5_000_000

    /// Whether both were sent by a browser of which a proxy does not know the tabs, each by another page.
    fileprivate func isOfAnotherPage(than other: RecordedExchange) -> Bool {
        guard page == nil, isOfBrowser, let own = referringPath, let another = other.referringPath else { return false }
        return own != another
    }

    /// A stream that a browser's `EventSource` reads, which a proxy does not mark as such.
    fileprivate var isEventStreamOfPage: Bool {
        guard page == nil, isOfBrowser else { return false }
        return [header("accept"), responseHeader("content-type")].contains { $0?.lowercased().hasPrefix("text/event-stream") ?? false }
    }

    private var isOfBrowser: Bool { header("user-agent")?.hasPrefix("Mozilla/") ?? false }

    /// The host and path of the page that sent the request.
    private var referringPath: String? { header("referer").flatMap(RecordedURL.init).map { $0.host + $0.path } }

    /// Whether the response has the value under that name, as in `{"session": {"id": "7"}}` for `sessionId`. A list may have other devices.
    fileprivate func gives(_ value: String, as name: String) -> Bool {
        (json?.leaves ?? []).contains { leaf in
            let path = leaf.path.hasPrefix("data.") ? String(leaf.path.dropFirst("data.".count)) : leaf.path
            return RecordedExchange.plain(path) == RecordedExchange.plain(name) && leaf.value.plainText == value
        }
    }

    /// The members of the body's JSON that are not encrypted, in any order; nil if none is encrypted.
    fileprivate var clearMembers: [String]? {
        guard let members = (try? JSON(parsing: requestBody.bytes))?.object?.members else { return nil }
        let clear = members.filter { member in
            let plain = RecordedExchange.plain(member.key)
            return plain != "iv" && !plain.contains("encrypted") && !plain.contains("cipher")
        }
        return clear.count < members.count ? clear.map { "\($0.key)=\($0.value.text)" }.sorted() : nil
    }

    /// Whether the body is a JWT, signed in three parts (RFC 7515 §7.1) or encrypted in five (RFC 7516 §7.1).
    fileprivate var isBodyJWT: Bool {
        let text = String(decoding: requestBody.bytes, as: UTF8.self).trimmed
        return text.hasPrefix("eyJ") && [2, 4].contains(text.utf8.count { $0 == UInt8(ascii: ".") })
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_.".utf8.contains($0) }
    }

    /// Whether the body is nothing but base64, as of bytes that are encrypted.
    fileprivate var isBodyBase64: Bool {
        let text = String(decoding: requestBody.bytes, as: UTF8.self).trimmed
        return text.utf8.count >= 16 && Base64.decoded(text) != nil
    }

    /// The paths, with their queries, to which the response sends: as a redirect, or as links in its JSON.
    var addressesGiven: [String] {
        var texts = [responseHeader("location")].compactMap(\.self)
        if responseBody.bytes.contains(UInt8(ascii: "?")), let json {
            texts += json.flattened.compactMap(\.string).filter { $0.contains("?") && $0.contains("/") }
        }
        return texts.compactMap { text in
            let link = String(text.prefix { $0 != "#" })
            return RecordedURL(link)?.address ?? (link.hasPrefix("/") ? link : nil)
        }
    }
}
