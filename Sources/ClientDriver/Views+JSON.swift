package import BankClient
package import BankModel
import CounterfoilDriver

/// The views of the driver protocol: the data shown to a user, normalised.
package enum ViewJSON {
    package static func accounts(_ listing: Listing<Account>) -> JSON {
        let rows = listing.rows.map {
            DriverRow.account($0.id, name: $0.name, currency: $0.currency.code, balance: $0.balance?.major)
        }
        return DriverView.accounts(rows, age: age(listing.asOf)).json
    }

    package static func balance(_ balance: Balance) -> JSON {
        let currency = balance.statesCurrency ? balance.balance.currency.code : nil
        return DriverView.balance(
            balance.balance.major, available: balance.available?.major, currency: currency, age: age(balance.asOf)
        ).json
    }

    package static func transactions(_ listing: Listing<Transaction>) -> JSON {
        DriverView.transactions(listing.rows.map(transaction), isComplete: listing.isComplete, age: age(listing.asOf)).json
    }

    package static func atms(_ listing: Listing<ATM>) -> JSON {
        let rows = listing.rows.map {
            DriverRow.atm($0.id, name: $0.name, latitude: $0.latitude.digits, longitude: $0.longitude.digits)
        }
        return DriverView.atms(rows, age: age(listing.asOf)).json
    }

    package static func goals(_ listing: Listing<Goal>) -> JSON {
        let rows = listing.rows.map {
            DriverRow.goal($0.id, name: $0.name, saved: $0.saved.major, currency: $0.saved.currency.code)
        }
        return DriverView.goals(rows, age: age(listing.asOf)).json
    }

    package static func image(_ image: Image) -> JSON {
        DriverView.image(sha256: image.sha256, fromCache: image.isFromCache ? true : nil).json
    }

    package static func payment(_ receipt: PaymentReceipt) -> JSON {
        DriverView.payment(receipt.id, state: receipt.state.rawValue).json
    }

    package static func challenge(_ state: ChallengeState, _ receipt: PaymentReceipt?) -> JSON {
        DriverView.challenge(state.rawValue, payment: receipt?.id, state: receipt?.state.rawValue).json
    }

    package static func consents(_ listing: Listing<GivenConsent>) -> JSON {
        let rows = listing.rows.map {
            DriverRow.consent($0.id, state: $0.state.rawValue, accounts: $0.accounts, expires: $0.expires?.rfc3339(.seconds))
        }
        return DriverView.consents(rows).json
    }

    package static func quote(_ quote: PaymentQuote) -> JSON { DriverView.quote(quote.rate, expires: quote.expires).json }

    package static func watched(_ account: ShownAccount) -> JSON {
        let rows = account.rows.map(transaction)
        return DriverView.watched(balance: account.balance.balance.major, rows, age: account.isStale ? DataAge() : nil).json
    }

    package static func progress(_ progress: PaymentProgress) -> JSON {
        DriverView.payment(progress.id, state: progress.state.rawValue).json
    }

    package static func events(_ report: WebhookReceiver.Report) -> JSON {
        let events = report.events.map { DriverRow.event($0.id, type: $0.type, amount: $0.amount) }
        let payments = report.payments.map { DriverRow.payment($0.id, state: $0.state) }
        return DriverView.events(at: report.address, events, payments: payments).json
    }

    package static func roundUp(_ roundUp: RoundUp) -> JSON {
        DriverView.roundUp(roundUp.amount.major, currency: roundUp.amount.currency.code, payment: roundUp.payment).json
    }

    /// A round-up before it is paid: not a view of the protocol, but of the same form.
    package static func preview(_ preview: RoundUpPreview) -> JSON {
        let purchases = preview.purchases.map { purchase in
            JSON.object([
                "date": .string(purchase.day.description), "description": .string(purchase.description),
                "amount": .string(purchase.amount.major), "rounded_up_by": .string(purchase.roundedUpBy.major),
            ])
        }
        return [
            "amount": .string(preview.amount.major), "currency": .string(preview.amount.currency.code), "purchases": .array(purchases),
        ]
    }

    package static func status(signedIn: Bool, prompts: Int) -> JSON { DriverView.status(signedIn: signedIn, prompts: prompts).json }

    private static func transaction(_ row: Transaction) -> DriverRow {
        DriverRow.transaction(
            row.id, date: row.date.description, description: row.description, amount: row.amount.major,
            currency: row.statesCurrency ? row.amount.currency.code : nil, pending: row.pending, atm: row.atm)
    }

    /// Marks old data with its time.
    private static func age(_ asOf: Instant?) -> DataAge? { asOf.map { DataAge(of: $0) } }
}
