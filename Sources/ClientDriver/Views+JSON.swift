package import BankClient
package import BankModel

/// The views of the driver protocol: the data shown to a user, normalised.
package enum ViewJSON {
    package static func accounts(_ listing: Listing<Account>) -> JSON {
        object([("accounts", .array(listing.rows.map(account)))] + age(listing.asOf))
    }

    package static func balance(_ balance: Balance) -> JSON {
        object(
            [
                ("balance", .string(balance.balance.major)), ("available", balance.available.map { .string($0.major) }),
                ("currency", balance.statesCurrency ? .string(balance.balance.currency.code) : nil),
            ] + age(balance.asOf))
    }

    package static func transactions(_ listing: Listing<Transaction>) -> JSON {
        object(
            [
                ("transactions", .array(listing.rows.map(transaction))), ("complete", listing.isComplete ? nil : .bool(false)),
            ] + age(listing.asOf))
    }

    package static func atms(_ listing: Listing<ATM>) -> JSON {
        let rows = listing.rows.map { atm in
            JSON.object([
                "id": .string(atm.id), "name": .string(atm.name), "lat": .string(atm.latitude.digits), "lng": .string(atm.longitude.digits),
            ])
        }
        return object([("atms", .array(rows))] + age(listing.asOf))
    }

    package static func goals(_ listing: Listing<Goal>) -> JSON {
        let rows = listing.rows.map { goal in
            JSON.object([
                "id": .string(goal.id), "name": .string(goal.name), "saved": .string(goal.saved.major),
                "currency": .string(goal.saved.currency.code),
            ])
        }
        return object([("goals", .array(rows))] + age(listing.asOf))
    }

    package static func image(_ image: Image) -> JSON {
        object([("sha256", .string(image.sha256)), ("from_cache", image.isFromCache ? .bool(true) : nil)])
    }

    package static func payment(_ receipt: PaymentReceipt) -> JSON {
        object([("payment", receipt.id.map(JSON.string)), ("state", .string(receipt.state.rawValue))])
    }

    package static func challenge(_ state: ChallengeState, _ receipt: PaymentReceipt?) -> JSON {
        object([
            ("challenge", .string(state.rawValue)), ("payment", receipt?.id.map(JSON.string)),
            ("state", receipt.map { .string($0.state.rawValue) }),
        ])
    }

    package static func consents(_ listing: Listing<GivenConsent>) -> JSON {
        let rows = listing.rows.map { consent in
            object([
                ("id", .string(consent.id)), ("state", .string(consent.state.rawValue)),
                ("accounts", .array(consent.accounts.map(JSON.string))), ("expires", consent.expires.map { .string($0.rfc3339(.seconds)) }),
            ])
        }
        return ["consents": .array(rows)]
    }

    package static func quote(_ quote: PaymentQuote) -> JSON {
        object([("rate", .string(quote.rate)), ("expires_at", quote.expires.map(JSON.string))])
    }

    package static func watched(_ account: ShownAccount) -> JSON {
        object([
            ("balance", .string(account.balance.balance.major)), ("transactions", .array(account.rows.map(transaction))),
            ("stale", account.isStale ? .bool(true) : nil),
        ])
    }

    package static func progress(_ progress: PaymentProgress) -> JSON {
        ["payment": .string(progress.id), "state": .string(progress.state.rawValue)]
    }

    package static func events(_ report: WebhookReceiver.Report) -> JSON {
        let events = report.events.map { event in
            object([("id", .string(event.id)), ("type", .string(event.type)), ("amount", event.amount.map(JSON.string))])
        }
        let payments = report.payments.map { JSON.object(["id": .string($0.id), "state": .string($0.state)]) }
        return ["url": .string(report.address), "events": .array(events), "payments": .array(payments)]
    }

    package static func roundUp(_ roundUp: RoundUp) -> JSON {
        object([
            ("amount", .string(roundUp.amount.major)), ("currency", .string(roundUp.amount.currency.code)),
            ("payment", roundUp.payment.map(JSON.string)),
        ])
    }

    /// A round-up before it is paid: not a view of the protocol, but of the same form.
    package static func preview(_ preview: RoundUpPreview) -> JSON {
        let purchases = preview.purchases.map { purchase in
            JSON.object([
                "date": .string(purchase.day.description), "description": .string(purchase.description),
                "amount": .string(purchase.amount.major), "rounded_up_by": .string(purchase.roundedUpBy.major),
            ])
        }
        return object([
            ("amount", .string(preview.amount.major)), ("currency", .string(preview.amount.currency.code)),
            ("purchases", .array(purchases)),
        ])
    }

    package static func status(signedIn: Bool, prompts: Int) -> JSON { ["signed_in": .bool(signedIn), "prompts": .int(prompts)] }

    private static func account(_ account: Account) -> JSON {
        object([
            ("id", .string(account.id)), ("name", .string(account.name)), ("currency", .string(account.currency.code)),
            ("balance", account.balance.map { .string($0.major) }),
        ])
    }

    private static func transaction(_ row: Transaction) -> JSON {
        object([
            ("id", .string(row.id)), ("date", .string(row.date.description)), ("description", .string(row.description)),
            ("amount", .string(row.amount.major)), ("currency", row.statesCurrency ? .string(row.amount.currency.code) : nil),
            ("pending", row.pending.map(JSON.bool)), ("atm", row.atm.map(JSON.string)),
        ])
    }

    /// Marks old data with its time.
    private static func age(_ asOf: Instant?) -> [(key: String, value: JSON?)] {
        asOf.map { [("stale", .bool(true)), ("as_of", .string($0.rfc3339(.milliseconds)))] } ?? []
    }

    /// An object without the members that are nil.
    private static func object(_ members: [(key: String, value: JSON?)]) -> JSON {
        .object(JSONObject(members.compactMap { member in member.value.map { (member.key, $0) } }))
    }
}
