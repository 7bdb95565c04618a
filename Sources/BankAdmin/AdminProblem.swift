import BankCore
import BankEngine
import BankModel
import Contracts
import Faults
import NIOHTTP1
import StubServer

/// The reason why an admin call is rejected: problem details whose `detail` has what was expected (RFC 9457).
struct AdminProblem: Error {
    let status: HTTPResponseStatus
    let detail: String
    /// One sentence for each fault of the request's body.
    var complaints: [String] = []
    /// The methods of the path, if the request's is none of them.
    var allowed: [String] = []
    /// The seconds after which a client may try again (RFC 9110 §10.2.3); nil if that is not known.
    var retryAfter: Int?

    /// RFC 9457 §6.1
    static let mediaType = "application/problem+json"

    static let schema = ObjectSchema(
        "a problem", "The reason why a call is rejected: problem details (RFC 9457).",
        members: [
            .always("type", .words(["about:blank"]), "always the same value: the status identifies the problem"),
            .always("title", .anyText, "the status text"), .always("status", .integer(400...599), "the status"),
            .always("detail", .anyText, "the value found, and the value expected"),
            .sometimes(
                "errors",
                .each(
                    ObjectSchema("an error in a body", members: [.always("detail", .anyText, "location, value found and value expected")])),
                "the errors in the body, if it was read"),
        ])

    static func notFound(_ detail: String) -> AdminProblem { AdminProblem(status: .notFound, detail: detail) }
    static func forbidden(_ detail: String) -> AdminProblem { AdminProblem(status: .forbidden, detail: detail) }
    static func badRequest(_ detail: String) -> AdminProblem { AdminProblem(status: .badRequest, detail: detail) }

    /// What it repeats of a request may be as long as the longest body.
    private static func bounded(_ text: String) -> String { text.withShortWords(500).shortened(to: 20_000) }

    var response: AdminResponse {
        var body = JSONObject([
            ("type", "about:blank"), ("title", .string(status.reasonPhrase)), ("status", .int(status.code)),
            ("detail", .string(AdminProblem.bounded(detail))),
        ])
        if !complaints.isEmpty { body["errors"] = .array(complaints.map { ["detail": .string(AdminProblem.bounded($0))] }) }
        var response = AdminResponse.json(.object(body), status: status, type: AdminProblem.mediaType)
        // RFC 9110 §15.5.6
        if !allowed.isEmpty { response.headers.add(name: "Allow", value: allowed.joined(separator: ", ")) }
        if let retryAfter { response.headers.add(name: "Retry-After", value: "\(retryAfter)") }
        return response
    }
}

extension AdminProblem {
    /// Converts an error of the layers below.
    init(_ error: any Error) {
        switch error {
        case let error as AdminProblem: self = error
        case let error as SessionError:
            let status: HTTPResponseStatus =
                switch error {
                case .unknown, .gone, .unknownBank: .notFound
                case .elsewhere, .namedSessionsOnly: .misdirectedRequest
                case .nameTaken, .different, .undeletable: .conflict
                case .badName: .badRequest
                case .tooMany, .quota: .tooManyRequests
                }
            self.init(status: status, detail: error.description)
        case let error as EventError: self.init(status: error.status, detail: error.description)
        case let error as WebhookError: self.init(status: error.status, detail: error.description)
        case let error as AuthorizationError: self.init(status: error.status, detail: error.description)
        case let error as ChallengeError: self.init(status: error.status, detail: error.description)
        case let error as TokenError: self.init(status: error.isUnknown ? .notFound : .unprocessableContent, detail: error.description)
        case let error as ProviderStateError: self.init(status: .unprocessableContent, detail: error.description)
        case let error as RuleError: self.init(status: .unprocessableContent, detail: error.description)
        case let error as OutageError:
            let isRunning = if case .running = error { true } else { false }
            self.init(status: isRunning ? .conflict : .unprocessableContent, detail: error.description)
        case let error as UnknownSuiteError: self.init(status: .badRequest, detail: error.description)
        case let error as StoreError:
            let isRemoved = if case .removed = error { true } else { false }
            self.init(status: isRemoved ? .notFound : .serviceUnavailable, detail: error.description)
        case let error as ClockError: self.init(status: .unprocessableContent, detail: error.description)
        case let error as JSONError: self.init(status: .badRequest, detail: "the body is not JSON: \(error)")
        case let error as ComplaintsError:
            let texts = error.complaints.map(\.description)
            self.init(status: .badRequest, detail: texts.joined(separator: "; "), complaints: texts)
        case ServerError.draining:
            self.init(status: .serviceUnavailable, detail: "\(error)")
            // A proxy that asks `/readyz` has chosen another server by then.
            retryAfter = 1
        case ServerError.noTLS: self.init(status: .unprocessableContent, detail: "\(error)")
        default: self.init(status: .internalServerError, detail: "\(error)")
        }
    }
}

extension EventError {
    fileprivate var status: HTTPResponseStatus {
        switch self {
        case .missing, .needless, .tooLong, .wrongAmount: .badRequest
        case .unknownAccount, .unknownPayment, .unknownConsent: .notFound
        case .tooLittle, .wrongState: .conflict
        case .unknownToBank, .unlisted, .neverClosed, .impossible, .sessionFull: .unprocessableContent
        }
    }
}

extension WebhookError {
    fileprivate var status: HTTPResponseStatus {
        switch self {
        case .unknown, .unknownEvent: .notFound
        case .unknownToBank, .tooMany, .tooManyFaults, .address: .unprocessableContent
        }
    }
}

extension AuthorizationError {
    fileprivate var status: HTTPResponseStatus {
        switch self {
        case .unknown: .notFound
        case .decided: .conflict
        case .bankHasNoSignIn, .unknownCustomer, .rejectedOnPage, .sessionFull: .unprocessableContent
        }
    }
}

extension ChallengeError {
    fileprivate var status: HTTPResponseStatus {
        switch self {
        case .unknown: .notFound
        case .ended: .conflict
        case .sessionFull: .unprocessableContent
        }
    }
}

extension TokenError {
    fileprivate var isUnknown: Bool { if case .unknownToken = self { true } else { false } }
}
