import BankModel

extension Webhook {
    var image: JSON {
        .object(known: [
            "number": .int(number), "url": .string(receiver.url),
            "types": receiver.types.map { types in .array(types.map(\.rawValue).sorted().map(JSON.string)) },
            "sign": receiver.signature.map { .string($0.rawValue) }, "rotations": .int(rotations), "rotated": rotatedAt.map { .image($0) },
            "faults": .array(faults.map { .string($0.rawValue) }), "row": row?.image,
            "about": about == .session ? nil : .string(about.rawValue),
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        var receiver = WebhookPolicy.Receiver(url: try image.member("url").text())
        if let types = image["types"] {
            receiver.types = Set(try types.list { type throws(ImageError) in try type.choice(of: WebhookEvent.Kind.self) })
        }
        receiver.signature = try image["sign"]?.choice(of: WebhookSignature.self)
        self.init(number: try image.member("number").number31(), receiver)
        rotations = try image.member("rotations").number31()
        rotatedAt = try image["rotated"]?.instant()
        for fault in try image.member("faults").elements() { faults.append(try fault.choice(of: DeliveryFault.self)) }
        row = try image["row"].map(RowID.init)
        about = try image["about"]?.choice(of: Operation.Registration.Subject.self) ?? .session
    }
}

extension Delivery {
    var image: JSON {
        .object(known: [
            "number": .int(number), "webhook": .int(webhook), "event": .string(event.id), "type": .string(event.kind.rawValue),
            "created": .image(event.created), "object": .object(event.object), "table": event.table.map(JSON.string),
            "movement": .int(movement), "fault": fault.map { .string($0.rawValue) }, "attempts": .array(attempts.map(\.image)),
            "next": next.map { .image($0) },
        ])
    }

    init(_ image: ImageReader) throws(ImageError) {
        let object = try image.member("object")
        guard let members = object.value.object else { throw object.wrong("an object") }
        self.init(
            number: try image.member("number").number31(), webhook: try image.member("webhook").int(),
            event: WebhookEvent(
                id: try image.member("event").text(), kind: try image.member("type").choice(of: WebhookEvent.Kind.self),
                created: try image.member("created").instant(), object: members, table: try image["table"]?.text()),
            movement: try image.member("movement").int(), fault: try image["fault"]?.choice(of: DeliveryFault.self),
            next: try image["next"]?.instant())
        attempts = try image.member("attempts").list(Attempt.init)
    }
}

extension Delivery.Attempt {
    fileprivate var image: JSON {
        .object(known: [
            "at": .image(at), "status": status.map { .int($0) }, "failure": failure.map(JSON.string),
            "fault": fault.map { .string($0.rawValue) }, "milliseconds": .int(milliseconds), "silent": tookTooLong ? true : nil,
            "ahead": clockOffset == 0 ? nil : .int(clockOffset),
        ])
    }

    fileprivate init(_ image: ImageReader) throws(ImageError) {
        self.init(
            at: try image.member("at").instant(), status: try image["status"]?.int(),
            failure: try image["failure"]?.text(), fault: try image["fault"]?.choice(of: DeliveryFault.self),
            milliseconds: try image.member("milliseconds").int())
        tookTooLong = try image["silent"]?.bool() ?? false
        clockOffset = try image["ahead"]?.int() ?? 0
    }
}
