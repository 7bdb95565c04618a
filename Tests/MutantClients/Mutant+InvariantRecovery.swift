import BankClient
import BankModel
import Platform

/// Mistakes by which a client does not work again when the bank does.
extension Mutant {
    static var invariantRecovery: [Mutant] {
        [
            Mutant(
                "offline-for-good", "sends no payment after a connection has failed once, until it is restarted",
                killedBy: ["invariant.recovers in retry.recovers-after-fault", "retry.recovers-after-fault"]
            ) { parts, _ in
                let isOffline = Locked(false)
                parts.around { request, base throws(TransportFailure) in
                    if request.isPayment, isOffline.withLock({ $0 }) {
                        throw TransportFailure(.offline, "no connection", mayHaveLeft: false)
                    }
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        isOffline.withLock { $0 = true }
                        throw error
                    }
                }
            },
            Mutant(
                "signs-in-with-the-old-token", "sends its first token for payments, even after later sign-ins",
                killedBy: ["invariant.recovers in retry.recovers-after-fault", "retry.recovers-after-fault"]
            ) { parts, _ in
                let first = Locked<String?>(nil)
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if let own = request.headers["Authorization"] {
                        let kept = first.withLock { token in
                            token = token ?? own
                            return token
                        }
                        if request.isPayment { request.headers["Authorization"] = kept }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "sign-in-stays-failed", "treats each sign-in as failed once a connection has failed",
                killedBy: ["invariant.recovers in retry.recovers-after-fault", "retry.recovers-after-fault"]
            ) { parts, _ in
                let hasFailed = Locked(false)
                parts.around { request, base throws(TransportFailure) in
                    let isSignIn = request.method == "POST" && request.headers["Authorization"] == nil
                    do throws(TransportFailure) {
                        let response = try await base.send(request)
                        guard isSignIn, hasFailed.withLock({ $0 }) else { return response }
                    } catch {
                        hasFailed.withLock { $0 = true }
                        throw error
                    }
                    throw TransportFailure(.decode, "the connection has failed", mayHaveLeft: true)
                }
            },
        ]
    }
}
