import BankModel
import Testing

@Suite struct TextFormTests {
    @Test(
        arguments: [
            ("", TextForm.empty), ("GBP", .currency), ("Gas", .any), ("1200", .digits), ("12.00", .amount), ("-7", .amount),
            ("1.2.3", .any),
            ("--1", .any), ("2026-01-12", .day), ("2026-13-12", .any), ("2026-01-12T09:15:00Z", .instant),
            ("2026-01-12T09:15:00.000Z", .instantWithFraction), ("2026-01-12T09:15:00+01:00", .instantWithOffset),
            ("2026-01-12T09:15:00.5+01:00", .instantWithFractionAndOffset), ("5f1c0a10-0000-4000-8000-000000000a01", .uuid),
            ("5f1c0a10-0000-4000-8000-00000000zz01", .any), ("https://bank.example/icon.png", .address), ("Rent for May", .any),
        ])
    func `a text is reported by how it is written`(text: String, form: TextForm) {
        #expect(TextForm(text) == form)
    }
}
