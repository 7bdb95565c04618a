package import BankModel

/// How a bank lets a customer confirm a request by a second factor (step-up, PSD2's strong customer authentication).
package struct ChallengePolicy: Sendable, Hashable {
    package var kind = ChallengeKind.otp
    /// Whether every session challenges; otherwise a session does so if it was made for it.
    package var isOn = false
    /// The right code of every `otp` challenge.
    package var code = "0000"
    /// The number of wrong codes that lock a challenge.
    package var attempts = 3
    package var lifetime: Duration = .seconds(300)
    /// How long a client waits between two polls of a challenge without a code.
    package var interval: Duration = .seconds(2)
    /// The time after which a `decoupled` challenge is approved by itself; nil: somebody must approve it.
    package var approvesAfter: Duration?
    /// The bank's words for the states.
    package var words: [Challenge.Stage: JSON] = [:]

    package init() {}

    /// The challenges of one session, in place of the bank's.
    package enum Setting: String, Sendable, CaseIterable {
        case off, otp, decoupled, redirect

        var kind: ChallengeKind? { ChallengeKind(rawValue: rawValue) }
    }
}

extension Operation {
    /// The requests that a customer must confirm.
    package enum StepUp: Sendable {
        /// Every request, once it is known to be valid.
        case always
        /// Those that move more than this, in minor units of whatever currency.
        case over(Int64)
        /// Those for old rows, a time after the sign-in or the last confirmation.
        case reads(Freshness)

        var freshness: Freshness? { if case .reads(let freshness) = self { freshness } else { nil } }
    }

    /// Shows a challenge, or those of a consent, or takes a code.
    package struct ChallengeCall: Sendable {
        /// The challenge's id; nil for all of the consent.
        package var id: ValueSource?
        /// The code; nil for an operation that shows the challenge alone.
        package var code: ValueSource?
        /// The consent that it is about; nil for a challenge of the token's customer.
        package var consent: Parent?

        package init(id: ValueSource?, code: ValueSource?, consent: Parent? = nil) {
            self.id = id
            self.code = code
            self.consent = consent
        }
    }
}
