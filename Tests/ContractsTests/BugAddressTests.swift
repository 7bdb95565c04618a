import BankModel
import Contracts
import Testing

/// The public threads that a case names under `bugs`.
@Suite struct BugAddressTests {
    @Test(
        arguments: [
            ("square/okhttp#9726", "https://github.com/square/okhttp/issues/9726"),
            ("OCA/bank-statement-import PR#905", "https://github.com/OCA/bank-statement-import/pull/905"),
            ("liberapay/liberapay.com#1066", "https://github.com/liberapay/liberapay.com/issues/1066"),
            ("KTOR-6569", "https://youtrack.jetbrains.com/issue/KTOR-6569"),
            ("https://gitlab.com/gnachman/iterm2/-/issues/1", "https://gitlab.com/gnachman/iterm2/-/issues/1"),
        ])
    func `each form leads to the thread's page`(text: String, link: String) throws {
        let address = try #require(BugAddress(text))

        #expect(address.text == text)
        #expect(address.link == link)
    }

    @Test(
        arguments: [
            "okhttp#9726", "square/okhttp", "square/okhttp#", "square/okhttp#0", "square/okhttp #9726", "OCA/x pr#905", "NOBODY-12", "KTOR",
            "http://example.org/1", "https://example.org/<script>", "https://example.org",
        ])
    func `a text of another form is rejected`(text: String) {
        #expect(BugAddress(text) == nil)
    }

    @Test func `issue and pull request of one number are one thread, whatever the case of the letters`() {
        #expect(BugAddress("Square/OkHttp PR#9726") == BugAddress("square/okhttp#9726"))
        #expect(BugAddress("square/okhttp#9726") != BugAddress("square/okhttp#972"))
        #expect(BugAddress("square/okhttp#9726") != BugAddress("square/okio#9726"))
        #expect(Set([BugAddress("a/b#1"), BugAddress("A/b PR#1"), BugAddress("KT-1")]).count == 2)
    }

    private static let suite = """
        contract: 1
        suite: toy
        cases:
        - id: toy.case
          why: because
          bugs: [square/okhttp#9726, KTOR-6569]
          needs: [accounts]
          steps: [accounts]
          expect: [{control: 1}]
        """

    @Test func `a case's bugs are on its instances and in its explanation`() throws {
        let complaints = Complaints()
        let suite = Contracts.Suite(Make.node(Self.suite, complaints), name: "toy", complaints)
        let contract = try #require(suite?.cases.first)
        let instances = contract.instances(on: Make.bank, complaints)

        #expect(complaints.all.isEmpty)
        #expect(instances.first?.bugs.map(\.text) == ["square/okhttp#9726", "KTOR-6569"])
        let text = CaseExplanation(contract, instances).text
        #expect(text.contains("\nbug         square/okhttp#9726 https://github.com/square/okhttp/issues/9726\n"))
        #expect(text.contains("\nbug         KTOR-6569 https://youtrack.jetbrains.com/issue/KTOR-6569\n"))
    }

    @Test func `a wrong address is a complaint with its position`() {
        let complaints = Make.complaints(Self.suite.replacing("square/okhttp#9726", with: "okhttp#9726"))

        #expect(complaints.count == 1)
        #expect(complaints.first?.hasPrefix("t.yaml:6:10: found `okhttp#9726`, expected a public bug such as `square/okhttp#9726`") == true)
    }

    @Test func `the page of a report links to them, and its file keeps them`() throws {
        var result = try #require(Report.result().objectWith("bugs", ["square/okhttp#9726"]))
        let document = try Report.document(result)
        let page = HTMLReport([document]).text
        let again = try ReportDocument(json: document.json, file: "b.json")

        let link = #"<a class="away" rel="noreferrer" href="https://github.com/square/okhttp/issues/9726">square/okhttp#9726</a>"#
        #expect(page.contains(##"because Bugs: \##(link) <a href="#case-toy.case">About the case</a></p>"##))
        #expect(page.contains("because Bugs: \(link)</span>"))
        #expect(again.results.first?.bugs.map(\.text) == ["square/okhttp#9726"])
        result = Report.result()
        #expect(!HTMLReport([try Report.document(result)]).text.contains("Bugs:"))
    }
}

extension JSON {
    /// The object with one more member; nil for anything else.
    fileprivate func objectWith(_ key: String, _ value: JSON) -> JSON? {
        guard case .object(var object) = self else { return nil }
        object[key] = value
        return .object(object)
    }
}
