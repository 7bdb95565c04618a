import DriverProtocol
import Foundation

/// Turns a client into a driver: Counterfoil operates it, and reads what the user would see.
///
/// ```swift
/// @main
/// enum Main {
///     static func main() async {
///         await Driver("acme-bank 2.1", banks: ["counterfoil"]) { start in Bank(start.baseURL) }
///             .on(.login) { bank, step in
///                 try await bank.signIn(step.user, step.password)
///                 return .signedIn(true)
///             }
///             .run()
///     }
/// }
/// ```
///
/// Steps run at the same time, each as a separate task and off the main thread; `{ @MainActor bank, step in … }` runs an operation on
/// the main actor. A cancelled step is a cancelled task. The main queue runs on beside them, so a
/// client may use the main actor and `DispatchQueue.main`. The client's own prints go to standard error.
public struct Driver<Client: Sendable>: Sendable {
    /// Performs one operation of the client, and returns the data that the user sees.
    ///
    /// It throws a ``DriverFailure``, or an error of URLSession, of decoding, or `CancellationError`, which are mapped, or one of the client's
    /// own that ``failures(_:)`` maps. Any other error is a bug in the driver and ends the program: a client that has ended is noticed at
    /// once, one without text is not.
    public typealias Handler = @Sendable (_ client: Client, _ step: DriverStep) async throws -> DriverView

    let name: String
    let banks: [String]?
    let features: [ClientFeature]
    let open: @Sendable (DriverCase) async throws -> Client
    private(set) var ownFailure: @Sendable (any Error) -> DriverFailure? = { _ in nil }
    private(set) var handlers: [ClientOperation: Handler] = [:]

    /// A driver without operations.
    ///
    /// - Parameters:
    ///   - name: the client's name and version.
    ///   - banks: those that the client supports; nil for all.
    ///   - features: what it can do beyond single operations.
    ///   - processPerCase: whether the client keeps state in memory from one case to the next, such as static variables or a shared
    ///     URL session; each case then gets a separate process (feature `fresh`).
    ///   - open: makes the client of a case.
    public init(
        _ name: String, banks: [String]? = nil, features: [ClientFeature] = [], processPerCase: Bool = false,
        open: @escaping @Sendable (DriverCase) async throws -> Client
    ) {
        self.name = name
        self.banks = banks
        self.features = processPerCase && !features.contains(.fresh) ? features + [.fresh] : features
        self.open = open
    }

    /// The driver with one operation more.
    public func on(_ operation: ClientOperation, perform handler: @escaping Handler) -> Driver {
        var driver = self
        driver.handlers[operation] = handler
        return driver
    }

    /// The driver with the meaning of the client's own errors.
    ///
    /// - Parameter meaning: gives the failure that an error means; nil for any other than the client's own.
    public func failures(_ meaning: @escaping @Sendable (any Error) -> DriverFailure?) -> Driver {
        var driver = self
        driver.ownFailure = meaning
        return driver
    }

    /// Operates the client until standard input ends.
    ///
    /// With `--try URL [OPERATION [NAME=VALUE]…]…` as arguments it performs these operations once and prints their results.
    ///
    /// - Parameter arguments: those of the program, its name first.
    public func run(arguments: [String] = CommandLine.arguments) async {
        let output = LineOutput.claimingStandardOutput()
        let errors = LineOutput(descriptor: STDERR_FILENO)
        if arguments.dropFirst().first == "--try" {
            guard let trial = Trial(arguments.dropFirst(2)) else {
                errors.write(Trial.usage)
                exit(2)
            }
            return await attempt(trial) { output.write($0) }
        }
        var loop = DriverLoop(DrivenClient(driver: self), write: { output.write($0.line) }, complain: { errors.write("driver: \($0)") })
        await loop.run(LineInput.lines())
    }

    /// Operates the client on separate tasks and returns immediately: for a program that then runs a main loop by itself, as an app does.
    ///
    /// - Parameter atEnd: called when standard input has ended and all steps are finished; nil exits the program with 0.
    public func start(atEnd: (@Sendable () -> Void)? = nil) {
        Task.detached {
            await run()
            if let atEnd { atEnd() } else { exit(0) }
        }
    }
}
