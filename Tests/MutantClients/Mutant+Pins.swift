import BankClient
import BankModel
import ClientDriver
import DriverProtocol

/// Mistakes of clients that pin the bank's keys.
extension Mutant {
    static var pins: [Mutant] {
        [
            Mutant(
                "pins-without-a-backup", "pins the current key, but not the backup key", killedBy: ["tls.pinned-backup-goes-on"]
            ) { parts, start in
                parts.caller.transport = CurlTransport(
                    limits: TransportLimits(start), caFile: start.caFile, pins: Array(start.pins.prefix(1)))
                parts.useStore(parts.store)
            },
            Mutant(
                "compares-no-pin", "has pins, and compares none of them", killedBy: ["tls.pinned-other-key-refused"]
            ) { parts, start in
                parts.caller.transport = CurlTransport(limits: TransportLimits(start), caFile: start.caFile)
                parts.useStore(parts.store)
            },
            Mutant(
                "pins-and-verifies-nothing", "accepts a pinned key in any certificate, without verifying the certificate",
                killedBy: ["tls.pinned-still-verified"]
            ) { parts, start in
                let trusts = !start.pins.isEmpty
                parts.useNaiveTransport(start, .init(verifiesPeer: !trusts, verifiesHost: !trusts, pins: start.pins))
            },
        ]
    }
}
