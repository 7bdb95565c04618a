import BankClient
import BankModel
import DriverProtocol
import Foundation

extension Mutant {
    /// Mistakes with lists in pages.
    static var pages: [Mutant] {
        [
            reading("first-page-only", "reads the first page only", killedBy: ["pages.all-rows-once"]) { pages, _ in pages.isOver = true },
            reading(
                "short-page-is-the-last", "treats a page with fewer than ten rows as the last",
                killedBy: ["pages.short-page-is-not-the-last"]
            ) { pages, _ in pages.isOver = pages.rowsOfPage < 10 },
            reading(
                "trusts-cursors", "follows every next page, even one that refers to itself", killedBy: ["pages.repeated-cursor-stops"]
            ) { pages, _ in pages.isOver = pages.count >= 999 },
            reading(
                "pages-without-bound", "reads next pages without a limit", killedBy: ["pages.bounded"]
            ) { pages, _ in pages.isOver = pages.count >= 1200 },
            reading(
                "shows-what-came", "shows the pages before a failed one as the whole list",
                killedBy: ["pages.no-partial-shown-as-whole", "pages.refused-page-not-shown-as-whole"]
            ) { pages, failure in
                if failure != nil, pages.count > 0 {
                    pages.isOver = true
                    pages.isForgiven = true
                }
            },
            reading(
                "expired-cursor-is-the-end", "treats an expired cursor as the end of the list",
                killedBy: ["pages.expired-cursor-restarts", "pages.expired-cursor-every-time", "pages.changed-midway-restarts"]
            ) { pages, failure in
                if failure?.problem == "cursor-expired", pages.count > 0 {
                    pages.isOver = true
                    pages.isForgiven = true
                }
            },
            reading(
                "restarts-for-ever", "starts over endlessly whenever a cursor has expired",
                killedBy: ["pages.expired-cursor-every-time"]
            ) { pages, failure in
                if failure?.problem == "cursor-expired" {
                    pages.isForgiven = pages.restarts < 200
                    pages.beginsAgain = true
                }
            },
            Mutant(
                "empty-page-is-an-error", "treats a page without rows as an error", killedBy: ["pages.beyond-the-end"], control: paying
            ) { parts, _ in
                parts.read { json throws(ClientFailure) in
                    guard json["transactions"]?.array?.isEmpty != true else { throw .mutant(.notFound) }
                    return json
                }
            },
            Mutant(
                "ignores-replaces", "shows a booked row beside the pending one that it replaces",
                killedBy: ["pages.pending-becomes-settled"], control: paying
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in row.with("replaces") { _ in .null } }
            },
            Mutant(
                "only-adds", "adds to its stored rows and never deletes any",
                killedBy: ["data.withdrawn-rows-vanish", "pages.pending-settles-meanwhile"], control: paying
            ) { parts, _ in
                let kept = Kept()
                parts.showRows { rows in kept.adding(rows) }
            },
        ]
    }

    private static func reading(
        _ name: String, _ mistake: String, killedBy: [String],
        step: @escaping @Sendable (inout StepwisePages.Progress, ClientFailure?) -> Void
    ) -> Mutant {
        Mutant(name, mistake, killedBy: killedBy, control: paying) { parts, start in
            let reading = Reading(timeZone: TimeZone(identifier: start.timeZone) ?? .gmt, pages: StepwisePages(step: step))
            parts.adapter = KnownBanks.adapter(start.bank, reading, clock: parts.caller.clock) ?? parts.adapter
        }
    }
}

/// Reads page after page until `step` ends it.
private struct StepwisePages: PageReading {
    struct Progress {
        /// Pages read since the list was last begun.
        var count = 0
        /// Rows of the page that was read last.
        var rowsOfPage = 0
        var restarts = 0
        /// True: what was read is shown as the list.
        var isOver = false
        /// True: the failure counts for nothing.
        var isForgiven = false
        var beginsAgain = false
    }

    /// Called after each page and each failure.
    let step: @Sendable (inout Progress, ClientFailure?) -> Void

    func read(
        _ page: (_ cursor: String?) async throws(ClientFailure) -> ListPage
    ) async throws(ClientFailure) -> (rows: [JSON], isComplete: Bool) {
        var progress = Progress()
        var rows: [JSON] = []
        var cursor: String?
        while true {
            do throws(ClientFailure) {
                let page = try await page(cursor)
                rows += page.rows
                progress.count += 1
                progress.rowsOfPage = page.rows.count
                step(&progress, nil)
                guard !progress.isOver, let next = page.next else { return (rows, true) }
                cursor = next
            } catch {
                progress.isForgiven = false
                step(&progress, error)
                guard progress.isForgiven else { throw error }
                guard progress.beginsAgain else { return (rows, true) }
                progress.restarts += 1
                progress.count = 0
                rows = []
                cursor = nil
            }
        }
    }
}
