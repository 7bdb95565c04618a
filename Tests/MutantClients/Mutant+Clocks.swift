import BankClient
import BankModel
import Platform

extension Mutant {
    /// Mistakes with the clock of the device.
    static var clocks: [Mutant] {
        [
            Mutant(
                "signs-out-by-its-own-clock", "treats a token as expired by the device's time of day, whatever the bank sent",
                killedBy: ["auth.device-clock-signs-nobody-out"]
            ) { parts, _ in
                let clock = parts.caller.clock
                let since = Locked<Instant?>(nil)
                parts.caller.keeper = AroundKeeper(
                    base: parts.caller.keeper,
                    returned: { token in
                        let age = since.withLock { $0 }.map { clock.now() - $0 } ?? .zero
                        return age < .seconds(-60) || age > .seconds(15 * 60) ? nil : token
                    },
                    signedIn: { _ in since.withLock { $0 = clock.now() } })
            },
            Mutant(
                "key-of-the-hour", "makes the key of a payment from the hour of the day", killedBy: ["pay.device-clock-keeps-key"]
            ) { parts, _ in
                let clock = parts.caller.clock
                parts.sends { entry in
                    let hour = clock.now().seconds / 3600 % 24
                    entry.key = "\(entry.key.dropLast(2))\(hour < 10 ? "0" : "")\(hour)"
                }
            },
        ]
    }
}
