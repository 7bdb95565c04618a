import BankClient
import BankModel
import ClientDriver
import DriverProtocol

/// Mistakes with compressed bodies, lines behind a body, and statuses that nobody asked for.
///
/// The bank `snapshot` compresses each response, so the control of a mutant that cannot read those is about payments.
extension Mutant {
    static var codings: [Mutant] { unpacking + trailing + odd }

    private static var unpacking: [Mutant] {
        [
            Mutant(
                "asks-and-cannot-unpack", "asks for gzip and cannot decompress it",
                killedBy: ["body.compressed-read", "pay.compressed-reply"],
                control: paying
            ) { parts, _ in
                parts.cache = nil
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    request.headers["Accept-Encoding"] = "gzip"
                    return try await base.send(request)
                }
            },
            Mutant(
                "compares-packed-length", "compares Content-Length with the size of the decompressed body",
                killedBy: ["body.compressed-read", "pay.compressed-reply"], control: paying
            ) { parts, _ in
                parts.cache = nil
                parts.around { request, base throws(TransportFailure) in
                    let response = try await base.send(request)
                    guard response.headers["Content-Encoding"] != nil, let length = response.headers["Content-Length"],
                        length != String(response.body.count)
                    else { return response }
                    throw TransportFailure(.decode, "found \(response.body.count) bytes, expected \(length)", mayHaveLeft: true, torn: true)
                }
            },
            Mutant(
                "unpacks-only-successes", "decompresses the body of a success, but not that of a rejection",
                killedBy: ["body.compressed-refusal-read"], control: paying
            ) { parts, _ in
                parts.cache = nil
                parts.answers { _, response in
                    guard response.status >= 400, response.headers["Content-Encoding"] != nil else { return }
                    response.body = ContentCoding.gzip.coded(response.body)
                }
            },
            Mutant(
                "unpacks-without-limit", "limits the size of a compressed body, but not of the decompressed one",
                killedBy: ["body.compression-bomb-refused"]
            ) { parts, start in
                var limits = TransportLimits(start)
                limits.bodyBytes = 1 << 30
                parts.caller.transport = CurlTransport(limits: limits, caFile: start.caFile)
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    var response = response
                    // Nothing but spaces follows: reading them all takes this mutant too long.
                    response.body = Array(response.body.prefix(1 << 20))
                    return try StrictBodyReader().json(response)
                }
                parts.cache = nil
            },
            Mutant(
                "shows-what-it-could-unpack", "shows the complete rows of a truncated stream", killedBy: ["body.compression-cut"]
            ) { parts, _ in
                parts.caller.reader = CompletesTornBodies()
            },
            Mutant(
                "packed-bytes-are-nothing", "treats compressed bytes without Content-Encoding as an empty list",
                killedBy: ["body.compressed-unannounced"]
            ) { parts, _ in
                parts.caller.reader = OwnReader { response throws(ClientFailure) in
                    response.body.starts(with: [0x1F, 0x8B]) ? .nothingToShow : try StrictBodyReader().json(response)
                }
            },
            Mutant(
                "unknown-coding-is-nothing", "treats a body in an unknown coding as an empty list", killedBy: ["body.unknown-coding"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        guard error.isBadCoding else { throw error }
                        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: JSON.nothingToShow.bytes)
                    }
                }
            },
            Mutant(
                "bad-compression-is-refused", "treats a response to a payment that it cannot decompress as a rejection",
                killedBy: ["pay.bad-compression-is-unknown"]
            ) { parts, _ in
                parts.failures { request, failure in
                    var failure = failure
                    if request.isPayment, failure.isBadCoding { failure.error = .rejected }
                    return failure
                }
            },
        ]
    }

    private static var trailing: [Mutant] {
        [
            Mutant(
                "trailers-are-headers", "adds the trailer fields after a chunked body to the headers, where the last one counts",
                killedBy: ["body.trailers-change-nothing"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaiveTransport(start, .trusting)
                parts.answers { _, response in
                    if let last = response.headers.values("Content-Type").last { response.headers["Content-Type"] = last }
                }
            }
        ]
    }

    private static var odd: [Mutant] {
        [
            Mutant(
                "not-modified-is-empty", "treats a 304 that it did not ask for as an empty list",
                killedBy: ["errors.not-modified-unasked", "errors.cold-not-modified"]
            ) { parts, _ in
                parts.answers { request, response in
                    guard response.status == 304, request.headers["If-None-Match"] == nil else { return }
                    response = HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: JSON.nothingToShow.bytes)
                }
            },
            Mutant(
                "accepted-is-done", "treats 202 as 200",
                killedBy: ["errors.cold-accepted-is-no-list", "pay.accepted-is-not-paid"]
            ) { parts, _ in
                parts.answers { _, response in if response.status == 202 { response.status = 200 } }
            },
            Mutant(
                "parts-are-the-whole", "treats 206 and 207 as 200 in the response to a payment", killedBy: ["pay.odd-status-is-unknown"]
            ) { parts, _ in
                parts.answers { request, response in
                    if request.isPayment, [206, 207].contains(response.status) { response.status = 200 }
                }
            },
        ]
    }
}

extension TransportFailure {
    /// Whether libcurl could not undo the coding of the body (CURLE_BAD_CONTENT_ENCODING).
    fileprivate var isBadCoding: Bool { detail.hasPrefix("curl 61:") }
}
