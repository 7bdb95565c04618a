/// The members of a JSON object, in their written order; names are unique.
public struct JSONObject: Sendable {
    /// The members in order.
    public private(set) var members: [(key: String, value: JSON)]

    /// An object of these members. For a duplicate name the later value counts, at the earlier's index.
    public init(_ members: [(key: String, value: JSON)] = []) {
        self.members = []
        self.members.reserveCapacity(members.count)
        // The subscript scans all members: for a few that is faster than a table of them.
        if members.count <= 16 {
            for member in members { self[member.key] = member.value }
            return
        }
        // 20,000 of them took 0.75 s by the subscript.
        var positions: [String: Int] = [:]
        for member in members {
            if let position = positions[member.key] {
                self.members[position].value = member.value
            } else {
                positions[member.key] = self.members.count
                self.members.append(member)
            }
        }
    }

    /// An object of those members that have a value, in that order; their names are unique.
    package init(known members: KeyValuePairs<String, JSON?>) {
        self.init(unique: members.compactMap { member in member.value.map { (key: member.key, value: $0) } })
    }

    /// An object whose names the caller has already checked for duplicates.
    package init(unique members: [(key: String, value: JSON)]) { self.members = members }

    /// The names in order.
    public var keys: [String] { members.map(\.key) }

    /// The object with another value in each member; without those for which there is none.
    package func compactMapValues(_ change: (_ key: String, _ value: JSON) -> JSON?) -> JSONObject {
        JSONObject(unique: members.compactMap { key, value in change(key, value).map { (key: key, value: $0) } })
    }

    /// The member of that name. Setting retains the index of an existing member and appends a new one; nil removes.
    public subscript(_ key: String) -> JSON? {
        get {
            // By index: no other member is copied.
            for position in members.indices where members[position].key == key { return members[position].value }
            return nil
        }
        set {
            let index = members.indices.first { members[$0].key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// The member `inner` of the object under a key. Setting makes that object if there is none.
    package subscript(_ key: String, _ inner: String) -> JSON? {
        get { self[key]?[inner] }
        set {
            var object = self[key]?.object ?? JSONObject()
            object[inner] = newValue
            self[key] = .object(object)
        }
    }

    /// The value at a dotted path such as `balance.amount`; nil if any step is missing.
    public func at(_ path: String) -> JSON? {
        if let direct = self[path] { return direct }
        guard let dot = path.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return self[String(path[..<dot])]?.at(String(path[path.utf8.index(after: dot)...]))
    }

    /// Sets the value at a dotted path, creating the objects on the way.
    public mutating func set(_ value: JSON, at path: String) {
        let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let first = steps.first else { return }
        if steps.count == 1 {
            self[first] = value
        } else {
            var inner = self[first]?.object ?? JSONObject()
            inner.set(value, at: steps[1])
            self[first] = .object(inner)
        }
    }
}

extension JSONObject: Hashable {
    /// Objects are equal if their members are, in any order (RFC 8259 §4: an unordered collection).
    public static func == (a: JSONObject, b: JSONObject) -> Bool {
        guard a.members.count == b.members.count else { return false }
        if a.members.count <= 16 { return a.members.allSatisfy { b[$0.key] == $0.value } }
        let values = Dictionary(uniqueKeysWithValues: b.members.map { ($0.key, $0.value) })
        return a.members.allSatisfy { values[$0.key] == $0.value }
    }

    /// The values count as well: rows with the same names would all collide, and a set of them take quadratic time.
    public func hash(into hasher: inout Hasher) {
        // A sum has no order.
        let sum = members.reduce(into: 0) { sum, member in
            var own = Hasher()
            own.combine(member.key)
            own.combine(member.value)
            sum &+= own.finalize()
        }
        hasher.combine(members.count)
        hasher.combine(sum)
    }
}
