import BankClient
import BankModel

/// The reader of bodies, what it read passed through a change.
struct AlteredReader: BodyReading {
    let base: any BodyReading
    let change: @Sendable (HTTPResponse, JSON) throws(ClientFailure) -> JSON

    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON { try change(response, try base.json(response)) }
}

/// Reads a body in another way altogether.
struct OwnReader: BodyReading {
    let read: @Sendable (HTTPResponse) throws(ClientFailure) -> JSON

    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON { try read(response) }
}

extension ClientParts {
    /// Changes what the transport reports about failures.
    mutating func retell(_ change: @escaping @Sendable (inout TransportFailure) -> Void) {
        caller.transport = AlteredTransport(base: caller.transport) { request, base async throws(TransportFailure) in
            do throws(TransportFailure) { return try await base.send(request) } catch {
                var failure = error
                change(&failure)
                throw failure
            }
        }
    }

    /// Changes what statuses mean.
    mutating func judge(_ change: @escaping @Sendable (HTTPResponse, inout ResponseVerdict) -> Void) {
        caller.rules = AlteredRules(base: caller.rules, change: change)
    }

    /// Changes what is read of bodies.
    mutating func read(_ change: @escaping @Sendable (JSON) throws(ClientFailure) -> JSON) {
        caller.reader = AlteredReader(base: caller.reader) { _, json throws(ClientFailure) in try change(json) }
    }

    /// Changes rows as they are read; nil leaves a row out.
    mutating func readRows(_ change: @escaping @Sendable (JSON) throws(ClientFailure) -> JSON?) {
        read { json throws(ClientFailure) in try json.changingRows(change) }
    }
}

extension ClientFailure {
    /// As the mutants name it.
    static func mutant(_ error: ClientError) -> ClientFailure { ClientFailure(error, "reported by a mutant", mayHaveLeft: true) }
}

extension JSON {
    /// The names that banks give to their lists of transactions.
    static let listNames: Set<String> = ["transactions", "feedItems", "items", "data", "pending"]

    /// The same answer, the rows of its lists of transactions changed; nil leaves a row out.
    func changingRows(_ change: (JSON) throws(ClientFailure) -> JSON?) throws(ClientFailure) -> JSON {
        if let rows = array { return .array(try rows.changed(change)) }
        return try changingMembers { name, value throws(ClientFailure) in
            guard JSON.listNames.contains(name), let rows = value.array else { return value }
            return .array(try rows.changed(change))
        }
    }

    /// The same object, its members changed; any other value as it is.
    func changingMembers(_ change: (String, JSON) throws(ClientFailure) -> JSON) throws(ClientFailure) -> JSON {
        guard let object else { return self }
        var members: [(key: String, value: JSON)] = []
        for member in object.members { members.append((member.key, try change(member.key, member.value))) }
        return .object(JSONObject(members))
    }

    /// The same object with another member of that name, if it has one.
    func with(_ name: String, _ change: (JSON) -> JSON) -> JSON {
        (try? changingMembers { key, value in key == name ? change(value) : value }) ?? self
    }

    /// The same object, the texts of members of these names changed; nil where one is not to be read at all.
    func changingTexts(_ names: Set<String>, _ change: (String) -> String?) -> JSON? {
        var isReadable = true
        let changed = try? changingMembers { key, value in
            guard names.contains(key), let text = value.string else { return value }
            guard let new = change(text) else {
                isReadable = false
                return value
            }
            return .string(new)
        }
        return isReadable ? changed ?? self : nil
    }
}

extension [JSON] {
    fileprivate func changed(_ change: (JSON) throws(ClientFailure) -> JSON?) throws(ClientFailure) -> [JSON] {
        var rows: [JSON] = []
        for row in self { if let row = try change(row) { rows.append(row) } }
        return rows
    }
}
