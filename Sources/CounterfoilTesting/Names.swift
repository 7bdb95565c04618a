import BankModel

/// A name from an open set: the library has members for those that it knows, and every string literal is a name too.
public protocol OpenName: RawRepresentable<String>, ExpressibleByStringLiteral, Sendable, Hashable, CustomStringConvertible {
    /// Creates a name.
    init(rawValue: String)
}

extension OpenName {
    /// Creates a name.
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    /// The name as text.
    public var description: String { rawValue }
}

/// The name of a bank: its folder in `Stubs/`.
///
/// The banks that come with the library have members. Your own bank is a string literal, or a member that you add:
///
/// ```swift
/// extension StubBankName {
///     static let corner: Self = "corner"
/// }
/// ```
public struct StubBankName: OpenName {
    /// The folder's name, such as `roundup`.
    public let rawValue: String

    /// Creates the name of a bank.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Berlin Group shapes: consents and payments that the customer authorises on the bank's page.
    public static let berlin: Self = "berlin"
    /// Pages of a list of transactions, and the same list in a file.
    public static let bins: Self = "bins"
    /// The model bank: sign-in and refresh, pages, payments with idempotency keys, goals, ATMs and images.
    public static let counterfoil: Self = "counterfoil"
    /// Transactions between two dates, with icons.
    public static let feed: Self = "feed"
    /// Sign-in by JSON and by a form, and the customer's profile.
    public static let login: Self = "login"
    /// Open Banking UK shapes: consents for accounts and payments, sign-in by authorization code.
    public static let openbanking: Self = "openbanking"
    /// Accounts, a settled feed, and round-ups into savings goals.
    public static let roundup: Self = "roundup"
    /// One document with everything, behind redirects, compressed on request.
    public static let snapshot: Self = "snapshot"
}

extension StubBank {
    /// The login of a customer.
    ///
    /// The customers of the banks that come with the library have members; each bank has some of them, and ``StubBank/customers`` lists
    /// its own. Others are string literals.
    public struct Customer: OpenName {
        /// The login, such as `ava`.
        public let rawValue: String

        /// Creates the login of a customer.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Plain data, at every bank with sign-in; at most banks the first customer.
        public static let ava: Self = "ava"
        /// Plain data: the second customer.
        public static let ben: Self = "ben"
        /// A locked customer: the bank rejects the right password.
        public static let cleo: Self = "cleo"
        /// Accounts for round-ups.
        public static let dora: Self = "dora"
        /// Data that clients stumble over: unknown words, missing members, pending rows.
        public static let elin: Self = "elin"
        /// Large amounts in four currencies.
        public static let nils: Self = "nils"
    }

    /// The role of an operation, the same at every bank.
    public struct Role: OpenName {
        /// The role's name in a bank's file, such as `pay`.
        public let rawValue: String

        /// Creates a role.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Lists the accounts.
        public static let accounts: Self = "accounts"
        /// Lists ATMs.
        public static let atms: Self = "atms"
        /// Returns the balance of an account.
        public static let balance: Self = "balance"
        /// Lists savings goals.
        public static let goals: Self = "goals"
        /// Returns an image.
        public static let image: Self = "image"
        /// Signs a customer in.
        public static let login: Self = "login"
        /// Revokes a token.
        public static let logout: Self = "logout"
        /// Moves money.
        public static let pay: Self = "pay"
        /// Exchanges a refresh token.
        public static let refresh: Self = "refresh"
        /// Lists the transactions of an account.
        public static let transactions: Self = "transactions"
    }
}
