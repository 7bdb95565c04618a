extension ReportDocument {
    /// A badge as SVG that loads nothing: green if the command ends with 0, red after a failure, brown without a verdict.
    package static func badge(of runs: [ReportDocument], _ code: ExitCode) -> String {
        let results = runs.flatMap(\.results)
        let failed = results.filter { $0.verdict == .fail && !$0.isKnownFailure }
        let atMust = failed.count { $0.level == .must }
        let failures = atMust > 0 ? atMust : failed.count
        let (text, colour) =
            switch code {
            case .ok: ("\(ResultCounts(results).count(.pass)) passed", "#116329")
            case .failed: (failures > 0 ? "\(failures) failed" : "failed", "#a40e26")
            case .staleKnownFailing: ("known failure passed", "#7d4e00")
            case .nothingExercised: ("nothing exercised", "#7d4e00")
            case .noVerdict, .usage: ("no verdict", "#7d4e00")
            }
        let left = width("counterfoil")
        let right = width(text)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(left + right)" height="20" role="img" aria-label="counterfoil: \(text)">
            <title>\(escaped(runs.map(\.summary).joined(separator: "\n")))</title>
            <rect width="\(left + right)" height="20" rx="3" fill="#3d444d"/>
            <path d="M\(left) 0h\(right - 3)a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H\(left)z" fill="\(colour)"/>
            <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
            <text x="7" y="14" textLength="\(left - 14)">counterfoil</text>
            <text x="\(left + 7)" y="14" textLength="\(right - 14)">\(text)</text>
            </g>
            </svg>

            """
    }

    /// The width of a text with its margins, in pixels: `textLength` fits the letters of any font into it.
    private static func width(_ text: String) -> Int { text.count * 6 + 14 }
}
