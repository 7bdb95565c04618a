import ArgumentParser
import BankClient
import BankModel

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How a command reaches a running server's admin API.
struct AdminOptions: ParsableArguments {
    @Option(help: "Address of the admin API; by default COUNTERFOIL_ADMIN, else http://127.0.0.1:8081.")
    var admin: String?

    @Option(help: "The token that the server was started with; by default COUNTERFOIL_ADMIN_TOKEN.")
    var adminToken: String?

    /// Asks for a path under `/__admin`.
    ///
    /// - Throws: ``AdminFailure`` if the server cannot be reached or refuses.
    func get(_ path: String) async throws -> JSON {
        let address = admin ?? AdminOptions.environment("COUNTERFOIL_ADMIN") ?? "http://127.0.0.1:8081"
        let base = address.hasSuffix("/") ? String(address.dropLast()) : address
        var headers = HTTPHeaders()
        if let token = adminToken ?? AdminOptions.environment("COUNTERFOIL_ADMIN_TOKEN") { headers["Authorization"] = "Bearer \(token)" }
        let response: HTTPResponse
        do throws(TransportFailure) {
            response = try await CurlTransport(limits: TransportLimits(total: .seconds(30), bodyBytes: 1 << 30))
                .send(HTTPRequest("GET", "\(base)/__admin\(path)", headers: headers))
        } catch {
            throw AdminFailure(
                description: "cannot reach the admin API at \(base) (\(error)); is `counterfoil serve` running? Name another with --admin")
        }
        let json = try? JSON(parsing: response.body)
        guard response.status == 200, let json else {
            throw AdminFailure(
                description: json?["detail"]?.string ?? "found status \(response.status) from \(base), expected 200 and JSON")
        }
        return json
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Why an admin call failed, in a sentence for the person who made it.
struct AdminFailure: Error, CustomStringConvertible {
    let description: String
}
