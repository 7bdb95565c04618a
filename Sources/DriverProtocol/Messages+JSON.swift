import BankModel

/// The reason why a line is not a message of the protocol.
package struct ProtocolError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension HarnessMessage {
    /// The message as one line of JSON, without the line's end.
    package var line: String { json.text }

    var json: JSON {
        switch self {
        case .hello(let version, let nonce): message("hello", [MessageKeys.version.member(version), MessageKeys.nonce.member(nonce)])
        case .start(let start): start.json
        case .step(let id, let n, let operation, let arguments, let now):
            message(
                "step",
                [
                    MessageKeys.caseID.member(id), MessageKeys.n.member(n), MessageKeys.operation.member(operation),
                    MessageKeys.arguments.member(arguments),
                ] + (now.map { [MessageKeys.now.member($0.rfc3339(.milliseconds))] } ?? []))
        case .cancel(let id, let n): message("cancel", [MessageKeys.caseID.member(id), MessageKeys.n.member(n)])
        case .end(let id): message("end", [MessageKeys.caseID.member(id)])
        case .bye: message("bye", [])
        }
    }

    /// Parses the message of a line; unknown fields are ignored.
    package init(line: String) throws(ProtocolError) {
        let reader = try MessageReader(line)
        switch reader.type {
        case "hello": self = .hello(version: try reader.int(MessageKeys.version), nonce: try reader.text(MessageKeys.nonce))
        case "case": self = .start(try CaseStart(reader))
        case "step":
            self = .step(
                case: try reader.text(MessageKeys.caseID), n: try reader.int(MessageKeys.n),
                operation: try reader.text(MessageKeys.operation),
                arguments: reader.json[MessageKeys.arguments.key] ?? .object([:]), now: reader.instant(MessageKeys.now))
        case "cancel": self = .cancel(case: try reader.text(MessageKeys.caseID), n: try reader.int(MessageKeys.n))
        case "end": self = .end(case: try reader.text(MessageKeys.caseID))
        case "bye": self = .bye
        default: throw ProtocolError("found t = \"\(reader.type)\", expected hello, case, step, cancel, end or bye")
        }
    }
}

extension CaseStart {
    var json: JSON {
        var members = [
            MessageKeys.caseID.member(id), CaseKeys.baseURL.member(baseURL), CaseKeys.stateDirectory.member(stateDirectory),
            CaseKeys.bank.member(bank), CaseKeys.roles.member(roles),
            CaseKeys.login.member(login.json),
        ]
        if !customers.isEmpty { members.append(CaseKeys.customers.member(customersJSON)) }
        if let caFile { members.append(CaseKeys.caFile.member(caFile)) }
        if !pins.isEmpty { members.append(CaseKeys.pins.member(pins)) }
        members.append(CaseKeys.timeZone.member(timeZone))
        if let locale { members.append(CaseKeys.locale.member(locale)) }
        var limits = [CaseKeys.connect.member(timeouts.connectMilliseconds), CaseKeys.total.member(timeouts.totalMilliseconds)]
        if let backoff = timeouts.backoffMilliseconds { limits.append(CaseKeys.backoff.member(backoff)) }
        members.append(CaseKeys.timeouts.member(.object(JSONObject(limits))))
        if let now { members.append(CaseKeys.now.member(now.rfc3339(.milliseconds))) }
        if resumed { members.append(CaseKeys.resumed.member(true)) }
        if process > 1 { members.append(CaseKeys.process.member(process)) }
        return message("case", members)
    }

    init(_ reader: MessageReader) throws(ProtocolError) {
        self.init(
            id: try reader.text(MessageKeys.caseID), baseURL: try reader.text(CaseKeys.baseURL),
            stateDirectory: try reader.text(CaseKeys.stateDirectory), bank: try reader.text(CaseKeys.bank),
            login: Login(reader.json[CaseKeys.login.key] ?? .null))
        customers = reader.json[CaseKeys.customers.key]?.array?.map(Login.init) ?? []
        roles = reader.json[CaseKeys.roles.key] ?? .object([:])
        caFile = reader.json[CaseKeys.caFile.key]?.string
        pins = reader.json[CaseKeys.pins.key]?.array?.compactMap(\.string) ?? []
        timeZone = reader.json[CaseKeys.timeZone.key]?.string ?? timeZone
        locale = reader.json[CaseKeys.locale.key]?.string
        if let limits = reader.json[CaseKeys.timeouts.key] {
            timeouts.connectMilliseconds = limits[CaseKeys.connect.key]?.int.map(Int.init) ?? timeouts.connectMilliseconds
            timeouts.totalMilliseconds = limits[CaseKeys.total.key]?.int.map(Int.init) ?? timeouts.totalMilliseconds
            timeouts.backoffMilliseconds = limits[CaseKeys.backoff.key]?.int.map(Int.init)
        }
        now = reader.instant(CaseKeys.now)
        resumed = reader.json[CaseKeys.resumed.key]?.bool ?? false
        process = reader.json[CaseKeys.process.key]?.int.map(Int.init) ?? 1
    }
}

extension CaseStart {
    /// The other customers' logins as a list; the same in both modes of a driver.
    var customersJSON: JSON { .array(customers.map(\.json)) }
}

extension CaseStart.Login {
    fileprivate var json: JSON {
        let credentials = [(CaseKeys.user, user), (CaseKeys.password, password), (CaseKeys.token, token)]
        return .object(JSONObject(credentials.compactMap { field, value in value.map { field.member($0) } }))
    }

    fileprivate init(_ json: JSON) {
        func text(_ field: Field<String>) -> String? { json[field.key]?.string }
        self.init(user: text(CaseKeys.user), password: text(CaseKeys.password), token: text(CaseKeys.token))
    }
}

extension DriverMessage {
    /// The message as one line of JSON, without the line's end.
    package var line: String { json.text }

    var json: JSON {
        switch self {
        case .hello(let hello): hello.json
        case .ready(let id): message("ready", [MessageKeys.caseID.member(id)])
        case .ended(let id): message("ended", [MessageKeys.caseID.member(id)])
        case .result(let id, let n, let result, let note):
            message(
                "result",
                [MessageKeys.caseID.member(id), MessageKeys.n.member(n)] + result.members
                    + (note.map { [MessageKeys.note.member($0)] } ?? []))
        }
    }

    /// Parses the message of a line; unknown fields are ignored.
    package init(line: String) throws(ProtocolError) {
        let reader = try MessageReader(line)
        switch reader.type {
        case "hello": self = .hello(try DriverHello(reader))
        case "ready": self = .ready(case: try reader.text(MessageKeys.caseID))
        case "result":
            self = .result(
                case: try reader.text(MessageKeys.caseID), n: try reader.int(MessageKeys.n), try StepResult(reader),
                note: reader.json[MessageKeys.note.key]?.string)
        case "ended": self = .ended(case: try reader.text(MessageKeys.caseID))
        default: throw ProtocolError("found t = \"\(reader.type)\", expected hello, ready, result or ended")
        }
    }
}

extension DriverMessage {
    /// The case and the step of a result's line, even if the rest of it is unreadable.
    package static func address(ofResult line: String) -> (case: String, n: Int)? {
        guard let json = try? JSON(parsing: line), json["t"]?.string == "result", let id = json[MessageKeys.caseID.key]?.string,
            let n = json[MessageKeys.n.key]?.int
        else { return nil }
        return (id, Int(n))
    }
}

extension DriverHello {
    var json: JSON {
        message(
            "hello",
            [MessageKeys.version.member(version), MessageKeys.nonce.member(nonce), MessageKeys.client.member(client)]
                + (banks.map { [MessageKeys.banks.member($0)] } ?? [])
                + [MessageKeys.operations.member(operations), MessageKeys.features.member(features)])
    }

    init(_ reader: MessageReader) throws(ProtocolError) {
        self.init(
            version: try reader.int(MessageKeys.version), nonce: try reader.text(MessageKeys.nonce),
            client: try reader.text(MessageKeys.client),
            banks: reader.json[MessageKeys.banks.key] == nil ? nil : try reader.texts(MessageKeys.banks),
            operations: try reader.texts(MessageKeys.operations), features: try reader.texts(MessageKeys.features))
    }
}

extension StepResult {
    var members: [(key: String, value: JSON)] {
        switch self {
        case .ok(let view): [MessageKeys.outcome.member("ok"), MessageKeys.view.member(view)]
        case .error(let name, let detail):
            [MessageKeys.outcome.member("error"), MessageKeys.error.member(name)]
                + (detail.map { [MessageKeys.detail.member($0)] } ?? [])
        case .silent(let error): [MessageKeys.outcome.member("silent")] + (error.map { [MessageKeys.error.member($0)] } ?? [])
        case .unsupported: [MessageKeys.outcome.member("unsupported")]
        }
    }

    init(_ reader: MessageReader) throws(ProtocolError) {
        switch try reader.text(MessageKeys.outcome) {
        case "ok":
            let view = reader.json[MessageKeys.view.key] ?? .object([:])
            guard view.object != nil else { throw ProtocolError("found \(view.text.prefix(60)) as `view` of result, expected an object") }
            self = .ok(view: view)
        case "error":
            let error = try ClientError.checked(try reader.text(MessageKeys.error))
            self = .error(error.rawValue, detail: reader.json[MessageKeys.detail.key]?.string)
        case "silent":
            let isNamed = reader.json[MessageKeys.error.key] != nil
            self = .silent(error: isNamed ? try ClientError.checked(try reader.text(MessageKeys.error)).rawValue : nil)
        case "unsupported": self = .unsupported
        case let other:
            let known = MessageKeys.outcomes
            let hint = didYouMean(other, among: known)
            throw ProtocolError("found outcome \"\(other.prefix(60))\", expected \(oneOf(known))\(hint)")
        }
    }
}

/// A line of the protocol: its type, then its members.
private func message(_ type: String, _ members: [(key: String, value: JSON)]) -> JSON {
    .object(JSONObject([(key: "t", value: .string(type))] + members))
}

/// Reads the fields of one line.
struct MessageReader {
    let json: JSON
    let type: String

    init(_ line: String) throws(ProtocolError) {
        do throws(JSONError) { json = try JSON(parsing: line) } catch {
            throw ProtocolError("found a line that is not JSON (\(error)), expected one object per line")
        }
        guard let type = json["t"]?.string else { throw ProtocolError("found no field `t`, expected the message's type there") }
        self.type = type
    }

    func text(_ field: Field<String>) throws(ProtocolError) -> String {
        guard let text = json[field.key]?.string else { throw missing(field.key, "a text") }
        return text
    }

    func int(_ field: Field<Int>) throws(ProtocolError) -> Int {
        guard let number = json[field.key]?.int else { throw missing(field.key, "a whole number") }
        return Int(number)
    }

    func texts(_ field: Field<[String]>) throws(ProtocolError) -> [String] {
        guard let elements = json[field.key]?.array else { throw missing(field.key, "a list of texts") }
        return elements.compactMap(\.string)
    }

    func instant(_ field: Field<String>) -> Instant? { json[field.key]?.string.flatMap(Instant.init(rfc3339:)) }

    private func missing(_ key: String, _ expected: String) -> ProtocolError {
        ProtocolError("found \(json[key].map(\.text) ?? "nothing") as `\(key)` of \(type), expected \(expected)")
    }
}
