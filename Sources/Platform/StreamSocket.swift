/// A TCP socket by its descriptor. It is not closed by itself.
package struct StreamSocket: Sendable, Hashable {
    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Opens one.
    ///
    /// - Parameter family: AF_INET or AF_INET6.
    /// - Returns: nil if there is none to be had; `errno` has the reason.
    package static func open(_ family: Int32 = AF_INET) -> StreamSocket? {
        let descriptor = socket(family, Native.stream, 0)
        guard descriptor >= 0 else { return nil }
        Native.quieten(descriptor)
        return StreamSocket(descriptor: descriptor)
    }

    /// Whether a socket that is bound and does not listen can keep a port beside the one that listens on it.
    package static let isPortSharedWithListener = Native.isPortSharedWithListener

    /// Whether ``stopListening()`` and ``abort()`` have their effect even if another process has the socket.
    package static let endsSharedSockets = Native.endsSharedSockets

    // MARK: addresses

    /// Why no connection was made, in the system's words.
    package struct ConnectFailure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Connects to a host by its name or address, the first of its addresses that accepts.
    ///
    /// - Parameter milliseconds: how long each read, and each write, waits; on Linux each attempt to connect, too.
    package static func connected(to host: String, port: Int, milliseconds: Int) throws(ConnectFailure) -> StreamSocket {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Native.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw ConnectFailure(description: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var reason = ECONNREFUSED
        var next = list
        while let address = next?.pointee {
            next = address.ai_next
            guard let socket = open(address.ai_family) else {
                reason = errno
                continue
            }
            socket.setTimeouts(milliseconds: milliseconds)
            if systemConnect(socket.descriptor, address.ai_addr, address.ai_addrlen) == 0 { return socket }
            reason = errno
            socket.close()
        }
        throw ConnectFailure(description: String(cString: strerror(reason)))
    }

    /// Connects it.
    ///
    /// - Parameter host: an IPv4 address in digits.
    /// - Returns: false if it cannot; `errno` has the reason.
    package func connect(to port: Int, of host: String = "127.0.0.1") -> Bool {
        StreamSocket.withAddress(host, port) { address, size in systemConnect(descriptor, address, size) } == 0
    }

    /// Binds it to a port of 127.0.0.1.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Returns: false if it cannot be had; `errno` has the reason.
    package func bind(to port: Int) -> Bool {
        StreamSocket.withAddress("127.0.0.1", port) { address, size in bind(to: address, size) ? 0 : -1 } == 0
    }

    /// Binds it to an address.
    ///
    /// - Returns: false if it cannot be had; `errno` has the reason.
    package func bind(to address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Bool { systemBind(descriptor, address, size) == 0 }

    /// Starts listening.
    ///
    /// - Parameter backlog: how many may wait to be accepted.
    /// - Returns: false if it cannot; `errno` has the reason.
    package func listen(backlog: Int32) -> Bool { systemListen(descriptor, backlog) == 0 }

    /// Accepts a connection, waiting for one.
    ///
    /// - Returns: nil if it no longer listens.
    package func accept() -> StreamSocket? {
        while true {
            let connection = systemAccept(descriptor)
            if connection >= 0 {
                Native.quieten(connection)
                return StreamSocket(descriptor: connection)
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// Makes every call on it return at once.
    package func stopBlocking() { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) }

    /// Makes its port available again as soon as it is closed (SO_REUSEADDR).
    package func reuseAddress() { set(SO_REUSEADDR, Int32(1)) }

    /// The port that it is bound to; nil if it is not.
    package var port: Int? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0 else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            // Both kinds of address have the port after two bytes, in the network's order.
            Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    private static func withAddress(_ host: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    // MARK: bytes

    /// Bounds how long one read, or one write, waits.
    package func setTimeouts(milliseconds: Int) {
        let time = timeval(tv_sec: .init(milliseconds / 1000), tv_usec: .init(milliseconds % 1000 * 1000))
        set(SO_RCVTIMEO, time)
        set(SO_SNDTIMEO, time)
    }

    /// Sends bytes, and raises no signal if the other side is gone.
    ///
    /// - Returns: how many were taken; -1 if none can be, and `errno` has the reason.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Int { systemSend(descriptor, bytes.baseAddress, bytes.count, Native.sendFlags) }

    /// Reads what has arrived, or waits for it.
    ///
    /// - Returns: how many bytes were read; 0 at the end, -1 if none can be, and `errno` has the reason.
    package func receive(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        systemReceive(descriptor, bytes.baseAddress, bytes.count, 0)
    }

    /// Whether bytes have arrived that nobody has read. It does not wait, and reads none of them.
    package var hasUnreadBytes: Bool {
        var byte: UInt8 = 0
        return systemReceive(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// The bytes that the kernel has not yet sent, or sent and not yet seen confirmed.
    package var unsentBytes: Int { Native.unsentBytes(descriptor) }

    /// The bytes that have arrived and that nobody has read.
    package var unreadBytes: Int { Native.unreadBytes(descriptor) }

    // MARK: the end

    /// Ends writing, and goes on reading.
    package func shutdownWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Stops listening, even if another process has the socket: a process that is being started has a copy of each until it runs its own program.
    /// On Apple's systems it has no effect.
    package func stopListening() { _ = shutdown(descriptor, Int32(SHUT_RD)) }

    package func close() { systemClose(descriptor) }

    /// Sends RST and discards what the kernel has not sent, even if another process has the socket: until a process that is being started
    /// runs its own program, it has a copy, and a close alone lets the kernel go on sending. The caller closes the socket.
    /// On Apple's systems the RST is sent at the close.
    package func abort() {
        set(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        Native.disconnect(descriptor)
    }

    /// Closes it with a reset.
    package func reset() {
        abort()
        close()
    }

    private func set<Value: BitwiseCopyable>(_ option: Int32, _ value: Value) {
        var value = value
        setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
}

// The system's calls, which members of the same names hide.

private func systemConnect(_ socket: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t) -> Int32 {
    connect(socket, address, size)
}

private func systemBind(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 { bind(socket, address, size) }

private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(socket, bytes, count, flags)
}

private func systemReceive(_ socket: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    recv(socket, bytes, count, flags)
}

private func systemListen(_ socket: Int32, _ backlog: Int32) -> Int32 { listen(socket, backlog) }

private func systemAccept(_ socket: Int32) -> Int32 { accept(socket, nil, nil) }

private func systemClose(_ socket: Int32) { _ = close(socket) }
