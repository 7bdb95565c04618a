extension StreamSocket {
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

    /// Reads what has arrived, or waits for it.
    ///
    /// - Returns: how many bytes were read; 0 at the end, -1 if none can be, and `errno` has the reason.
    package func receive(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        systemReceive(descriptor, bytes.baseAddress, bytes.count)
    }
}

// The system's calls, which members of the same names hide.

private func systemConnect(_ socket: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t) -> Int32 {
    connect(socket, address, size)
}

private func systemReceive(_ socket: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int { recv(socket, bytes, count, 0) }
