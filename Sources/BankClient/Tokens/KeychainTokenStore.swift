#if canImport(Security)
    import BankModel
    import Foundation
    import Security

    /// Keeps the token in the Keychain of an Apple system.
    ///
    /// The item stays on this device (`kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`): it goes into no backup that
    /// another device could read. It outlives the app's removal, so an app should ``clear()`` at its first start.
    ///
    /// This file is compiled only where the framework `Security` exists. The project's own machines run Linux: there it
    /// has been neither compiled nor run, only read beside Apple's documentation. Not sure, until somebody has tried:
    /// - whether it compiles as it stands in Swift 6: the constants `kSec…` are global `CFString`s, which are not `Sendable`;
    /// - on macOS, whether the item stays on the device: without `kSecUseDataProtectionKeychain`, which needs a signed app
    ///   with an access group, the item lies in the login keychain, and that one heeds no `kSecAttrAccessible`;
    /// - whether an app that runs before the first unlock gets `errSecInteractionNotAllowed`, as documented: it would be told
    ///   as a store that refuses for now, and the token would stay.
    public struct KeychainTokenStore: TokenStore {
        private let service: String
        private let account: String

        /// - Parameters:
        ///   - service: the app's name for its items.
        ///   - account: which of them, such as the bank's name.
        public init(service: String, account: String) {
            self.service = service
            self.account = account
        }

        private var query: [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
        }

        public func load() throws(StoreError) -> Token? {
            var found: CFTypeRef?
            let wanted = query.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { _, new in new }
            let status = SecItemCopyMatching(wanted as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw failure("read", status) }
            guard let data = found as? Data else {
                throw StoreError("the Keychain's item \(service)/\(account): found no data in it, expected a token", kind: .damaged)
            }
            return try Token(stored: Array(data), in: "the Keychain's item \(service)/\(account)")
        }

        public func save(_ token: Token) throws(StoreError) {
            let values: [CFString: Any] = [
                kSecValueData: Data(token.stored), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound { status = SecItemAdd(query.merging(values) { _, new in new } as CFDictionary, nil) }
            // Another process has added it in this very moment.
            if status == errSecDuplicateItem { status = SecItemUpdate(query as CFDictionary, values as CFDictionary) }
            guard status == errSecSuccess else { throw failure("written", status) }
        }

        public func clear() throws(StoreError) {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw failure("removed", status) }
        }

        private func failure(_ what: String, _ status: OSStatus) -> StoreError {
            StoreError("the Keychain's item \(service)/\(account) cannot be \(what): status \(status)")
        }
    }
#endif
