@testable import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// Images, and nothing else, are cached for as long as the bank allows, in a separate folder.
struct ImageCacheTests {
    private let path = "/v1/images/coin.png"

    @Test func `an image is not requested again within its lifetime; after it it is revalidated (RFC 9111 §4.3)`() async throws {
        try await withScene { scene in
            let first = try await scene.image()
            scene.clock.jump(by: .seconds(59))
            let second = try await scene.image()
            #expect(scene.requests.count == 1)
            #expect(!first.isFromCache)
            #expect(second.isFromCache)
            #expect(second.sha256 == first.sha256)
            #expect(scene.requests.first?.headers["If-None-Match"] == nil)

            scene.clock.jump(by: .seconds(2))
            scene.answer = .success(HTTPResponse(status: 304, headers: ["Cache-Control": "max-age=60", "ETag": "\"one\""]))
            #expect(try await scene.image().sha256 == first.sha256)
            #expect(scene.requests.last?.headers["If-None-Match"] == "\"one\"")

            scene.clock.jump(by: .seconds(59))
            #expect(try await scene.image().isFromCache)
            #expect(scene.requests.count == 2)
        }
    }

    @Test func `a 304 without a lifetime shows the picture once, and asks again the next time`() async throws {
        try await withScene { scene in
            _ = try await scene.image()
            scene.clock.jump(by: .seconds(61))
            scene.answer = .success(HTTPResponse(status: 304))

            for count in 2...3 {
                let image = try await scene.image()
                #expect(image.isFromCache)
                #expect(scene.requests.count == count)
            }
        }
    }

    @Test func `a changed image replaces the old one, even if it may no longer be cached`() async throws {
        try await withScene { scene in
            _ = try await scene.image()
            scene.clock.jump(by: .seconds(61))
            scene.answer = .picture("two", ["Cache-Control": "no-store"])

            let new = try await scene.image()

            #expect(new.bytes == Array("two".utf8))
            #expect(!new.isFromCache)
            #expect(try scene.files().isEmpty)
        }
    }

    @Test(
        arguments: [
            .picture("one", ["Cache-Control": "no-store, max-age=60", "ETag": "\"one\""]), .picture("one", [:]),
        ] as [ScriptedTransport.Outcome])
    func `an image that may not be cached is not written, and requested each time`(_ answer: ScriptedTransport.Outcome) async throws {
        try await withScene { scene in
            scene.answer = answer

            for _ in 0..<2 {
                let image = try await scene.image()
                #expect(!image.isFromCache)
            }

            #expect(scene.requests.count == 2)
            #expect(try scene.files().isEmpty)
        }
    }

    @Test(
        arguments: [("max-age=60", true), ("max-age=60, must-revalidate", false), ("no-cache", false)])
    func `past its time a picture is shown where the bank cannot be had, unless the bank forbade that`(
        _ control: String, _ shown: Bool
    ) async throws {
        try await withScene { scene in
            scene.answer = .picture("one", ["Cache-Control": control, "ETag": "\"one\""])
            _ = try await scene.image()
            scene.clock.jump(by: .seconds(61))
            scene.answer = .refused

            let image = try? await scene.image()

            #expect((image?.isFromCache ?? false) == shown)
        }
    }

    @Test(
        arguments: [
            .json(200, #"{"accounts":[]}"#, headers: ["Cache-Control": "max-age=60"]),
            .json(200, "<html>", headers: ["Content-Type": "text/html", "Cache-Control": "max-age=60"]),
            .json(404, "", headers: ["Cache-Control": "max-age=60"]), .success(HTTPResponse(status: 304)),
            .success(HTTPResponse(status: 200, headers: ["Content-Type": "image/png", "Cache-Control": "max-age=60"])),
        ] as [ScriptedTransport.Outcome])
    func `an answer that is not an image is rejected, and never cached`(_ answer: ScriptedTransport.Outcome) async throws {
        try await withScene { scene in
            scene.answer = answer

            let error = await scene.bank.error { try await $0.image(path) }

            let files = try scene.files()
            #expect(error != nil)
            #expect(files.isEmpty)
        }
    }

    @Test func `data is never stored among the images, and images are requested without a token`() async throws {
        try await withScene { scene in
            scene.answer = .json(200, #"{"accounts":[]}"#, headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""])
            for _ in 0..<2 { _ = try await scene.bank.client.accounts() }
            #expect(scene.requests.count == 2)
            #expect(try scene.files().isEmpty)

            scene.answer = .picture("one", ["Cache-Control": "max-age=60"])
            _ = try await scene.image()
            #expect(scene.requests.last?.headers["Authorization"] == nil)
            #expect(try readable([path, "coin"], in: scene.folder).isEmpty)
        }
    }

    @Test func `a file truncated at any length or altered at any byte is reported, and the image requested again`() async throws {
        try await withFolder { folder in
            let (warnings, kept) = (Warnings(), kept("one"))
            let cache = FileImageCache(folder: folder + "/i", warn: warnings.warn)
            cache.store(kept, at: "http://bank/x")
            let file = folder + "/i/" + (try FileManager.default.contentsOfDirectory(atPath: folder + "/i")[0])
            let whole = try bytes(of: file)

            for count in whole.indices {
                try write(whole.prefix(count), to: file)
                #expect(cache.picture("http://bank/x") == nil, "cut to \(count) bytes")
            }
            for index in whole.indices {
                var altered = whole
                altered[index] ^= 0x80
                try write(altered, to: file)
                let found = cache.picture("http://bank/x")
                #expect(found == nil || found?.image == kept.image, "byte \(index) altered")
            }
            #expect(warnings.all.count > whole.count)

            cache.store(kept, at: "http://bank/x")
            #expect(cache.picture("http://bank/x") == kept)
            #expect(FileImageCache(folder: folder + "/i").picture("http://bank/x") == kept)
            #expect(cache.picture("http://bank/y") == nil)
        }
    }

    @Test func `the folder stays within its bounds`() async throws {
        try await withFolder { folder in
            let cache = FileImageCache(folder: folder + "/i", longest: 10, total: 1_500, count: 3)
            for index in 0..<20 { cache.store(kept("\(index)"), at: "\(index)") }
            cache.store(kept("longer than ten"), at: "long")

            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/i")
            #expect(names.count <= 3)
            #expect(!names.isEmpty)
            #expect(cache.picture("long") == nil)
        }
    }

    @Test func `all files together stay within their bytes`() async throws {
        try await withFolder { folder in
            let cache = FileImageCache(folder: folder + "/i", total: 1_500, count: 100)
            func size() throws -> Int {
                let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/i")
                return try names.reduce(0) { $0 + (try bytes(of: "\(folder)/i/\($1)").count) }
            }

            for index in 0..<20 {
                cache.store(kept("\(index)"), at: "\(index)")
                let held = try size()
                #expect(held <= 1_500)
            }

            // Each image takes some 300 bytes: there is room for several, not for twenty.
            let held = try size()
            #expect(held > 750)
            #expect((0..<20).count { cache.picture("\($0)") != nil } < 20)
        }
    }

    @Test func `a device's clock set back, or a disk that is full, only means asking again`() async throws {
        try await withScene { scene in
            _ = try await scene.image()
            scene.clock.jump(by: .seconds(-3600))
            _ = try await scene.image()
            #expect(scene.requests.count == 2)
        }
        try await withScene(FailingDisk.full) { scene in
            for _ in 0..<2 {
                let image = try await scene.image()
                #expect(!image.isFromCache)
            }
        }
    }

    @Test func `signing out removes the images`() async throws {
        try await withScene { scene in
            _ = try await scene.image()
            #expect(try scene.files().count == 1)

            try await scene.bank.client.signOut()

            #expect(try scene.files().isEmpty)
        }
    }

    private func kept(_ text: String) -> CachedImage {
        CachedImage(
            image: Image(bytes: Array(text.utf8), mediaType: "image/png"), etag: "\"\(text)\"", since: Instant(seconds: 1),
            freshness: Freshness(until: Instant(seconds: 9), mustAsk: false))
    }
}

/// A client with a cache of images, and a bank with one.
private final class ImageScene: Sendable {
    let folder: String
    let bank: Bank
    private let given: Given

    private final class Given: Sendable {
        let answer = Locked(ScriptedTransport.Outcome.picture("one", ["Cache-Control": "max-age=60", "ETag": "\"one\""]))
    }

    init(folder: String, calls: FileCalls) async throws {
        self.folder = folder
        given = Given()
        let images = FileImageCache(folder: folder + "/images", calls: calls)
        bank = try await Bank(images: images) { [given] _, _ in given.answer.withLock { $0 } }
    }

    var answer: ScriptedTransport.Outcome {
        get { given.answer.withLock { $0 } }
        set { given.answer.withLock { $0 = newValue } }
    }

    var clock: TestClock { bank.clock }
    /// The bank's requests.
    var requests: [HTTPRequest] { bank.transport.requests.filter { $0.method == "GET" } }

    func image() async throws -> Image { try await bank.client.image("/v1/images/coin.png") }
    func files() throws -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder + "/images")) ?? [] }
}

private func withScene(_ calls: FileCalls = FileCalls(), _ body: (ImageScene) async throws -> Void) async throws {
    try await withFolder { folder in try await body(try await ImageScene(folder: folder, calls: calls)) }
}

extension ScriptedTransport.Outcome {
    fileprivate static func picture(_ text: String, _ headers: HTTPHeaders) -> Self {
        var headers = headers
        headers["Content-Type"] = "image/png"
        return .success(HTTPResponse(status: 200, headers: headers, body: Array(text.utf8)))
    }
}
