/// One way in which a provider is not as the stub has it.
package struct Drift: Sendable, Hashable {
    package var kind: Kind
    /// The location in the response's body (RFC 6901); `*` means every element of an array, empty the whole body, or no part of it.
    package var pointer: String
    /// The stub's value: kinds and counts, never a customer's data.
    package var stub: String
    /// The provider's value: kinds and counts, never the value itself.
    package var provider: String

    package init(_ kind: Kind, at pointer: String = "", stub: String, provider: String) {
        self.kind = kind
        self.pointer = pointer
        self.stub = stub
        self.provider = provider
    }

    /// The kind of difference.
    package enum Kind: String, Sendable, CaseIterable {
        /// The stub always has it, the provider not, or not always.
        case missingField = "missing-field"
        /// The stub never has it.
        case newField = "new-field"
        case otherType = "other-type"
        case otherStatus = "other-status"
        case otherContentType = "other-content-type"
        /// The type is JSON, the body is not.
        case noJSON = "no-json"
        /// The word by which programs distinguish rejections differs.
        case otherErrorCode = "other-error-code"
        case missingHeader = "missing-header"
        /// A key that was sent twice gave two results.
        case twoResults = "two-results"
    }
}
