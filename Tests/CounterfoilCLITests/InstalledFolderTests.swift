import BankFiles
import Testing

@testable import CounterfoilCLI

/// The folders that came with the program are found beside it.
@Suite struct InstalledFolderTests {
    private func shipped(_ program: String?, existing: String...) -> String? {
        let files = FileReader(read: { _ in nil }, list: { existing.contains($0) ? [] : nil })
        return InstalledFolder.shipped("Stubs", program: program, files: files)
    }

    @Test func `an installed program has them in share beside it`() {
        let found = shipped("/usr/bin/counterfoil", existing: "/usr/bin/../share/counterfoil/Stubs", "Stubs")

        #expect(found == "/usr/bin/../share/counterfoil/Stubs")
    }

    @Test func `a built program has those of its checkout, wherever it is called from`() {
        let found = shipped("/src/c/.build/x86_64-unknown-linux-gnu/debug/counterfoil", existing: "/src/c/Stubs", "Stubs")

        #expect(found == "/src/c/Stubs")
    }

    @Test func `a program that was moved away has those of the working directory`() {
        #expect(shipped("/home/ava/counterfoil", existing: "Stubs") == "Stubs")
        #expect(shipped(nil, existing: "Stubs") == "Stubs")
        #expect(shipped("/home/ava/counterfoil") == nil)
    }

    @Test func `a folder that is given is taken without the slash at its end`() {
        #expect(InstalledFolder.find("Stubs", given: "own/") == "own")
        #expect(InstalledFolder.find("Stubs", given: "/") == "/")
    }
}
