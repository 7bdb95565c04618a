import BankCore
import BankModel

/// Reads what a mapping answers.
struct ResponseReader {
    let notes: ImportNotes
    /// The files in `__files`, by their paths there.
    let files: [String: [UInt8]]

    /// Among more files no name like a missing one is looked for: that takes its time for each.
    private static let mostCompared = 500

    private static let known: Set<String> = [
        "status", "statusMessage", "headers", "body", "jsonBody", "base64Body", "bodyFileName", "fixedDelayMilliseconds",
        "delayDistribution", "chunkedDribbleDelay", "fault", "transformers", "transformerParameters", "proxyBaseUrl",
    ]

    func response(_ described: LocatedJSON) -> StubResponse {
        var response = StubResponse()
        notes.unknown(described, known: ResponseReader.known, .ignored)
        if let proxy = described["proxyBaseUrl"] { notes.warn(.leftOut, proxy, "a bank does not proxy requests") }
        if let piece = described["status"], let status = notes.int(piece) {
            response.status = status
            if !(200...599).contains(status) { notes.warn(.leftOut, piece, "a status is from 200 to 599") }
        }
        if let message = described["statusMessage"], message.json != "" {
            notes.warn(.ignored, message, "the reason phrase is the standard one")
        }
        readBody(described, into: &response)
        response.readHeaders(described["headers"], notes)
        readTransformers(described, &response)
        response.rules = rules(described)
        if described["fault"]?.json == "MALFORMED_RESPONSE_CHUNK" {
            // WireMock sends 200 without the mapping's headers beside this fault; the bytes behind it are not a body.
            response.status = 200
            response.headers = []
            response.contentType = nil
            response.file = nil
            response.body = Array("malformed".utf8)
            response.suffix = "txt"
        }
        return response
    }

    // MARK: body

    private func readBody(_ described: LocatedJSON, into response: inout StubResponse) {
        let given = ["bodyFileName", "base64Body", "jsonBody", "body"].compactMap { key in described[key].map { (key: key, piece: $0) } }
        for extra in given.dropFirst() { notes.warn(.ignored, extra.piece, "a second body beside `\(given[0].key)`") }
        guard let body = given.first else { return }
        switch body.key {
        case "bodyFileName": readFile(body.piece, into: &response)
        case "base64Body":
            guard let text = notes.text(body.piece) else { return }
            guard let bytes = Base64.decoded(text) else { return notes.wrong(body.piece, expected: "base 64 (RFC 4648)") ?? () }
            response.body = bytes
            response.suffix = "bin"
        case "jsonBody":
            noteDigits(body.piece)
            response.body = body.piece.json.bytes
            response.suffix = "json"
        default: response.body = Array((notes.text(body.piece) ?? "").utf8)
        }
    }

    private func readFile(_ piece: LocatedJSON, into response: inout StubResponse) {
        guard let name = notes.text(piece) else { return }
        guard !name.contains("{{") else { return notes.warn(.leftOut, piece, "a file name computed from the request") }
        guard let path = ImportFile.path(name) else { return notes.warn(.leftOut, piece, "the file is outside __files") }
        guard let bytes = files[path] else {
            let hint = files.count <= ResponseReader.mostCompared ? didYouMean(path, among: files.keys.sorted()) : ""
            return notes.warn(.leftOut, piece, "there is no such file in __files\(hint); --files names another folder")
        }
        response.body = bytes
        response.file = path
    }

    /// WireMock reads a number with a fraction as a double and spells that; here its digits stay as they are.
    private func noteDigits(_ piece: LocatedJSON) {
        if let number = piece.json.number, !number.isSpeltAlikeByDouble {
            notes.warn(.approximate, piece, "its digits are sent as written; WireMock sends the double that it reads")
        }
        for inner in piece.elements + piece.members.map(\.value) { noteDigits(inner) }
    }

    // MARK: transformers

    private func readTransformers(_ described: LocatedJSON, _ response: inout StubResponse) {
        let body = String(decoding: response.body, as: UTF8.self)
        let transformers = described["transformers"]?.elements ?? []
        for piece in transformers where piece.json != "response-template" {
            notes.warn(.leftOut, piece, "transformers are not supported")
        }
        let hasTemplate = body.contains("{{") || response.headers.contains { $0.value.string?.contains("{{") == true }
        if response.contentType?.contains("{{") == true, !transformers.isEmpty {
            return notes.warn(.leftOut, transformers[0], "a content type computed from the request")
        }
        guard hasTemplate else { return }
        guard let template = transformers.first(where: { $0.json == "response-template" }) else {
            if body.contains("{{request") || response.headers.contains(where: { $0.value.string?.contains("{{request") == true }) {
                notes.warn(.ignored, described, "{{request…}} is sent unchanged, as without the transformer response-template")
            }
            return
        }
        do throws(TemplateText.Unsupported) {
            if body.contains("{{") {
                guard response.body == Array(body.utf8) else { throw TemplateText.Unsupported(reason: "a template that is not text") }
                response.template = try TemplateText(body).json
            }
            for position in response.headers.indices {
                guard let text = response.headers[position].value.string, text.contains("{{") else { continue }
                response.headers[position].value = try TemplateText(text).json
            }
        } catch {
            notes.warn(.leftOut, template, error.reason)
        }
    }
}

extension JSONNumber {
    /// Whether a program that reads the number as a double, and writes that, writes the same digits; rather no than a wrong yes.
    fileprivate var isSpeltAlikeByDouble: Bool {
        guard digits.contains(where: { ".eE".contains($0) }) else { return digits != "-0" }
        let parts = digits.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].allSatisfy(\.isNumber), parts[1] == "0" || !parts[1].hasSuffix("0") else { return false }
        // Fifteen digits survive a double; beyond these sizes it is written with an exponent.
        return parts[0].count + parts[1].count <= 15 && (double == 0 || (0.01..<10_000_000).contains(abs(double)))
    }
}

/// Reads a mapping's faults and delays as rules.
extension ResponseReader {
    /// The faults of the operation, each `{fault: …}`, at most one per point.
    private func rules(_ response: LocatedJSON) -> [JSON] {
        let delay = self.delay(response)
        let slow = response["chunkedDribbleDelay"].flatMap(dribble)
        guard let piece = response["fault"], let name = notes.text(piece) else {
            return (delay.map { [rule("delay", $0)] } ?? []) + (slow.map { [rule("slow", $0)] } ?? [])
        }
        guard let (kind, settings) = ResponseReader.faults[name] else {
            return notes.wrong(piece, expected: oneOf(ResponseReader.faults.keys.sorted())) ?? []
        }
        if let dribble = response["chunkedDribbleDelay"] {
            notes.warn(.ignored, dribble, "a response with a fault has no body to dribble")
        }
        guard let delay else { return [rule(kind, settings)] }
        if let fixed = delay["fixed"] { return [["fault": [kind: settings, "after": fixed]]] }
        notes.warn(.ignored, response["delayDistribution"] ?? piece, "a fault has a fixed delay, not a random one")
        return [rule(kind, settings)]
    }

    /// WireMock's `Fault`.
    private static let faults: [String: (String, JSON)] = [
        "EMPTY_RESPONSE": ("close", [:]),
        "MALFORMED_RESPONSE_CHUNK": ("bad-chunk", ["how": "size"]),
        "RANDOM_DATA_THEN_CLOSE": ("garbage", ["random": 100]),
        "CONNECTION_RESET_BY_PEER": ("reset", [:]),
    ]

    private func rule(_ kind: String, _ settings: JSON) -> JSON { ["fault": [kind: settings]] }

    // MARK: delays

    private func delay(_ response: LocatedJSON) -> JSON? {
        let fixed = response["fixedDelayMilliseconds"].flatMap { piece in notes.number(piece).flatMap { milliseconds($0.double, piece) } }
        guard let piece = response["delayDistribution"] else {
            return fixed.flatMap { $0 == "0ms" ? nil : ["at_point": "head", "fixed": .string($0)] }
        }
        if fixed != nil, fixed != "0ms", let second = response["fixedDelayMilliseconds"] {
            notes.warn(.ignored, second, "an operation has one delay: that of delayDistribution is used")
        }
        return distribution(piece).map { ["at_point": "head", $0.key: $0.value] }
    }

    private func distribution(_ piece: LocatedJSON) -> (key: String, value: JSON)? {
        func time(_ key: String) -> JSON? {
            guard let member = piece[key] else { return notes.wrong(piece, expected: "`\(key)`, in milliseconds") }
            return notes.number(member).flatMap { milliseconds($0.double, member) }.map(JSON.string)
        }
        switch piece["type"]?.json.string {
        case "fixed":
            return time("milliseconds").map { ("fixed", $0) }
        case "uniform":
            guard let from = time("lower"), let to = time("upper") else { return nil }
            return ("uniform", ["from": from, "to": to])
        case "lognormal":
            guard let median = time("median"), let sigma = piece["sigma"].flatMap(notes.number) else {
                return piece["sigma"] == nil ? notes.wrong(piece, expected: "`sigma`") : nil
            }
            guard (0...10).contains(sigma.double) else { return notes.nothing(.ignored, piece, "sigma is from 0 to 10") }
            let most = piece["maxValue"] == nil ? nil : time("maxValue")
            return ("lognormal", .object(known: ["median": median, "sigma": .number(sigma), "max": most]))
        default: return notes.nothing(.ignored, piece, "only the distributions fixed, uniform and lognormal are supported")
        }
    }

    private func dribble(_ piece: LocatedJSON) -> JSON? {
        guard let chunks = piece["numberOfChunks"].flatMap(notes.int), let total = piece["totalDuration"],
            let duration = notes.number(total).flatMap({ milliseconds($0.double, total) })
        else { return notes.wrong(piece, expected: "`numberOfChunks` and `totalDuration`") }
        guard (1...100_000).contains(chunks) else { return notes.nothing(.ignored, piece, "a body is sent in 1 to 100,000 pieces") }
        return ["chunks": .int(chunks), "over": .string(duration)]
    }

    /// A whole number of milliseconds, as our files write it.
    private func milliseconds(_ value: Double, _ piece: LocatedJSON) -> String? {
        guard value >= 0, value <= 86_400_000 else { return notes.nothing(.ignored, piece, "a delay is from 0 to 1 day") }
        return Duration.milliseconds(Int64(value.rounded())).shortText
    }
}
