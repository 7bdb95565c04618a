/// An option of `serve`: how a plain command line gives it, and where ``ServeCommand`` has it.
struct ServeOption {
    /// As it is written, such as `--admin-port`.
    let name: String
    let read: Reading
    /// Takes the value that ArgumentParser has read.
    let copy: (ServeCommand, inout ServeSettings) -> Void

    enum Reading {
        case flag((inout ServeSettings) -> Void)
        /// False for a value that is none.
        case value((inout ServeSettings, String) -> Bool)
    }

    /// Every option; its help and its complaints are ``ServeCommand``'s, its default is that of ``ServeSettings``.
    static var all: [ServeOption] {
        [
            text("--host", \.host, \.host), number("--port", \.port, \.port), number("--admin-port", \.adminPort, \.adminPort),
            text("--admin-host", \.adminHost, \.adminHost), text("--admin-token", \.adminToken, \.adminToken),
            text("--stubs", \.stubs, \.stubs), number("--seed", \.seed, \.seed), text("--node", \.node, \.node),
            flag("--standing", \.standing, \.standing), text("--public-url", \.publicUrl, \.publicUrl),
            text("--public-admin-url", \.publicAdminUrl, \.publicAdminUrl),
            texts("--admin-host-name", \.adminHostNames, \.adminHostName), text("--authority", \.authority, \.authority),
            text("--cors", \.cors, \.cors),
            text("--session-ttl", \.sessionTtl, \.sessionTtl), texts("--quota", \.quotas, \.quota), text("--drain", \.drain, \.drain),
            number("--session-limit", \.sessionLimit, \.sessionLimit),
            number("--journal-memory", \.journalMemory, \.journalMemory), text("--state", \.state, \.state),
            text("--ready-file", \.readyFile, \.readyFile), flag("--tls", \.tls, \.tls), number("--tls-port", \.tlsPort, \.tlsPort),
            text("--ca-out", \.caOut, \.caOut), text("--plan", \.plan, \.plan), flag("--quiet", \.quiet, \.quiet),
        ]
    }

    /// Makes the key path of an option: in ``ServeSettings`` the one, in ``ServeCommand`` the other. Made for an option that is
    /// used: all 52 take a twentieth of the time to a bank's first answer.
    private typealias Setting<Value> = () -> WritableKeyPath<ServeSettings, Value>
    private typealias Given<Value> = () -> KeyPath<ServeCommand, Value>

    private static func flag(
        _ name: String, _ setting: @autoclosure @escaping Setting<Bool>, _ given: @autoclosure @escaping Given<Bool>
    ) -> ServeOption {
        ServeOption(name: name, read: .flag { $0[keyPath: setting()] = true }) { $1[keyPath: setting()] = $0[keyPath: given()] }
    }

    private static func text(
        _ name: String, _ setting: @autoclosure @escaping Setting<String>, _ given: @autoclosure @escaping Given<String>
    ) -> ServeOption {
        value(name, setting, given) { $0 }
    }

    private static func text(
        _ name: String, _ setting: @autoclosure @escaping Setting<String?>, _ given: @autoclosure @escaping Given<String?>
    ) -> ServeOption {
        value(name, setting, given) { .some($0) }
    }

    /// An option that may be given several times.
    private static func texts(
        _ name: String, _ setting: @autoclosure @escaping Setting<[String]>, _ given: @autoclosure @escaping Given<[String]>
    ) -> ServeOption {
        let read = Reading.value { settings, text in
            settings[keyPath: setting()].append(text)
            return true
        }
        return ServeOption(name: name, read: read) { $1[keyPath: setting()] = $0[keyPath: given()] }
    }

    private static func number(
        _ name: String, _ setting: @autoclosure @escaping Setting<Int>, _ given: @autoclosure @escaping Given<Int>
    ) -> ServeOption {
        value(name, setting, given) { Int($0) }
    }

    private static func number(
        _ name: String, _ setting: @autoclosure @escaping Setting<UInt64?>, _ given: @autoclosure @escaping Given<UInt64?>
    ) -> ServeOption {
        value(name, setting, given) { UInt64($0).map(Optional.some) }
    }

    private static func value<Value>(
        _ name: String, _ setting: @escaping Setting<Value>, _ given: @escaping Given<Value>, _ parse: @escaping (String) -> Value?
    ) -> ServeOption {
        let read = Reading.value { settings, text in
            guard let value = parse(text) else { return false }
            settings[keyPath: setting()] = value
            return true
        }
        return ServeOption(name: name, read: read) { $1[keyPath: setting()] = $0[keyPath: given()] }
    }
}
