import BankModel

extension Sending {
    /// Codes the body in the coding that bank and request have in common, at the end of all faults; leaves it as it is if there is
    /// none, or if a fault has cut or replaced it byte by byte.
    package mutating func code() {
        let isWhole = steps.contains(.head) && (!mayHaveBody || steps.contains(.body)) && framing == .length(nil)
        guard isWhole else { return coding = nil }
        applyCoding()
    }

    /// Codes the body before a fault with `encoded: true` acts on it, unless an earlier one has.
    ///
    /// - Throws: ``NotApplied`` if there is no coding.
    mutating func codeForFault() throws(NotApplied) {
        if plainBody != nil { return }
        guard coding != nil, mayHaveBody, !body.isEmpty else {
            throw NotApplied("the response is not compressed: the bank has no `compression` for it, or the request accepts none of it")
        }
        applyCoding()
    }

    /// The body of the journal: never a coded one, in which no secret could be found.
    package var shownBody: [UInt8] { plainBody ?? body }

    /// Replaces the body by bytes that are sent as they are.
    ///
    /// - Parameter shown: the body of the journal; nil if it is `bytes`.
    mutating func replaceBytes(_ bytes: [UInt8], shown: [UInt8]? = nil) {
        coding = nil
        body = bytes
        if let shown { plainBody = shown }
    }

    /// Applies the coding to headers and body. The body of a response to HEAD is coded for its length; a 304 has none.
    private mutating func applyCoding() {
        guard let coding else { return }
        self.coding = nil
        let hasBody = status != 304 && !body.isEmpty
        headers = headers.announcing(coding, hasBody: hasBody)
        guard hasBody else { return }
        plainBody = body
        body = coding.coded(body)
    }
}
