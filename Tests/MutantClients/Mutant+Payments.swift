import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Platform

extension Mutant {
    static var payments: [Mutant] {
        [
            Mutant(
                "new-key-per-attempt", "creates a new idempotency key for each attempt: a retry pays twice",
                killedBy: ["pay.reply-lost-after-commit", "pay.retry-same-bytes"]
            ) { parts, start in
                parts.caller.transport = ColdTransport(start)
                parts.payments = parts.payments.map { NewKeyPerAttempt(base: $0) }
            },
            Mutant("same-key-for-every-intent", "uses one idempotency key for all payments", killedBy: ["pay.new-intent-new-key"]) {
                parts, _ in
                parts.makeKey = { "0f8fad5b-d9cb-469f-a165-70867728950e" }
            },
            Mutant(
                "new-bytes-per-attempt", "writes the attempt number into the body of each attempt",
                killedBy: ["pay.retry-same-bytes"]
            ) {
                parts, start in
                parts.caller.transport = ColdTransport(start)
                parts.payments = parts.payments.map { NewBytesPerAttempt(base: $0) }
            },
            Mutant(
                "ignores-success-false", "treats every success status as a completed payment, whatever the body is",
                killedBy: ["pay.business-failure-is-not-success"]
            ) { parts, _ in
                parts.payments = parts.payments.map { IgnoresRejections(base: $0) }
            },
            Mutant("lost-reply-is-failure", "reports a payment with a lost response as rejected", killedBy: ["pay.reply-lost-after-commit"])
            {
                parts, start in
                var parts = parts
                parts.caller.transport = ColdTransport(start)
                parts.paymentRetry = .never
                return BankClient(parts, sender: parts.paymentSender().map { UnknownIsFailure(base: $0) })
            },
        ]
    }
}

/// A connection for each request: no mistake, but what libcurl sends again by itself on a dying warm connection is the
/// same to the byte, and would hide the mistakes of these mutants, which are made between attempts.
private struct ColdTransport: HTTPTransport {
    private let start: CaseStart

    init(_ start: CaseStart) { self.start = start }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        try await CurlTransport(limits: TransportLimits(start), caFile: start.caFile).send(request)
    }
}

private struct NewKeyPerAttempt: PaymentCalls {
    let base: any PaymentCalls
    let random = RandomSource()

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: order) }

    func call(for entry: OutboxEntry) -> BankCall {
        var entry = entry
        entry.key = random.uuid()
        return base.call(for: entry)
    }

    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        try base.receipt(from: json, for: entry)
    }
}

/// The same order in other bytes: JSON allows any space after its end.
private final class NewBytesPerAttempt: PaymentCalls {
    private let base: any PaymentCalls
    private let attempts = Locked(0)

    init(base: any PaymentCalls) { self.base = base }

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: order) }

    func call(for entry: OutboxEntry) -> BankCall {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        var entry = entry
        // White space alone would mean nothing: bodies are compared by value.
        if entry.body.last == UInt8(ascii: "}") { entry.body = entry.body.dropLast() + Array(",\"attempt\":\(attempt)}".utf8) }
        return base.call(for: entry)
    }

    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        try base.receipt(from: json, for: entry)
    }
}

private struct IgnoresRejections: PaymentCalls {
    let base: any PaymentCalls

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: order) }
    func call(for entry: OutboxEntry) -> BankCall { base.call(for: entry) }
    func receipt(from json: JSON, for entry: OutboxEntry) -> PaymentReceipt {
        PaymentReceipt(id: json["id"]?.string ?? entry.key, state: .accepted)
    }
}

private struct UnknownIsFailure: PaymentSending {
    let base: any PaymentSending

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        do throws(ClientFailure) { return try await base.pay(intent, order) } catch { throw reported(error) }
    }

    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        do throws(ClientFailure) { return try await base.pay(intent, workedOut: order) } catch { throw reported(error) }
    }

    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt {
        do throws(ClientFailure) { return try await base.resume(intent) } catch { throw reported(error) }
    }

    private func reported(_ failure: ClientFailure) -> ClientFailure {
        guard failure.error == .outcomeUnknown else { return failure }
        return ClientFailure(.rejected, "payment failed", mayHaveLeft: true)
    }
}
