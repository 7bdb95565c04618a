import BankClient
import DriverProtocol
import Foundation

extension ClientParts {
    /// Stores the attempt to sign in on the bank's page in a file, and continues it after a restart, as an app does that the system ends while
    /// the browser is in front of it.
    mutating func keepAttempt(_ start: CaseStart) {
        guard let page = pageSignIn else { return }
        let path = start.stateDirectory + "/sign-in-attempt.json"
        pageSignIn?.makeAddress = { attempt in
            var kept = attempt
            kept.app.secret = nil
            let content = try? JSONEncoder().encode(kept)
            _ = FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: 0o600])
            return page.makeAddress(attempt)
        }
        pageSignIn?.answers = EndingAnswers(base: page.answers, path: path)
        guard start.resumed, let content = FileManager.default.contents(atPath: path),
            var kept = try? JSONDecoder().decode(SignInAttempt.self, from: content)
        else { return }
        kept.app.secret = page.app.secret
        page.resume(kept)
    }
}

/// Removes the stored attempt once its answer has come: it ends with that, whatever becomes of its code.
private struct EndingAnswers: AnswerReading {
    let base: any AnswerReading
    let path: String

    func code(in address: String, of attempt: SignInAttempt) throws(SignInFailure) -> String {
        let code: String
        do throws(SignInFailure) { code = try base.code(in: address, of: attempt) } catch {
            if !error.isForeign { end() }
            throw error
        }
        end()
        return code
    }

    private func end() { try? FileManager.default.removeItem(atPath: path) }
}
