import Testing

/// Tests over real sockets. One at a time: their clients block the thread they run on, and some measure time.
@Suite(.serialized) enum WireTests {}
