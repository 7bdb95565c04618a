import BankClient
import BankModel
import ClientDriver
import DriverProtocol

extension Mutant {
    /// Mistakes with malformed bodies.
    static var bodies: [Mutant] {
        [
            Mutant(
                "first-value-is-all", "reads the first JSON value, skips extra commas and ignores trailing text",
                killedBy: ["body.extended-json"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in try LooseJSON.read(response) }
            },
            Mutant(
                "parser-without-depth", "recurses for each bracket without a limit, and overflows the stack",
                killedBy: ["body.deep-nesting"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    _ = try LooseJSON.read(response)
                    return try StrictBodyReader().json(response)
                }
            },
            Mutant(
                "takes-any-size", "reads a whole body before it checks the size", killedBy: ["body.huge-refused"]
            ) { parts, start in
                var limits = TransportLimits(start)
                limits.bodyBytes = 1 << 30
                parts.caller.transport = CurlTransport(limits: limits, caFile: start.caFile)
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    guard response.body.count < 1 << 20 else { throw ClientFailure.mutant(.decode) }
                    return try StrictBodyReader().json(response)
                }
                parts.cache = nil
            },
            Mutant(
                "signs-out-on-nonsense", "signs out on an undecodable response", killedBy: ["body.captive-portal"]
            ) { parts, _ in
                let store = parts.store
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    do throws(TransportFailure) {
                        let response = try await base.send(request)
                        if response.status == 200, !response.mediaType.hasSuffix("json") { try? store.clear() }
                        return response
                    } catch {
                        if error.error == .decode { try? store.clear() }
                        throw error
                    }
                }
            },
            Mutant("packed-is-empty", "treats a body that it cannot decompress as an empty list", killedBy: ["body.bad-gzip"]) { parts, _ in
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    let empty = HTTPResponse(
                        status: 200, headers: ["Content-Type": "application/json"], body: JSON.nothingToShow.bytes)
                    do throws(TransportFailure) {
                        return try await base.send(request)
                    } catch {
                        guard error.error == .decode else { throw error }
                        return empty
                    }
                }
            },
            Mutant("empty-body-is-an-empty-list", "treats an empty body as an empty list", killedBy: ["body.empty-200"]) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    response.body.isEmpty ? .nothingToShow : try StrictBodyReader().json(response)
                }
            },
            Mutant(
                "torn-is-empty", "treats a truncated response as an empty one",
                killedBy: ["body.cut-short-length", "body.bad-chunk", "body.garbage"]
            ) { parts, _ in
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        guard error.torn || error.error == .decode else { throw error }
                        return HTTPResponse(
                            status: 200, headers: ["Content-Type": "application/json"], body: JSON.nothingToShow.bytes)
                    }
                }
            },
            Mutant(
                "reads-to-the-end", "reads to the end of the connection and ignores Content-Length",
                killedBy: ["body.longer-length-whole-json"], control: paying
            ) { parts, start in
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    guard let plain = PlainSocket(request, milliseconds: start.timeouts.totalMilliseconds) else {
                        return try await base.send(request)
                    }
                    return try plain.answer()
                }
            },
            Mutant("any-content-type", "ignores Content-Type", killedBy: ["body.wrong-content-type"]) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    var response = response
                    response.headers["Content-Type"] = "application/json"
                    return try StrictBodyReader().json(response)
                }
            },
            Mutant("mends-utf8", "replaces invalid UTF-8 silently", killedBy: ["body.bad-utf8", "body.damaged-utf8"]) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    var response = response
                    response.body = Array(String(decoding: response.body, as: UTF8.self).utf8)
                    return try StrictBodyReader().json(response)
                }
            },
            Mutant(
                "unreadable-rows-are-none", "shows an empty list when no row could be read",
                killedBy: ["body.wrong-type", "body.null-for-value"]
            ) { parts, _ in
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in try await orEmpty(read) }
                    changes.transactions = { read async throws(ClientFailure) in try await orEmpty(read) }
                }
            },
            Mutant(
                "doubled-names-are-nothing", "shows an empty list if an object has a duplicate member", killedBy: ["body.duplicate-keys"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    do throws(ClientFailure) { return try StrictBodyReader().json(response) } catch {
                        guard error.detail.contains("a second time") else { throw error }
                        return .nothingToShow
                    }
                }
            },
            Mutant(
                "doubled-names-in-turn", "uses the first of two duplicate members in one object, and the last in the next",
                killedBy: ["body.duplicate-keys"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    do throws(ClientFailure) { return try StrictBodyReader().json(response) } catch {
                        guard error.detail.contains("a second time") else { throw error }
                        var response = response
                        let text = String(decoding: response.body, as: UTF8.self)
                        response.body = Array(text.replacing(", \"name\": \"Holiday\"", with: "").utf8)
                        return try LooseJSON.read(response)
                    }
                }
            },
        ]
    }

    private static func orEmpty<Row>(_ read: () async throws(ClientFailure) -> Listing<Row>) async throws(ClientFailure) -> Listing<Row> {
        do throws(ClientFailure) { return try await read() } catch {
            guard error.error == .decode else { throw error }
            return Listing([])
        }
    }
}

extension JSON {
    /// Nothing where something should be, in the shape of every bank here.
    static let nothingToShow: JSON = [
        "accounts": [], "transactions": [], "feedItems": [], "items": [], "data": [], "pending": [], "atms": [], "goals": [],
        "savingsGoals": [],
        "account": ["accountNumber": "", "accountName": "", "balance": 0, "available": 0],
    ]
}
