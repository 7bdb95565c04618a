import BankModel
package import CounterfoilDriver
import DriverProtocol
import Foundation

/// A driver on standard input and output: `counterfoil client --drive` and the mutants run it.
package enum StandardStreams {
    /// Operates the client until standard input ends.
    package static func drive(_ client: any ClientUnderTest) async {
        let output = LineOutput(descriptor: STDOUT_FILENO)
        let errors = LineOutput(descriptor: STDERR_FILENO)
        var loop = DriverLoop(client, write: { output.write($0.line) }, complain: { errors.write("counterfoil client: \($0)".inOneLine) })
        await loop.run(LineInput.lines())
    }

    /// Reports to a user on standard error.
    @Sendable package static func warn(_ text: String) {
        LineOutput(descriptor: STDERR_FILENO).write("counterfoil client: \(text)".inOneLine)
    }
}
