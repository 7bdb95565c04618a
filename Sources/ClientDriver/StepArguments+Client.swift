package import BankClient
package import BankModel
package import CounterfoilDriver

extension StepArguments {
    package var period: Period {
        Period(from: self["from"].flatMap(Instant.init(rfc3339:)), to: self["to"].flatMap(Instant.init(rfc3339:)))
    }

    /// The requested payment.
    ///
    /// `raw_amount`, what the user typed, counts before `amount`.
    ///
    /// - Parameter typed: reads what the user typed.
    /// - Throws: ``ClientFailure`` `rejected` if an argument is missing or cannot be read: such a payment is not sent.
    package func order(_ typed: any TypedAmountReading = TypedAmounts()) throws(ClientFailure) -> PaymentOrder {
        guard let from = self["from"], let to = self["to"], let currency = self["currency"].flatMap(Currency.init),
            let text = self["amount"]
        else { throw ClientFailure(.rejected, "a payment needs from, to, amount and currency", mayHaveLeft: false) }
        if let raw = self["raw_amount"] {
            guard let amount = typed.money(typed: raw, currency) else {
                throw ClientFailure(.rejected, "the amount: found \"\(raw)\", which is ambiguous", mayHaveLeft: false)
            }
            return PaymentOrder(from: from, to: to, amount: amount)
        }
        do throws(MoneyError) {
            return PaymentOrder(from: from, to: to, amount: try Money(major: text, currency: currency))
        } catch {
            throw ClientFailure(.rejected, "the amount: \(error)", mayHaveLeft: false)
        }
    }

    /// The amount for which a rate is asked, and the payee's currency.
    package func quoted() throws(ClientFailure) -> (amount: Money, target: Currency) {
        guard let currency = self["currency"].flatMap(Currency.init), let target = self["target"].flatMap(Currency.init),
            let amount = self["amount"].flatMap({ try? Money(major: $0, currency: currency) })
        else { throw ClientFailure(.rejected, "a quote needs amount, currency and target", mayHaveLeft: false) }
        return (amount, target)
    }

    /// - Throws: ``ClientFailure`` `rejected`, with that reason, if the argument is missing.
    package func required(_ name: String, _ reason: String) throws(ClientFailure) -> String {
        guard let text = self[name] else { throw ClientFailure(.rejected, reason, mayHaveLeft: false) }
        return text
    }

    package func intent() throws(ClientFailure) -> String { try required("intent", "a payment needs an intent") }
}
