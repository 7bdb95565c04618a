#if canImport(Security)
    import BankModel
    import Foundation
    import Security

    /// Stores the token in the Keychain of an Apple system.
    ///
    /// The item remains on this device (`kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`): no backup contains it that
    /// another device could read. It survives the app's removal, so an app should ``clear()`` it at its first start.
    ///
    /// This file is compiled only if the framework `Security` exists. The project's own machines run Linux: there it has been
    /// neither compiled nor run, only checked against Apple's documentation. Unverified:
    /// - whether it compiles as it is in Swift 6: the constants `kSec…` are global `CFString`s, which are not `Sendable`;
    /// - on macOS, whether the item remains on the device: without `kSecUseDataProtectionKeychain`, which needs a signed app
    ///   with an access group, the item is in the login keychain, which ignores `kSecAttrAccessible`;
    /// - whether an app that runs before the first unlock gets `errSecInteractionNotAllowed`, as documented: it would be
    ///   reported as a store that refuses for now, and the token would remain.
    package struct KeychainTokenStore: TokenStore {
        private let service: String
        private let account: String

        /// - Parameters:
        ///   - service: the app's name for its items.
        /// - account: the item's account, such as the bank's name.
        package init(service: String, account: String) {
            self.service = service
            self.account = account
        }

        private var query: [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
        }

        package func load() throws(StorageError) -> Token? {
            var found: CFTypeRef?
            let wanted = query.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { _, new in new }
            let status = SecItemCopyMatching(wanted as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw failure("read", status) }
            guard let data = found as? Data else {
                throw StorageError("the Keychain's item \(service)/\(account): found no data in it, expected a token", kind: .damaged)
            }
            return try Token(stored: Array(data), in: "the Keychain's item \(service)/\(account)")
        }

        package func save(_ token: Token) throws(StorageError) {
            let values: [CFString: Any] = [
                kSecValueData: Data(token.stored), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound { status = SecItemAdd(query.merging(values) { _, new in new } as CFDictionary, nil) }
            // Another process has added it in this very moment.
            if status == errSecDuplicateItem { status = SecItemUpdate(query as CFDictionary, values as CFDictionary) }
            guard status == errSecSuccess else { throw failure("written", status) }
        }

        package func clear() throws(StorageError) {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure("removed", status) }
        }

        private func failure(_ what: String, _ status: OSStatus) -> StorageError {
            StorageError("the Keychain's item \(service)/\(account) cannot be \(what): status \(status)")
        }
    }
#endif
