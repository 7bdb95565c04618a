package import BankModel

/// Reads the body of a successful answer.
package protocol BodyReading: Sendable {
    /// - Throws: ``ClientFailure`` `decode` if it is not as agreed.
    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON
}

/// Accepts JSON with a JSON media type only: a captive portal's page is not data.
package struct StrictBodyReader: BodyReading {
    package init() {}

    package func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        let type = response.mediaType
        guard type == "application/json" || type.hasSuffix("+json") && type != "application/problem+json" else {
            throw ClientFailure(
                .decode, "found content of type \(type.isEmpty ? "none" : type), expected application/json", mayHaveLeft: true)
        }
        do throws(JSONError) { return try JSON(parsing: response.body) } catch {
            throw ClientFailure(.decode, "the body is not JSON: \(error)", mayHaveLeft: true)
        }
    }
}
