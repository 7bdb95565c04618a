import BankModel

extension Challenge {
    /// As it is stored: secret fields of the request are blank.
    var image: JSON {
        .object(known: [
            "number": .int(number), "kind": .string(kind.rawValue), "customer": .string(customer), "operation": .string(operation),
            "began": .image(beganAt), "expires": .image(expiresAt), "approves": approvesAt.map { .image($0) },
            "family": family.map { .int($0) }, "stage": .string(stage.rawValue), "wrong": wrongCodes == 0 ? nil : .int(wrongCodes),
            "held": held?.image, "consent": consent?.image,
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        self.init(
            number: try image.member("number").number31(), kind: try image.member("kind").choice(of: ChallengeKind.self),
            customer: try image.member("customer").text(), operation: try image.member("operation").text(),
            beganAt: try image.member("began").instant(), expiresAt: try image.member("expires").instant(),
            approvesAt: try image["approves"]?.instant(),
            family: try image["family"]?.int(),
            stage: try image.member("stage").choice(of: Stage.self), wrongCodes: try image["wrong"]?.number31() ?? 0,
            held: try image["held"].map(HeldRequest.init), consent: try image["consent"].map(RowID.init))
    }
}

extension HeldRequest {
    fileprivate var image: JSON {
        .object(known: [
            "method": .string(method), "path": .string(path), "query": (query.flatMap(SecretFields.blanked) ?? query).map(JSON.string),
            "type": contentType.map(JSON.string), "body": .string(Base64.encoded(SecretFields.blanked(body) ?? body)),
            "key": key.map { .string($0.key) }, "key_customer": key?.customer.map(JSON.string),
            "key_operation": key?.operation.map(JSON.string),
        ])
    }

    fileprivate init(_ image: ImageReader) throws(ImageError) {
        let body = try image.member("body")
        guard let bytes = Base64.decoded(try body.text()) else { throw body.wrong("Base64") }
        let customer = try image["key_customer"]?.text()
        let operation = try image["key_operation"]?.text()
        self.init(
            method: try image.member("method").text(), path: try image.member("path").text(), query: try image["query"]?.text(),
            contentType: try image["type"]?.text(), body: bytes,
            key: try image["key"].map { key throws(ImageError) in
                IdempotencyBook.ID(customer: customer, operation: operation, key: try key.text())
            })
    }
}
