import BankModel

/// The form of a token within a store, before sealing: JSON, version 1.
extension Token {
    var stored: [UInt8] {
        var json = JSONObject([("v", 1), ("access", .string(access))])
        json["refresh"] = refresh.map(JSON.string)
        json["owner"] = owner.map(JSON.string)
        return JSON.object(json).bytes
    }

    /// - Parameter store: the store, for the error's text.
    init(stored bytes: [UInt8], in store: String) throws(StorageError) {
        guard let json = try? JSON(parsing: bytes), let version = json["v"]?.int else {
            throw StorageError("\(store): found no token, expected one", kind: .damaged)
        }
        guard version <= 1 else {
            throw StorageError(
                "\(store): found a token of version \(version), expected 1: a newer program wrote it", kind: .newerVersion)
        }
        guard version == 1, let access = json["access"]?.string, !access.isEmpty else {
            throw StorageError("\(store): found an empty token, expected one", kind: .damaged)
        }
        self.init(access: access, refresh: json["refresh"]?.string, owner: json["owner"]?.string)
    }
}
