import BankModel

extension TokenBook.Token {
    /// Includes a digest in place of the text: it is enough to recognise the token.
    func image(digest: String) -> JSON {
        .image([
            ("id", .string(id)), ("kind", .string(kind.rawValue)), ("digest", .string(digest)), ("customer", .string(customer)),
            ("scopes", .array(scopes.map(JSON.string))), ("expires", .image(expiresAt)), ("family", .int(family)),
            ("signed_in", .image(signedInAt)),
            ("revoked", isRevoked ? true : nil), ("used", isUsed ? true : nil),
            ("used_at", usedAt.map { .image($0) }), ("jkt", binding.key.map(JSON.string)),
            ("x5t", binding.certificate.map(JSON.string)),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init(
            id: try image.member("id").text(), kind: try image.member("kind").choice(of: Kind.self),
            credential: .digest(try image.member("digest").text()), customer: try image.member("customer").text(),
            scopes: try image.member("scopes").texts(),
            expiresAt: try image.member("expires").instant(), isRevoked: image["revoked"] != nil, isUsed: image["used"] != nil,
            usedAt: try image["used_at"]?.instant(), family: Int(try image.member("family").int()),
            signedInAt: try image.member("signed_in").instant(),
            binding: TokenBinding(key: try image["jkt"]?.text(), certificate: try image["x5t"]?.text()))
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
