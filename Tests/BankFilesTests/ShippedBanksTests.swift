import BankCore
import BankFiles
import BankModel
import Testing

@Suite struct ShippedBanksTests {
    @Test func allBanksAndDialectsAreSound() {
        let check = Shipped.library.check()

        #expect(check.complaints.map(\.description) == [])
        #expect(check.banks.count >= 3)
        #expect(check.dialects.count >= 3)
    }
}
