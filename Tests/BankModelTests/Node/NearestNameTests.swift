import BankModel
import Testing

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("ordre", "order"), ("tll", "ttl"), ("expiers", "expires"), ("Accounts", "accounts"), ("lose_reply", "lose-reply"), ("knd", "kind"),
        ("order", "order"),
    ])
    func `finds the name that was meant`(_ typo: String, _ meant: String) {
        let known = ["order", "ttl", "expires", "accounts", "lose-reply", "kind", "after"]

        #expect(nearestName(to: typo, among: known) == meant)
    }

    @Test(arguments: ["by", "zzzzz", "completely-different", "", "x"])
    func `finds none where nothing is near`(_ name: String) {
        #expect(nearestName(to: name, among: ["id", "order", "ttl", "accounts"]) == nil)
    }

    @Test func `a name of more than 100 bytes is not compared`() {
        let long = String(repeating: "a", count: 99)

        #expect(nearestName(to: long + "b", among: [long + "a"]) == long + "a")
        #expect(nearestName(to: long + "bb", among: [long + "aa"]) == nil)
    }

    @Test(arguments: [
        ("insufficient-scope", "scope-refused"), ("insufficient_scope", "scope-refused"), ("latency", "delay"),
        ("too-many-requests", "rate-limited"), ("insufficient-found", "insufficient-funds"), ("offline", "refuse"),
        ("CONNECTION_RESET_BY_PEER", "reset"), ("limit_data", "truncate"),
    ])
    func `the name with the same meaning comes before one with a similar spelling`(_ name: String, _ meant: String) {
        let known = ["insufficient-funds", "scope-refused", "delay", "rate-limited", "refuse", "reset", "truncate"]

        #expect(nearestName(to: name, among: known) == meant)
    }

    @Test func `a word that is itself known, or whose meaning is not there, is suggested by spelling alone`() {
        #expect(nearestName(to: "Timeout", among: ["timeout", "hang"]) == "timeout")
        #expect(nearestName(to: "latency", among: ["latence"]) == "latence")
    }

    @Test func `of two that are as near, the first by the alphabet`() {
        #expect(nearestName(to: "cast", among: ["cost", "case"]) == "case")
        #expect(nearestName(to: "any", among: []) == nil)
    }

    @Test func `a list of names reads like a sentence`() {
        #expect(oneOf(["a", "b", "c"]) == "a, b or c")
        #expect(oneOf(["a", "b"]) == "a or b")
        #expect(oneOf(["a"]) == "a")
        #expect(oneOf([]) == "nothing")
    }

    @Test func `a hint is empty, or the given text, if no name is near`() {
        #expect(didYouMean("ordre", among: ["id", "order"]) == "; did you mean `order`?")
        #expect(didYouMean("zebra", among: ["id", "order"]).isEmpty)
        #expect(didYouMean("zebra", among: ["id", "order"], otherwise: "; see --list") == "; see --list")
    }
}
