package import BankModel

/// The keys of the lines that harness and driver exchange. Keys that are not here are passed over by both.
package enum MessageKeys {
    static let caseID = Field(required: "case", .line, "the case's id")
    static let n = Field(required: "n", .whole, "the step's number")
    static let version = Field(required: "v", .whole, "the version of the protocol: 1")
    static let nonce = Field(required: "nonce", .line, "a word chosen by the harness, which the driver sends back")

    // MARK: steps

    static let operation = Field(
        required: "op", .line, "the requested operation; if the client does not have it, the outcome is `unsupported`")
    static let arguments = Field("args", .value(.any), "arguments by name, an object")
    static let now = Field("now", .line, "the current time, for clients with the feature `clock`")

    // MARK: results

    static let outcomes = ["ok", "error", "silent", "unsupported"]
    static let outcome = Field(
        required: "outcome", Format<String>(.words(outcomes), read: { $0.scalar(else: $1) }, write: { .string($0) }),
        "displayed data, an error, no display to the user, or an unsupported operation")
    static let view = Field(
        "view", .value(.anyOf(DriverOperation.allCases.map { ViewShape(of: $0).schema(of: $0) })), "the data that the client displays")
    static let error = Field(
        "error", Format<String>(.words(ClientError.allCases.map(\.rawValue)), read: { $0.scalar(else: $1) }, write: { .string($0) }),
        "the kind of error, with the outcome `error`; with `silent` the error that the client received but did not show")
    static let detail = Field("detail", .line, "free text about an error")
    static let note = Field("note", .line, "free text from the driver, shown in reports")

    // MARK: the driver's greeting

    static let client = Field(required: "client", .line, "name and version, such as `acme-bank 2.1`")
    static let banks = Field("banks", .lines, "the banks that it supports; if omitted, all")
    static let operations = Field(required: "operations", .lines, "the operations that it supports")
    static let features = Field(required: "features", .lines, "the features that it supports beyond single operations: \(featureNames)")

    private static var featureNames: String { DriverFeature.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }

    // MARK: messages

    /// A message: `t` names its kind.
    static func message(_ type: String, _ what: String, _ about: String, _ fields: [any AnyField] = []) -> ObjectSchema {
        let name = Field(required: "t", Format<String>(.words([type]), read: { $0.scalar(else: $1) }), "the message's type")
        return ObjectSchema(what, about, fields: [name] + fields, others: .any)
    }

    static let harness: [ObjectSchema] = [
        message("hello", "line `hello` of the harness", "The first line from the harness.", [version, nonce]),
        CaseKeys.schema,
        message(
            "step", "line `step`", "Requests an operation of the client; the response is a result.", [caseID, n, operation, arguments, now]),
        message("cancel", "line `cancel`", "Cancels a step, for clients with the feature `cancel`.", [caseID, n]),
        message("end", "line `end`", "Ends the case; the response is ended.", [caseID]),
        message("bye", "line `bye`", "The last line: the driver exits."),
    ]

    static let driver: [ObjectSchema] = [
        message(
            "hello", "line `hello` of the driver", "The driver's description of its client.",
            [version, nonce, client, banks, operations, features]),
        message("ready", "line `ready`", "The response to a case: the client is ready.", [caseID]),
        message("result", "line `result`", "The outcome of a step.", [caseID, n, outcome, view, error, detail, note]),
        message("ended", "line `ended`", "The response to an end.", [caseID]),
    ]

    /// Every line of both sides.
    package static let schema = Schema.anyOf((harness + driver).map(Schema.object))
}

/// The keys of a case's beginning.
enum CaseKeys {
    static let baseURL = Field(required: "base_url", .line, "the bank's address, without a slash at the end")
    static let stateDirectory = Field(required: "state_dir", .line, "the only folder that the client may write to")
    static let bank = Field(required: "bank", .line, "the bank's name")
    static let roles = Field("roles", .value(.any), "for information: method and absolute path of each role's operations")
    static let login = Field("login", .value(.object(loginSchema)), "the customer who signs in")
    static let customers = Field(
        "customers", .value(.list(.object(loginSchema), atLeast: 0)), "the other customers whom steps of the case sign in")
    static let caFile = Field("ca_file", .line, "a PEM file of the authority to trust besides the system's")
    static let pins = Field(
        "pins", .lines,
        "for clients with the feature `pins`: the keys that the bank's certificate may have, the one in use first, each as the SHA-256 of "
            + "its SubjectPublicKeyInfo in base 64")
    static let timeZone = Field("time_zone", .line, "the IANA name of the time zone in which days are shown")
    static let locale = Field("locale", .line, "the user's locale, such as `de_DE`; the process also has it in LANG and LC_ALL")
    static let timeouts = Field("timeouts", .value(.object(timeoutsSchema)), "the client's time limits, in real time")
    static let now = Field("now", .line, "the current time, for clients with the feature `clock`")
    static let resumed = Field(
        "resumed", .bool, "set after a restart, or in a second process: the folder contains the client's stored state")
    static let process = Field("process", .whole, "2: a second process of the app, on the same folder at the same time")

    static let user = Field("user", .line, "the name")
    static let password = Field("password", .line, "the password")
    static let token = Field("token", .line, "a token, if the bank has no login operation")
    private static let loginSchema = ObjectSchema("login", "The customer who signs in.", fields: [user, password, token], others: .any)

    static let connect = Field("connect_ms", .whole, "the time limit for connecting, in milliseconds")
    static let total = Field("total_ms", .whole, "the time limit for one attempt, in milliseconds")
    static let backoff = Field(
        "backoff_ms", .whole,
        "the maximum first pause before a retry, in milliseconds, for clients whose pauses can be configured; missing if their "
            + "own pauses are tested")
    private static let timeoutsSchema = ObjectSchema(
        "limits", "The client's time limits, in real time.", fields: [connect, total, backoff], others: .any)

    static let schema = MessageKeys.message(
        "case", "line `case`", "Begins a case; the response is ready.",
        [
            MessageKeys.caseID, baseURL, stateDirectory, bank, roles, login, customers, caFile, pins, timeZone, locale, timeouts, now,
            resumed, process,
        ])
}

extension ViewShape {
    fileprivate func schema(of operation: DriverOperation) -> Schema {
        .object(schema("the view of \(operation.rawValue)", "The data that `\(operation.rawValue)` displays."))
    }

    private func schema(_ what: String, _ about: String) -> ObjectSchema {
        ObjectSchema(what, about, fields: fields.map { $0.schema(in: what) }, others: .any)
    }
}

extension ViewShape.Kind {
    fileprivate func schema(in what: String) -> Schema {
        switch self {
        case .text(let example): .text(TextSchema("a text such as `\(example)`"))
        case .bool: .bool
        case .whole: .integer(0...Int.max)
        case .texts: .list(.text(TextSchema("a text")), atLeast: 0)
        case .rows(let shape):
            .list(.object(ObjectSchema("a row of \(what)", fields: shape.fields.map { $0.schema(in: what) }, others: .any)), atLeast: 0)
        }
    }
}

extension ViewShape.Field {
    fileprivate func schema(in what: String) -> FieldSchema {
        FieldSchema(
            key: name, schema: .anyOf([kind.schema(in: "\(what) \(name)"), .nothing]), isRequired: presence == .always, standard: nil,
            help: presence == .optional ? "optional for clients" : "shown if the bank has it")
    }
}

extension Node {
    /// The text; a complaint if this is none.
    fileprivate func scalar(else complaints: Complaints) -> String? { scalar ?? wrong(complaints, "a text") }
}

extension Format<String> {
    fileprivate static var line: Format {
        Format(.text(TextSchema("a text", pattern: "[\\s\\S]*")), read: { $0.scalar(else: $1) }, write: { .string($0) })
    }
}

extension Format<[String]> {
    fileprivate static var lines: Format {
        Format(.list(Format<String>.line.schema, atLeast: 0), read: { $0.texts($1) }, write: { .array($0.map(JSON.string)) })
    }
}

extension Format<Int> {
    fileprivate static var whole: Format { .int(in: 0...Int.max) }
}

extension Format<JSON> {
    /// A value of the protocol's own, which is read by itself.
    fileprivate static func value(_ schema: Schema) -> Format { Format(schema, read: { node, _ in node.json }, write: { $0 }) }
}
