import BankClient
import Foundation
import Platform

/// A disk that fails as configured: full, read-only, or dead from some call on.
final class FailingDisk: Sendable {
    private let done = Locked(0)
    private let from: Int
    private let number: Int32

    /// - Parameters:
    ///   - from: the number of calls that succeed before all fail, without effect.
    ///   - number: the `errno` of the failure.
    init(from: Int, number: Int32 = EIO) {
        self.from = from
        self.number = number
    }

    /// A disk without space: only writing fails.
    static var full: FileCalls {
        var calls = FileCalls()
        calls.write = { _, _ in ENOSPC }
        return calls
    }

    /// A disk on which no file can be renamed.
    static var readOnly: FileCalls {
        var calls = FileCalls()
        calls.rename = { _, _ in EROFS }
        calls.link = { _, _ in EROFS }
        calls.remove = { _ in EROFS }
        return calls
    }

    /// A disk that stores files but removes none.
    static var unremovable: FileCalls {
        var calls = FileCalls()
        calls.remove = { _ in EROFS }
        return calls
    }

    var calls: FileCalls {
        let real = FileCalls()
        var calls = FileCalls()
        calls.write = { file, bytes in self.next { real.write(file, bytes) } }
        calls.sync = { file in self.next { real.sync(file) } }
        calls.rename = { path, other in self.next { real.rename(path, other) } }
        calls.link = { path, other in self.next { real.link(path, other) } }
        calls.remove = { path in self.next { real.remove(path) } }
        return calls
    }

    private func next(_ call: () -> Int32) -> Int32 {
        let count = done.withLock { done in
            done += 1
            return done
        }
        return count > from ? number : call()
    }
}

/// The texts that are readable in the files of a folder: plain, in base64, hexadecimal or UTF-16.
func readable(_ texts: [String], in folder: String) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    let files = names.compactMap { FileManager.default.contents(atPath: folder + "/" + $0) }
    return texts.filter { text in
        let raw = Data(text.utf8)
        let hexadecimal = raw.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // The base64 of a text within others depends on its offset: the part that does not.
        let base64 = (0..<3).map { shift in
            String((Data(repeating: 0x20, count: shift) + raw).base64EncodedString().dropFirst(4).dropLast(4))
        }
        let forms =
            [raw, Data(hexadecimal.utf8), Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })] + base64.map { Data($0.utf8) }
        return files.contains { file in forms.contains { !$0.isEmpty && file.range(of: $0) != nil } }
    }
}

/// Records warnings.
final class Warnings: Sendable {
    private let texts = Locked<[String]>([])

    var all: [String] { texts.withLock { $0 } }
    var warn: Warn { { text in self.texts.withLock { $0.append(text) } } }
}

/// A file's bytes.
func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

func write(_ bytes: some Sequence<UInt8>, to path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
