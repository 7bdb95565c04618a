import BankModel
import Testing

/// Fields of a query or form.
@Suite struct FormFieldsTests {
    @Test func `fields are decoded and stay in their order`() {
        let fields = FormFields("b=1+2&a=%26&b=3&&c&d=x=y")

        #expect(fields.all == [("b", "1 2"), ("a", "&"), ("b", "3"), ("c", ""), ("d", "x=y")].map { FormFields.Field($0.0, $0.1) })
        #expect(fields["b"] == "1 2")
        #expect(fields["e"] == nil)
        #expect(fields.values("b") == ["1 2", "3"])
        #expect(fields.names == ["a", "b", "c", "d"])
        #expect(fields.repeated == ["b"])
        #expect(!fields.isBroken)
        #expect(FormFields(fields.text) == fields)
    }

    @Test func `a field with broken escapes is kept as it is written, or left out`() {
        let kept = FormFields("a=%zz&b=1")
        let left = FormFields("a=%zz&b=1", broken: .leftOut)

        #expect(kept.all == [FormFields.Field("a", "%zz"), FormFields.Field("b", "1")])
        #expect(left.all == [FormFields.Field("b", "1")])
        #expect(kept.isBroken && left.isBroken)
    }

    @Test(
        arguments: [
            ("a=1&b=%zz&c=%ff", "b"), ("%C3%A9=%", "é"), ("%zz=1", "%zz"), ("a=%41", nil), ("a%0Ab%1B=%zz", "a b\\u001b"),
            (String(repeating: "x", count: 80) + "%z", String(repeating: "x", count: 60) + "… (82 characters in all)"),
        ] as [(String, String?)])
    func `the first field with broken escapes is named`(_ text: String, _ name: String?) {
        #expect(FormFields(text).firstBroken == name)
        #expect(FormFields(text, broken: .leftOut).firstBroken == name)
    }

    @Test(arguments: [("http://a/b?x=1#y=2", ["x"]), ("http://a/b", []), ("http://a/b?", []), ("http://a/#?x=1", [])])
    func `the fields of an address are those of its query`(_ address: String, _ names: [String]) {
        #expect(FormFields(ofAddress: address).all.map(\.name) == names)
    }
}
