import BankClient
import BankModel

/// A transport with something done around each request.
struct AlteredTransport: HTTPTransport {
    let base: any HTTPTransport
    let around: @Sendable (HTTPRequest, any HTTPTransport) async throws(TransportFailure) -> HTTPResponse

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse { try await around(request, base) }
}

/// A dialect whose verdicts are looked over once more.
struct AlteredRules: ResponseRules {
    let base: any ResponseRules
    let change: @Sendable (HTTPResponse, inout ResponseVerdict) -> Void

    func judge(_ response: HTTPResponse) -> ResponseVerdict {
        var verdict = base.judge(response)
        change(response, &verdict)
        return verdict
    }
}

/// A sender that returns other results than its base, successes and failures.
struct AlteredSender: PaymentSending {
    let base: any PaymentSending
    /// The intent as it is handed on.
    var intent: @Sendable (String) -> String = { $0 }
    var reported: @Sendable (ClientFailure) -> ClientFailure = { $0 }

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        do throws(ClientFailure) { return try await base.pay(self.intent(intent), order) } catch { throw reported(error) }
    }

    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        do throws(ClientFailure) { return try await base.pay(self.intent(intent), workedOut: order) } catch { throw reported(error) }
    }

    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt {
        do throws(ClientFailure) { return try await base.resume(self.intent(intent)) } catch { throw reported(error) }
    }
}

extension ClientParts {
    /// Does something around each request and its answer.
    mutating func around(
        _ body: @escaping @Sendable (HTTPRequest, any HTTPTransport) async throws(TransportFailure) -> HTTPResponse
    ) {
        caller.transport = AlteredTransport(base: caller.transport, around: body)
        // The calls that renew a token go the same way.
        useStore(store)
    }

    /// Looks each answer over before anybody sees it.
    mutating func answers(_ change: @escaping @Sendable (HTTPRequest, inout HTTPResponse) -> Void) {
        around { request, base throws(TransportFailure) in
            var response = try await base.send(request)
            change(request, &response)
            return response
        }
    }

    /// Reports transport failures in another way.
    mutating func failures(_ change: @escaping @Sendable (HTTPRequest, TransportFailure) -> TransportFailure) {
        around { request, base throws(TransportFailure) in
            do throws(TransportFailure) { return try await base.send(request) } catch { throw change(request, error) }
        }
    }

    /// Reports each failure of one kind as another kind.
    mutating func misreport(_ error: ClientError, as other: ClientError) {
        failures { _, failure in
            guard failure.error == error else { return failure }
            var failure = failure
            failure.error = other
            return failure
        }
    }

    /// Looks each verdict over.
    mutating func verdicts(_ change: @escaping @Sendable (HTTPResponse, inout ResponseVerdict) -> Void) {
        caller.rules = AlteredRules(base: caller.rules, change: change)
        useStore(store)
    }
}
