extension HTMLReport {
    /// Light and dark as the reader's system is; marks differ by sign as well as by colour.
    static let style = """
        :root {
          color-scheme: light dark;
          --ground: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --raised: #f6f8fa; --link: #0550ae;
          --pass: #116329; --fail: #a40e26; --doubt: #7d4e00; --none: #57606a;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --raised: #151b23; --link: #79c0ff;
            --pass: #56d364; --fail: #ff7b72; --doubt: #e3b341; --none: #9198a1;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
        main { max-width: 76rem; margin: 0 auto; padding: 1.5rem; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
        code, pre { font: 13px/1.5 ui-monospace, monospace; }
        .run { border-top: 1px solid var(--line); }
        .meta, .why, .legend, small { color: var(--quiet); }
        .trouble { color: var(--fail); }
        .tally { margin-right: 1rem; white-space: nowrap; }
        table { width: 100%; border-collapse: collapse; margin: 2rem 0; }
        caption { text-align: left; font-weight: 600; font-size: 1.15rem; padding: .4rem 0; }
        th, td { border-top: 1px solid var(--line); padding: .5rem; text-align: left; vertical-align: top; }
        tbody th { font-weight: normal; width: 45%; }
        th .why { display: block; font-size: 13px; }
        .failures { padding-left: 1.2rem; } .failures a { color: var(--link); overflow-wrap: anywhere; }
        .failures li { margin-bottom: .3rem; overflow-wrap: anywhere; } summary { cursor: pointer; color: var(--quiet); }
        .reason, .headline { font-weight: 600; overflow-wrap: anywhere; margin-bottom: .3rem; }
        .bank { display: inline-block; margin: 0 1rem .3rem 0; line-height: 1.9; }
        td a, .mark {
          display: inline-block; min-width: 1.6em; text-align: center; font-weight: 700; text-decoration: none;
          border: 1px solid currentColor; border-radius: 4px;
        }
        td a:hover { background: var(--raised); }
        a:focus-visible, pre:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
        .pass { color: var(--pass); } .fail { color: var(--fail); } .harness-error, .inconclusive { color: var(--doubt); }
        .unsupported, .not-exercised, .known { color: var(--none); }
        .details { display: none; }
        .details:target {
          display: block; position: fixed; inset: 0 0 0 auto; width: min(60rem, 100vw); overflow: auto; padding: 1.5rem;
          background: var(--ground); border-left: 2px solid var(--line); box-shadow: 0 0 4rem #0006;
        }
        .close { float: right; color: var(--link); }
        .details p { overflow-wrap: anywhere; }
        pre { margin: 0; padding: .8rem; overflow: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
        @media print { .details { display: block; break-before: page; } }
        """
}
