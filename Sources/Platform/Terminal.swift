/// The terminal behind a stream.
package enum Terminal {
    /// The terminal's width now, in columns; nil if the stream is not a terminal, or its width is unknown (`TIOCGWINSZ`, tty_ioctl(4)).
    package static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
