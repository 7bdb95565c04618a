import BankClient
import BankModel
import Foundation
import Testing

/// The files of cached data: damaged, foreign, too many, truncated by a kill.
struct DataCacheTests {
    private let data = CachedData(["text": "Harbour Fish Market"], asOf: Instant(nanoseconds: 1_234_567_890_123_456_789))
    private let newer = CachedData(["text": "Corner Shop"], asOf: Instant(seconds: 2_000_000_000))

    @Test func `cached data is found exactly, by the same question of the same customer only`() async throws {
        try await withCache { cache, _, _ in
            cache.store(data, as: "q", of: "ava")

            #expect(cache.entry("q", of: "ava") == data)
            #expect(cache.entry("Q", of: "ava") == nil)
            #expect(cache.entry("q", of: "ben") == nil)
            cache.store(newer, as: "q", of: "ava")
            #expect(cache.entry("q", of: "ava") == newer)
        }
    }

    @Test func `a file truncated at any length or altered at any byte counts as absent, is reported, and is replaced by the next answer`()
        async throws
    {
        try await withCache { cache, folder, warnings in
            cache.store(data, as: "q", of: "ava")
            let path = try onlyFile(in: folder)
            let whole = try bytes(of: path)
            var damaged = 0

            for count in whole.indices {
                try write(whole.prefix(count), to: path)
                #expect(cache.entry("q", of: "ava") == nil, "cut to \(count) bytes")
                damaged += 1
            }
            for index in whole.indices {
                var altered = whole
                altered[index] ^= 0x80
                try write(altered, to: path)
                #expect(cache.entry("q", of: "ava") == nil, "byte \(index) altered")
                damaged += 1
            }

            #expect(warnings.all.count == damaged)
            #expect(warnings.all.allSatisfy { $0.contains(path) && $0.contains("expected") && !$0.contains("Harbour") })
            cache.store(newer, as: "q", of: "ava")
            #expect(cache.entry("q", of: "ava") == newer)
        }
    }

    @Test func `a file of a newer version, of another key, moved from another question, or no file at all counts as absent`() async throws {
        try await withCache { cache, folder, warnings in
            cache.store(data, as: "q", of: "ava")
            let path = try onlyFile(in: folder)
            let whole = try bytes(of: path)

            try write(Array("CFSEAL\u{9}anything".utf8), to: path)
            #expect(cache.entry("q", of: "ava") == nil)

            cache.store(newer, as: "other", of: "ava")
            let other = try #require(try files(in: folder).first { $0 != path })
            try write(try bytes(of: other), to: path)
            #expect(cache.entry("q", of: "ava") == nil)

            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(cache.entry("q", of: "ava") == nil)
            #expect(warnings.all.count == 3)

            try FileManager.default.removeItem(atPath: path)
            try write(whole, to: path)
            #expect(cache.entry("q", of: "ava") == data)
            #expect(FileDataCache(folder: folder, keys: SealingKey()).entry("q", of: "ava") == nil)
        }
    }

    @Test func `the folder remains within its limits, and the oldest answer is evicted first`() async throws {
        try await withFolder { folder in
            let key = SealingKey()
            let cache = FileDataCache(folder: folder, keys: key, longest: 2000, total: 5000, count: 3)
            func age(_ seconds: Double) throws {
                for file in try files(in: folder) {
                    let date = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
                    try FileManager.default.setAttributes(
                        [.modificationDate: (date ?? Date()).addingTimeInterval(-seconds)], ofItemAtPath: file)
                }
            }

            for name in ["a", "b", "c", "d"] {
                cache.store(data, as: name, of: "ava")
                try age(60)
            }
            #expect(["a", "b", "c", "d"].map { cache.entry($0, of: "ava") != nil } == [false, true, true, true])

            let long = CachedData(.string(String(repeating: "x", count: 1800)), asOf: data.asOf)
            for name in ["e", "f", "g"] {
                cache.store(long, as: name, of: "ava")
                try age(60)
            }
            #expect(["d", "e", "f", "g"].map { cache.entry($0, of: "ava") != nil } == [false, false, true, true])

            let tooLong = CachedData(.string(String(repeating: "x", count: 2001)), asOf: data.asOf)
            cache.store(tooLong, as: "g", of: "ava")
            #expect(cache.entry("g", of: "ava") == long)
        }
    }

    @Test func `after a kill at any moment of storing, the old answer or the new one is present`() async throws {
        for calls in 0..<6 {
            try await withFolder { folder in
                let key = SealingKey()
                FileDataCache(folder: folder, keys: key).store(data, as: "q", of: "ava")

                FileDataCache(folder: folder, keys: key, calls: FailingDisk(from: calls).calls).store(newer, as: "q", of: "ava")

                let after = FileDataCache(folder: folder, keys: key)
                let found = after.entry("q", of: "ava")
                #expect(found == data || found == newer)
                #expect((found == newer) == (calls >= 2), "after \(calls) calls")
                try after.removeAll(butOf: nil)
                #expect(try files(in: folder).isEmpty)
            }
        }
    }

    @Test func `a full disk is reported, and the cached data remains`() async throws {
        try await withFolder { folder in
            let (key, warnings) = (SealingKey(), Warnings())
            FileDataCache(folder: folder, keys: key).store(data, as: "q", of: "ava")

            FileDataCache(folder: folder, keys: key, calls: FailingDisk.full, warn: warnings.warn).store(newer, as: "q", of: "ava")

            #expect(warnings.all.count == 1)
            #expect(FileDataCache(folder: folder, keys: key).entry("q", of: "ava") == data)
            let left = try files(in: folder)
            #expect(left.count == 1)
        }
    }

    @Test func `removing all leaves nothing, removing all but one customer's leaves that`() async throws {
        try await withCache { cache, folder, _ in
            cache.store(data, as: "q", of: "ava")
            cache.store(newer, as: "q", of: "ben")
            try write([1], to: folder + "/left-behind")

            try cache.removeAll(butOf: "ben")
            #expect(cache.entry("q", of: "ava") == nil)
            #expect(cache.entry("q", of: "ben") == newer)
            #expect(try files(in: folder).count == 1)

            try cache.removeAll(butOf: nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    private func withCache(_ body: (FileDataCache, _ folder: String, Warnings) async throws -> Void) async throws {
        try await withFolder { folder in
            let warnings = Warnings()
            try await body(FileDataCache(folder: folder + "/cache", keys: SealingKey(), warn: warnings.warn), folder + "/cache", warnings)
        }
    }

    private func files(in folder: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains("/") }
        return paths.map { folder + "/" + $0 }
    }

    private func onlyFile(in folder: String) throws -> String {
        let files = try files(in: folder)
        #expect(files.count == 1)
        return try #require(files.first)
    }
}
