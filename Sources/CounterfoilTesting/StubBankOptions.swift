public import Foundation

/// The settings of a stub bank or of a server of stub banks.
public struct StubBankOptions: Sendable, Hashable {
    /// The folder of the banks. Each bank is a folder in it with a `bank.yaml`. The folders `dialects` and `outages` beside them come
    /// before those of the library.
    ///
    /// If nil, the folder is the one that the environment variable `COUNTERFOIL_STUBS` names, or else the banks that come with the
    /// library, as resources: they are there on a phone and in a simulator too.
    public var stubs: URL?

    /// The seed for all random values: tokens, ids, and the requests that a fault with a probability affects.
    ///
    /// The default is fixed, so a test that failed fails again.
    public var seed: UInt64 = 7

    /// The start of the banks' clocks, at first and after ``StubBank/reset()``.
    public var clock = Clock.now

    /// True to serve HTTP/1.1 and HTTP/2 over TLS, false for HTTP/1.1 in clear text.
    ///
    /// With TLS, a client must trust ``StubBank/certificateAuthority``.
    public var tls = false

    /// The challenges with which the banks make users confirm payments and reads of old rows; nil for those of each bank.
    public var challenges: Challenges?

    /// Creates options; each parameter has a default.
    ///
    /// - Parameters:
    ///   - stubs: the folder of the banks; nil to find it as ``stubs`` describes.
    ///   - seed: the seed for all random values.
    ///   - clock: the start of the banks' clocks.
    ///   - tls: true to serve over TLS.
    ///   - challenges: the challenges; nil for those of each bank.
    public init(stubs: URL? = nil, seed: UInt64 = 7, clock: Clock = .now, tls: Bool = false, challenges: Challenges? = nil) {
        self.stubs = stubs
        self.seed = seed
        self.clock = clock
        self.tls = tls
        self.challenges = challenges
    }

    /// How users confirm requests.
    public enum Challenges: String, Sendable, CaseIterable {
        case off
        /// The app sends a code.
        case otp
        /// The user approves in another app.
        case decoupled
        /// The user approves on the bank's sign-in page.
        case redirect
    }

    /// The start of a bank's clock.
    public enum Clock: Sendable, Hashable {
        /// The machine's time; the clock runs.
        case now
        /// That time; the clock runs.
        case running(from: Date)
        /// That time; the clock stays there until a test moves it.
        case frozen(at: Date)
    }
}
