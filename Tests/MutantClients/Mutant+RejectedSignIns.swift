import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Foundation
import Platform

/// Mistakes in what a client makes of a sign-in that fails.
extension Mutant {
    static var rejectedSignIns: [Mutant] {
        [
            Mutant(
                "signed-in-whatever-comes", "treats every sign-in as successful, and invents a token",
                killedBy: [
                    "signin.wrong-password", "signin.locked-account", "signin.refusal-without-json", "signin.refusal-inside-success",
                    "signin.bank-fails", "signin.no-reply", "signin.status-says-nobody",
                ]
            ) { parts, _ in
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                        return Token(access: "none")
                    }
                }
            },
            Mutant(
                "no-token-is-a-token", "uses the token `undefined` if a successful sign-in returns none",
                killedBy: ["signin.success-without-token", "signin.success-without-json", "signin.empty-success"]
            ) { parts, _ in
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                        guard error.error == .decode else { throw error }
                        return Token(access: "undefined")
                    }
                }
            },
            Mutant(
                "tries-the-password-again", "retries a rejected password three times, which locks the account at many banks",
                killedBy: ["signin.wrong-password", "signin.locked-account"]
            ) { parts, _ in
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    for _ in 1...3 {
                        do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                            guard [.unauthorized, .rejected].contains(error.error) else { throw error }
                        }
                    }
                    return try await bank.signIn(caller, user: user, password: password)
                }
            },
            Mutant(
                "spins-at-sign-in", "waits forever for the response to a sign-in", killedBy: ["signin.no-reply"]
            ) { parts, _ in
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                        if error.error == .timeout { try? await caller.clock.sleep(for: .seconds(11)) }
                        throw error
                    }
                }
            },
            Mutant(
                "signs-in-once-a-start", "reports the result of its first sign-in for every later one",
                killedBy: ["signin.works-afterwards"]
            ) { parts, _ in
                let first = Locked<ClientFailure?>(nil)
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    if let failure = first.withLock({ $0 }) { throw failure }
                    do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                        first.withLock { $0 = error }
                        throw error
                    }
                }
            },
            Mutant("logs-failed-sign-ins", "logs a failed sign-in with its password", killedBy: ["signin.wrong-password"]) {
                parts, _ in
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                        StandardStreams.warn("signing in as \(user) with \(password) failed")
                        throw error
                    }
                }
            },
            Mutant(
                "failed-sign-in-keeps-the-last", "leaves the customer before signed in if a sign-in fails",
                killedBy: ["signin.failed-ends-the-one-before"]
            ) { parts, _ in
                parts.caller.keeper = KeepsLastSignIn(base: parts.caller.keeper)
            },
            Mutant(
                "remembers-failed-passwords", "stores the password of a failed sign-in in a file, for a later retry",
                killedBy: ["signin.wrong-password"]
            ) { parts, start in
                let file = start.stateDirectory + "/last-login.txt"
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                        _ = FileManager.default.createFile(
                            atPath: file, contents: Data("\(user) \(password)".utf8), attributes: [.posixPermissions: 0o600])
                        throw error
                    }
                }
            },
            Mutant(
                "password-in-address", "retries a rejected sign-in with the password in the URL",
                killedBy: ["signin.wrong-password"]
            ) { parts, _ in
                parts.signIn { caller, user, password, bank throws(ClientFailure) in
                    do throws(ClientFailure) { return try await bank.signIn(caller, user: user, password: password) } catch {
                        var caller = caller
                        caller.transport = AlteredTransport(base: caller.transport) { request, base throws(TransportFailure) in
                            var request = request
                            request.url += "?password=\(password)"
                            return try await base.send(request)
                        }
                        return try await bank.signIn(caller, user: user, password: password)
                    }
                }
            },
        ]
    }
}

/// A bank's calls to sign in, with something done around the first of them.
private struct AlteredSigning: SigningInBank {
    typealias SignIn =
        @Sendable (BankCaller, _ user: String, _ password: String, any SigningInBank) async throws(ClientFailure) -> Token

    let base: any SigningInBank
    let around: SignIn

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        try await around(caller, user, password, base)
    }

    func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token { try await base.refresh(caller, refresh) }
    func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) { try await base.revoke(caller, token) }
}

/// Signs nobody out.
private struct KeepsLastSignIn: ForwardingKeeper {
    let base: any TokenKeeping

    func signOut() async throws(ClientFailure) -> Token? { nil }
}

extension ClientParts {
    /// Does something around each sign-in by name and password.
    fileprivate mutating func signIn(_ around: @escaping AlteredSigning.SignIn) {
        signing = signing.map { AlteredSigning(base: $0, around: around) }
    }
}
