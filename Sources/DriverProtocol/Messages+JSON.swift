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
        case .hello(let version, let nonce): ["t": "hello", "v": .int(version), "nonce": .string(nonce)]
        case .start(let start): start.json
        case .step(let id, let n, let operation, let arguments, let now):
            .object(
                JSONObject(
                    [
                        ("t", "step"), ("case", .string(id)), ("n", .int(n)), ("op", .string(operation)), ("args", arguments),
                    ] + (now.map { [("now", .string($0.rfc3339(.milliseconds)))] } ?? [])))
        case .cancel(let id, let n): ["t": "cancel", "case": .string(id), "n": .int(n)]
        case .end(let id): ["t": "end", "case": .string(id)]
        case .bye: ["t": "bye"]
        }
    }

    /// Parses the message of a line; unknown fields are ignored.
    package init(line: String) throws(ProtocolError) {
        let reader = try MessageReader(line)
        switch reader.type {
        case "hello": self = .hello(version: try reader.int("v"), nonce: try reader.text("nonce"))
        case "case": self = .start(try CaseStart(reader))
        case "step":
            self = .step(
                case: try reader.text("case"), n: try reader.int("n"), operation: try reader.text("op"),
                arguments: reader.json["args"] ?? .object([:]), now: reader.instant("now"))
        case "cancel": self = .cancel(case: try reader.text("case"), n: try reader.int("n"))
        case "end": self = .end(case: try reader.text("case"))
        case "bye": self = .bye
        default: throw ProtocolError("found t = \"\(reader.type)\", expected hello, case, step, cancel, end or bye")
        }
    }
}

extension CaseStart {
    var json: JSON {
        var object: JSONObject = JSONObject([
            ("t", "case"), ("case", .string(id)), ("base_url", .string(baseURL)), ("state_dir", .string(stateDirectory)),
            ("bank", .string(bank)), ("roles", roles),
        ])
        let credentials = [("user", login.user), ("password", login.password), ("token", login.token)]
        object["login"] = .object(JSONObject(credentials.compactMap { name, value in value.map { (name, .string($0)) } }))
        object["ca_file"] = caFile.map(JSON.string)
        object["time_zone"] = .string(timeZone)
        object["timeouts"] = [
            "connect_ms": .int(timeouts.connectMilliseconds), "total_ms": .int(timeouts.totalMilliseconds),
        ]
        object["now"] = now.map { .string($0.rfc3339(.milliseconds)) }
        if resumed { object["resumed"] = true }
        return .object(object)
    }

    init(_ reader: MessageReader) throws(ProtocolError) {
        let login = reader.json["login"]
        self.init(
            id: try reader.text("case"), baseURL: try reader.text("base_url"), stateDirectory: try reader.text("state_dir"),
            bank: try reader.text("bank"),
            login: Login(user: login?["user"]?.string, password: login?["password"]?.string, token: login?["token"]?.string))
        roles = reader.json["roles"] ?? .object([:])
        caFile = reader.json["ca_file"]?.string
        timeZone = reader.json["time_zone"]?.string ?? timeZone
        if let limits = reader.json["timeouts"] {
            timeouts.connectMilliseconds = limits["connect_ms"]?.int.map(Int.init) ?? timeouts.connectMilliseconds
            timeouts.totalMilliseconds = limits["total_ms"]?.int.map(Int.init) ?? timeouts.totalMilliseconds
        }
        now = reader.instant("now")
        resumed = reader.json["resumed"]?.bool ?? false
    }
}

extension DriverMessage {
    /// The message as one line of JSON, without the line's end.
    package var line: String { json.text }

    var json: JSON {
        switch self {
        case .hello(let hello): hello.json
        case .ready(let id): ["t": "ready", "case": .string(id)]
        case .ended(let id): ["t": "ended", "case": .string(id)]
        case .result(let id, let n, let result, let note):
            .object(
                JSONObject(
                    [("t", "result"), ("case", .string(id)), ("n", .int(n))] + result.members
                        + (note.map { [("note", .string($0))] } ?? [])))
        }
    }

    /// Parses the message of a line; unknown fields are ignored.
    package init(line: String) throws(ProtocolError) {
        let reader = try MessageReader(line)
        switch reader.type {
        case "hello": self = .hello(try DriverHello(reader))
        case "ready": self = .ready(case: try reader.text("case"))
        case "result":
            self = .result(
                case: try reader.text("case"), n: try reader.int("n"), try StepResult(reader), note: reader.json["note"]?.string)
        case "ended": self = .ended(case: try reader.text("case"))
        default: throw ProtocolError("found t = \"\(reader.type)\", expected hello, ready, result or ended")
        }
    }
}

extension DriverMessage {
    /// The case and the step of a result's line, even if the rest of it is unreadable.
    package static func address(ofResult line: String) -> (case: String, n: Int)? {
        guard let json = try? JSON(parsing: line), json["t"]?.string == "result", let id = json["case"]?.string, let n = json["n"]?.int
        else { return nil }
        return (id, Int(n))
    }
}

extension DriverHello {
    var json: JSON {
        var object = JSONObject([("t", "hello"), ("v", .int(version)), ("nonce", .string(nonce)), ("client", .string(client))])
        object["banks"] = banks.map { .array($0.map(JSON.string)) }
        object["operations"] = .array(operations.map(JSON.string))
        object["features"] = .array(features.map(JSON.string))
        return .object(object)
    }

    init(_ reader: MessageReader) throws(ProtocolError) {
        self.init(
            version: try reader.int("v"), nonce: try reader.text("nonce"), client: try reader.text("client"),
            banks: reader.json["banks"] == nil ? nil : try reader.texts("banks"), operations: try reader.texts("operations"),
            features: try reader.texts("features"))
    }
}

extension StepResult {
    var members: [(key: String, value: JSON)] {
        switch self {
        case .ok(let view): [("outcome", "ok"), ("view", view)]
        case .error(let name, let detail):
            [("outcome", "error"), ("error", .string(name))] + (detail.map { [("detail", .string($0))] } ?? [])
        case .silent: [("outcome", "silent")]
        case .unsupported: [("outcome", "unsupported")]
        }
    }

    init(_ reader: MessageReader) throws(ProtocolError) {
        switch try reader.text("outcome") {
        case "ok":
            let view = reader.json["view"] ?? .object([:])
            guard view.object != nil else { throw ProtocolError("found \(view.text.prefix(60)) as `view` of result, expected an object") }
            self = .ok(view: view)
        case "error": self = .error(try ClientError.checked(try reader.text("error")).rawValue, detail: reader.json["detail"]?.string)
        case "silent": self = .silent
        case "unsupported": self = .unsupported
        case let other:
            let known = ["ok", "error", "silent", "unsupported"]
            let hint = nearestName(to: other, among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw ProtocolError("found outcome \"\(other.prefix(60))\", expected \(oneOf(known))\(hint)")
        }
    }
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

    func text(_ key: String) throws(ProtocolError) -> String {
        guard let text = json[key]?.string else { throw missing(key, "a text") }
        return text
    }

    func int(_ key: String) throws(ProtocolError) -> Int {
        guard let number = json[key]?.int else { throw missing(key, "a whole number") }
        return Int(number)
    }

    func texts(_ key: String) throws(ProtocolError) -> [String] {
        guard let elements = json[key]?.array else { throw missing(key, "a list of texts") }
        return elements.compactMap(\.string)
    }

    func instant(_ key: String) -> Instant? { json[key]?.string.flatMap(Instant.init(rfc3339:)) }

    private func missing(_ key: String, _ expected: String) -> ProtocolError {
        ProtocolError("found \(json[key].map(\.text) ?? "nothing") as `\(key)` of \(type), expected \(expected)")
    }
}
