package import BankModel

/// A line from the harness to a driver.
package enum HarnessMessage: Sendable, Hashable {
    case hello(version: Int, nonce: String)
    case start(CaseStart)
    /// `operation` is a name of ``DriverOperation``, or an invented one that must be answered with `unsupported`.
    case step(case: String, n: Int, operation: String, arguments: JSON, now: Instant?)
    case cancel(case: String, n: Int)
    case end(case: String)
    case bye
}

/// The parameters of a case at its beginning.
package struct CaseStart: Sendable, Hashable {
    package var id: String
    /// Without a trailing slash.
    package var baseURL: String
    /// The only folder the client may write to.
    package var stateDirectory: String
    package var bank: String
    /// For information: method and absolute path of each role's operations.
    package var roles: JSON = .object([:])
    package var login: Login
    /// The logins of the other customers whom the case's steps sign in. A `login` step names each again, so that a driver may
    /// ignore this.
    package var customers: [Login] = []
    /// A PEM file of the authority to trust besides the system's.
    package var caFile: String?
    /// The keys that the bank's certificate may have, for clients with the feature `pins`: each the SHA-256 of a public key with its
    /// algorithm, in base 64 (RFC 7469 §2.4). The first is in use, the others are in reserve.
    package var pins: [String] = []
    /// The IANA name of the time zone in which days are shown.
    package var timeZone: String = "UTC"
    /// The user's locale, such as `de_DE`, in which amounts are typed; nil if the case does not name one.
    package var locale: String?
    package var timeouts: Timeouts = Timeouts()
    /// The time to use, for clients with the feature `clock`.
    package var now: Instant?
    /// True after a restart: the state directory contains the client's stored state.
    package var resumed: Bool = false
    /// Which process of the app this is: 2 for a second one that works on the same state directory at the same time.
    package var process: Int = 1

    /// The customer's credentials.
    package struct Login: Sendable, Hashable {
        package var user: String?
        package var password: String?
        /// Present only if the bank has no login call.
        package var token: String?

        package init(user: String? = nil, password: String? = nil, token: String? = nil) {
            self.user = user
            self.password = password
            self.token = token
        }
    }

    /// Real time, in milliseconds.
    package struct Timeouts: Sendable, Hashable {
        package var connectMilliseconds: Int = 2000
        /// The limit of one attempt.
        package var totalMilliseconds: Int = 5000
        /// The longest first pause before a retry, for a client whose pauses can be configured; nil if its own pauses are tested.
        package var backoffMilliseconds: Int?

        package init() {}
    }

    package init(id: String, baseURL: String, stateDirectory: String, bank: String, login: Login) {
        self.id = id
        self.baseURL = baseURL
        self.stateDirectory = stateDirectory
        self.bank = bank
        self.login = login
    }
}
