package import BankModel

extension SessionState {
    /// The beginning of a session, from which it can be recreated.
    package var opening: [UInt8] {
        JSON.object(known: [
            "seed": .string(String(seed)), "started": .image(startedAt), "clock": clock.image,
            "begins": beginning.map { ["now": .image($0.now), "mode": .string($0.mode.rawValue), "skew": .image($0.skew)] },
            "terms": metadata.image,
        ]).bytes
    }

    /// A session as it began.
    ///
    /// - Parameter opening: the value of ``opening`` at that time.
    package init(id: String, opening: [UInt8], prepared: PreparedBank, baseURL: String, machineNow: Instant) throws(ImageError) {
        let image = ImageReader(try JSON(image: opening))
        var beginning: VirtualClock.Beginning?
        if let begins = image["begins"] {
            beginning = VirtualClock.Beginning(
                now: try begins.member("now").instant(), mode: try begins.member("mode").choice(of: VirtualClock.Mode.self),
                skew: try begins.member("skew").duration())
        }
        self.init(
            id: id, seed: try image.member("seed").bits(), prepared: prepared, baseURL: baseURL, startedAt: machineNow,
            beginning: beginning, metadata: try SessionMetadata(image["terms"]), began: try image.member("started").instant())
        apply(.clock(try VirtualClock(image.member("clock")), before: nil))
    }

    /// The whole state, as stored in a checkpoint; without the bank, which is in files, and claims of keys, which end with
    /// the server.
    package var image: [UInt8] { imageObject.bytes }

    private var imageObject: JSON {
        let added = rows.added.mapValues { JSON.array($0.rows.map(\.image)) }
        let hidden = rows.hidden.mapValues { keys in JSON.sortedImage(keys.mapValues { JSON.image($0) }) }
        return .object(known: [
            "epoch": .int(epoch), "started": .image(startedAt), "clock": clock.image,
            "latest": latest.nanoseconds == .min ? nil : .image(latest), "random": .string(String(generator.state)),
            "movements": .array(ledger.movements.map(\.image)),
            "tokens": .array(tokens.tokens.map { $0.image(digest: tokens.digest(of: $0)) }), "keys": keys.image,
            "authorizations": authorizations.all.isEmpty ? nil : .array(authorizations.all.map(\.image)),
            "challenges": challenges.all.isEmpty ? nil : .array(challenges.all.map(\.image)), "rows": .sortedImage(added),
            "hidden": hidden.isEmpty ? nil : .sortedImage(hidden), "schedule": schedule.isEmpty ? nil : schedule.image,
            "webhooks": webhooks.webhooks.isEmpty ? nil : .array(webhooks.webhooks.map(\.image)),
            "registered": webhooks.registered == (webhooks.webhooks.last?.number ?? 0) ? nil : .int(webhooks.registered),
            "deliveries": webhooks.deliveries.isEmpty ? nil : .array(webhooks.deliveries.map(\.image)),
            "states": states.isEmpty ? nil : .sortedImage(states.mapValues(JSON.string)), "saved": saved?.state.imageObject,
        ])
    }

    /// Replaces the session's state with a checkpoint.
    package mutating func restore(image bytes: [UInt8]) throws(ImageError) { try restore(ImageReader(try JSON(image: bytes))) }

    private mutating func restore(_ image: ImageReader) throws(ImageError) {
        var state = SessionState(
            id: id, seed: seed, prepared: prepared, baseURL: baseURL, startedAt: startedAt, beginning: beginning, metadata: metadata,
            epoch: try image.member("epoch").number31(), began: try image.member("started").instant())
        state.dropBeginnings()
        state.apply(.clock(try VirtualClock(image.member("clock")), before: nil))
        state.generator = SeededGenerator(state: try image.member("random").bits())
        for movement in try image.member("movements").elements() {
            try state.redo(.moved(try Movement(movement)), path: movement.path)
        }
        for token in try image.member("tokens").elements() { state.apply(.issued(try TokenBook.Token(token))) }
        for authorization in try image["authorizations"]?.elements() ?? [] {
            state.apply(.authorization(try Authorization(authorization), before: nil))
        }
        for challenge in try image["challenges"]?.elements() ?? [] { state.apply(.challenge(try Challenge(challenge), before: nil)) }
        for key in try image.member("keys").elements() {
            let (id, record) = try IdempotencyBook.read(key)
            state.apply(.kept(id, record))
        }
        if let stored = image["webhooks"] { state.apply(try Change(ImageReader(["webhooks": stored.value]), response: nil, prepared)) }
        if let count = image["registered"] { state.webhooks.note(registered: try count.number31()) }
        for delivery in try image["deliveries"]?.elements() ?? [] { state.apply(.delivery(try Delivery(delivery), before: nil)) }
        for (table, rows) in try image.member("rows").members() {
            for row in try rows.elements() {
                try state.redo(.added(table: table, row: try TableRow(row, try prepared.table(table, of: row))), path: row.path)
            }
        }
        for (table, keys) in try image["hidden"]?.members() ?? [] {
            for (key, since) in try keys.members() { state.apply(.hidden(table: table, key: key, since: try since.instant())) }
        }
        if let schedule = image["schedule"] { state.apply(.scheduled(try Schedule(schedule), before: nil)) }
        for (name, value) in try image["states"]?.members() ?? [] { state.apply(.state(variable: name, try value.text(), before: nil)) }
        if let kept = image["saved"] {
            var past = state
            try past.restore(kept)
            state.saved = Change.Past(past)
        }
        if let shown = try image["latest"]?.instant() {
            // Payments that had ended by then were announced.
            state.settle(at: shown)
            state.webhooks.forgetEnds()
        }
        state.forgetEndedPayments()
        (state.isLogged, state.revision, state.addressCheck) = (isLogged, revision + 1, addressCheck)
        self = state
    }
}
