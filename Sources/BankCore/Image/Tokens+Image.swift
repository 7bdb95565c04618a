import BankModel

extension TokenBook.Token {
    /// Includes a digest in place of the text: it is enough to recognise the token.
    func image(digest: String) -> JSON {
        .object(known: [
            "id": .string(id), "kind": .string(kind.rawValue), "digest": .string(digest), "customer": .string(customer),
            "scopes": .array(scopes.map(JSON.string)), "expires": .image(expiresAt), "family": .int(family),
            "signed_in": .image(signedInAt), "revoked": isRevoked ? true : nil, "used": isUsed ? true : nil,
            "used_at": usedAt.map { .image($0) }, "jkt": binding.key.map(JSON.string), "x5t": binding.certificate.map(JSON.string),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init(
            id: try image.member("id").text(), kind: try image.member("kind").choice(of: Kind.self),
            credential: .digest(try image.member("digest").text()), customer: try image.member("customer").text(),
            scopes: try image.member("scopes").texts(),
            expiresAt: try image.member("expires").instant(), isRevoked: image["revoked"] != nil, isUsed: image["used"] != nil,
            usedAt: try image["used_at"]?.instant(), family: try image.member("family").number31(),
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

extension Authorization {
    /// Includes digests in place of secrets.
    var image: JSON {
        .object(known: [
            "number": .int(Int64(number)), "client": .string(request.client), "redirect": .string(request.redirect),
            "redirect_given": request.isRedirectGiven ? true : nil, "scopes": .array(request.scopes.map(JSON.string)),
            "state": request.state.map(JSON.string), "challenge": request.challenge.map(JSON.string), "hint": request.hint.map(JSON.string),
            "nonce": request.nonce.map(JSON.string), "jkt": request.proofKey.map(JSON.string), "stage": .string(stage.rawValue),
            "customer": customer.map(JSON.string), "consent": request.consent?.image,
            "challenge_number": request.challengeNumber.map { .int(Int64($0)) }, "family": family.map { .int(Int64($0)) },
            "handle": handle.map(JSON.string), "expires": .image(expiresAt),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        var request = AuthorizationRequest(
            client: try image.member("client").text(), redirect: try image.member("redirect").text(),
            isRedirectGiven: image["redirect_given"] != nil, scopes: try image.member("scopes").texts(), state: try image["state"]?.text(),
            challenge: try image["challenge"]?.text(), hint: try image["hint"]?.text(), nonce: try image["nonce"]?.text(),
            proofKey: try image["jkt"]?.text())
        request.consent = try image["consent"].map(RowID.init)
        request.challengeNumber = try image["challenge_number"]?.int()
        self.init(
            number: try image.member("number").number31(), request: request, stage: try image.member("stage").choice(of: Stage.self),
            customer: try image["customer"]?.text(), family: try image["family"]?.int(),
            handle: try image["handle"]?.text(), expiresAt: try image.member("expires").instant())
    }
}
