extension ServeSettings {
    /// The settings of a plain command line: `serve`, banks, and options each with its value behind it.
    ///
    /// Start-up is a feature: ArgumentParser looks at every option by reflection, the longest single step to a bank's first
    /// answer. Anything else (`--help`, `--port=1`, a misspelt word) gives nil, and is ArgumentParser's to
    /// read and to complain of: ``ServeCommand`` stays the definition.
    init?(plain arguments: [String]) {
        guard arguments.first == "serve" else { return nil }
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            if word == "--quiet" {
                quiet = true
            } else if word == "--tls" {
                tls = true
            } else if !word.hasPrefix("-") {
                banks.append(word)
            } else {
                guard let value = rest.popFirst(), !value.hasPrefix("-"), take(value, for: word) else { return nil }
            }
        }
        guard (try? check()) != nil else { return nil }
    }

    private mutating func take(_ value: String, for option: String) -> Bool {
        switch option {
        case "--host": host = value
        case "--admin-host": adminHost = value
        case "--admin-token": adminToken = value
        case "--stubs": stubs = value
        case "--cors": cors = value
        case "--session-ttl": sessionTtl = value
        case "--state": state = value
        case "--plan": plan = value
        case "--ready-file": readyFile = value
        case "--ca-out": caOut = value
        case "--tls-port": return put(Int(value), \.tlsPort)
        case "--port": return put(Int(value), \.port)
        case "--admin-port": return put(Int(value), \.adminPort)
        case "--session-limit": return put(Int(value), \.sessionLimit)
        case "--journal-memory": return put(Int(value), \.journalMemory)
        case "--seed":
            seed = UInt64(value)
            return seed != nil
        default: return false
        }
        return true
    }

    private mutating func put(_ value: Int?, _ path: WritableKeyPath<Self, Int>) -> Bool {
        guard let value else { return false }
        self[keyPath: path] = value
        return true
    }
}
