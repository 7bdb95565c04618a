import BankModel

extension TokenBook.Token {
    /// Includes the text, as clients use it again after a restart.
    var image: JSON {
        .image([
            ("id", .string(id)), ("kind", .string(kind.rawValue)), ("text", .string(text)), ("customer", .string(customer)),
            ("scopes", .array(scopes.map(JSON.string))), ("expires", .image(expiresAt)), ("family", .int(family)),
            ("signed_in", .image(signedInAt)),
            ("revoked", isRevoked ? true : nil), ("used", isUsed ? true : nil),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init(
            id: try image.member("id").text(), kind: try image.member("kind").choice(of: Kind.self), text: try image.member("text").text(),
            customer: try image.member("customer").text(), scopes: try image.member("scopes").texts(),
            expiresAt: try image.member("expires").instant(), isRevoked: image["revoked"] != nil, isUsed: image["used"] != nil,
            family: Int(try image.member("family").int()), signedInAt: try image.member("signed_in").instant())
    }
}

extension VirtualClock {
    var image: JSON {
        [
            "mode": .string(mode.rawValue), "ahead": .image(ahead), "stands_at": .image(standsAt), "skew": .image(skew),
        ]
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init(
            mode: try image.member("mode").choice(of: Mode.self), ahead: try image.member("ahead").duration(),
            standsAt: try image.member("stands_at").instant(), skew: try image.member("skew").duration())
    }
}
