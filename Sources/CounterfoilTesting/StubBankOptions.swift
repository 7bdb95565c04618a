public import Foundation

/// How stub banks are to be run.
public struct StubBankOptions: Sendable, Hashable {
    /// The folder of the banks: each a folder in it with a `bank.yaml`, beside `dialects` and `outages`.
    ///
    /// Nil: the folder that the environment's `COUNTERFOIL_STUBS` names; without that the `Stubs` of the checkout of
    /// Counterfoil that this library was built from. Where neither can be read, as on a phone, make the folder a resource of
    /// your test target and name it here.
    public var stubs: URL?

    /// All that looks random follows from it: tokens, ids, which requests a fault with a probability strikes.
    ///
    /// It is always the same unless you choose another: a test that failed fails again.
    public var seed: UInt64 = 7

    /// Where clocks begin, at first and after ``StubBank/reset()``.
    public var clock = Clock.now

    /// Serve under TLS, HTTP/1.1 and HTTP/2, and not in clear text; ``StubBank/certificateAuthority`` is what a client must
    /// trust.
    public var tls = false

    /// The usual options, with some of them changed.
    ///
    /// - Parameters:
    ///   - stubs: the folder of the banks.
    ///   - seed: from which all that looks random follows.
    ///   - clock: where clocks begin.
    ///   - tls: serve under TLS.
    public init(stubs: URL? = nil, seed: UInt64 = 7, clock: Clock = .now, tls: Bool = false) {
        (self.stubs, self.seed, self.clock, self.tls) = (stubs, seed, clock, tls)
    }

    /// Where a bank's clock begins.
    public enum Clock: Sendable, Hashable {
        /// It shows the machine's time, and runs.
        case now
        /// It begins at that time, and runs.
        case running(from: Date)
        /// It stands at that time until it is moved.
        case frozen(at: Date)
    }
}
