import BankClient
import BankModel
import ClientDriver
import DriverProtocol

extension Mutant {
    /// What is made of bodies that are not what was agreed.
    static var bodies: [Mutant] {
        [
            Mutant(
                "first-value-is-all", "reads the first value of a text, passes over commas too many and ignores what follows",
                killedBy: ["body.own-text-damaged", "body.trailing-comma", "body.own-trailing-comma"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in try LooseJSON.read(response) }
            },
            Mutant(
                "parser-without-depth", "calls itself for each bracket without a limit, and runs out of stack",
                killedBy: ["body.deep-nesting"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    _ = try LooseJSON.read(response)
                    return try StrictBodyReader().json(response)
                }
            },
            Mutant(
                "takes-any-size", "takes in whatever comes, and looks at its size only then", killedBy: ["body.huge-refused"]
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
                "signs-out-on-nonsense", "signs the person out when an answer makes no sense", killedBy: ["body.captive-portal"]
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
            Mutant("packed-is-empty", "takes a body that it cannot unpack for an empty list", killedBy: ["body.bad-gzip"]) { parts, _ in
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    let empty = HTTPResponse(
                        status: 200, headers: ["Content-Type": "application/json"], body: JSON.nothingToShow.bytes)
                    do throws(TransportFailure) {
                        let response = try await base.send(request)
                        return response.headers["Content-Encoding"] == nil ? response : empty
                    } catch {
                        guard error.error == .decode else { throw error }
                        return empty
                    }
                }
            },
            Mutant("empty-body-is-an-empty-list", "takes an empty body for an empty list", killedBy: ["body.empty-200"]) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    response.body.isEmpty ? .nothingToShow : try StrictBodyReader().json(response)
                }
            },
            Mutant(
                "torn-is-empty", "takes an answer that broke off for one with nothing in it",
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
                "reads-to-the-end", "reads until the connection ends and never looks at Content-Length",
                killedBy: ["body.longer-length-whole-json"], control: "pay.new-intent-new-key"
            ) { parts, start in
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    guard let plain = PlainSocket(request, milliseconds: start.timeouts.totalMilliseconds) else {
                        return try await base.send(request)
                    }
                    return try plain.answer()
                }
            },
            Mutant("any-content-type", "never looks at Content-Type", killedBy: ["body.wrong-content-type"]) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    var response = response
                    response.headers["Content-Type"] = "application/json"
                    return try StrictBodyReader().json(response)
                }
            },
            Mutant("mends-utf8", "replaces bytes that are no UTF-8 without a word", killedBy: ["body.bad-utf8"]) { parts, _ in
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
                "doubled-names-are-nothing", "shows an empty list where a name comes twice in an object", killedBy: ["body.duplicate-keys"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    do throws(ClientFailure) { return try StrictBodyReader().json(response) } catch {
                        guard error.detail.contains("a second time") else { throw error }
                        return .nothingToShow
                    }
                }
            },
            Mutant(
                "doubled-names-in-turn", "takes the first of two members of a name in one object, and the last in the next",
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
