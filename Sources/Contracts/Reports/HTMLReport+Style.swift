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
        [hidden] { display: none !important; }
        body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        html { scrollbar-gutter: stable; } body:has(.details:target) { overflow: hidden; }
        header, main { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem; } main { padding-bottom: 3rem; }
        header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: center;
          padding-top: .7rem; padding-bottom: .7rem; background: var(--ground); border-bottom: 1px solid var(--line); }
        h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1.15rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
        h4 { font-size: .9rem; margin: .6rem 0 .2rem; color: var(--quiet); }
        p { margin: .5rem 0; }
        a { color: var(--link); }
        code, pre { font: 13px/1.5 ui-monospace, monospace; }
        .why, .quiet, .legend, small { color: var(--quiet); }
        .tally { margin-right: 1rem; white-space: nowrap; }
        .mark, td a { display: inline-block; min-width: 1.6em; text-align: center; font-weight: 700; text-decoration: none;
          border: 1px solid currentColor; border-radius: 4px; }
        .pass { color: var(--pass); } .fail, .trouble { color: var(--fail); } .harness-error, .inconclusive { color: var(--doubt); }
        .unsupported, .not-exercised, .known { color: var(--none); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 1px; } h2:focus { outline: none; }
        pre { margin: .4rem 0; padding: .6rem .8rem; overflow: auto; max-height: 30rem; background: var(--raised);
          border: 1px solid var(--line); border-radius: 6px; overflow-wrap: normal; }
        .command pre, .exchange pre { white-space: pre-wrap; overflow-wrap: anywhere; }

        /* What is pressed and filled in. */
        button, input[type=search] { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line);
          border-radius: 6px; padding: .15rem .6rem; }
        button { cursor: pointer; white-space: nowrap; } button:hover { border-color: var(--quiet); }
        input[type=search] { background: var(--ground); border-color: var(--quiet); flex: 1 1 12rem; min-width: 0; max-width: 24rem; }
        ::placeholder { color: var(--quiet); opacity: 1; }
        .tools { display: flex; flex-wrap: wrap; flex: 1; gap: .4rem .9rem; align-items: center; }
        .tools label { white-space: nowrap; } #shown { color: var(--quiet); font-variant-numeric: tabular-nums; }
        .command { display: flex; gap: .5rem; align-items: flex-start; margin: .4rem 0; }
        .command pre { flex: 1; min-width: 0; margin: 0; } .command button { min-width: 5rem; }
        summary { cursor: pointer; }

        /* The runs. */
        .run + .run { border-top: 1px solid var(--line); }
        .facts { display: flex; flex-wrap: wrap; gap: .2rem 1.6rem; margin: .5rem 0; }
        .facts div { display: flex; gap: .5rem; } dt { color: var(--quiet); white-space: nowrap; } dd { margin: 0; min-width: 0; }
        .slowest summary { color: var(--quiet); }
        .slowest ol { margin: .3rem 0; padding: 0; list-style: none; }
        .took { display: inline-block; min-width: 5rem; text-align: right; margin-right: .6rem; font-variant-numeric: tabular-nums; }
        .group { margin: .8rem 0; border: 1px solid var(--line); border-left: 3px solid var(--fail); border-radius: 6px; }
        .reason { font-weight: 600; margin: 0; padding: .5rem .8rem; background: var(--raised); }
        .case { padding: .5rem .8rem; } .case + .case, .reason + .case { border-top: 1px solid var(--line); }
        .headline { display: block; font-weight: 600; }

        /* The suites. */
        .legend { margin: 2rem 0 1rem; }
        .suite { border-top: 1px solid var(--line); }
        .suite > summary { padding: .6rem 0; } .suite h2 { display: inline; margin-right: .8rem; }
        table { width: 100%; border-collapse: collapse; margin-bottom: 1.5rem; }
        th, td { border-top: 1px solid var(--line); padding: .5rem; text-align: left; vertical-align: top; }
        tbody th { font-weight: normal; width: 45%; } th .why { display: block; font-size: 13px; }
        tr { scroll-margin-top: 5rem; } tr:target { background: var(--raised); }
        .bank { display: inline-block; margin: 0 1rem .3rem 0; line-height: 1.9; }
        td a:hover { background: var(--raised); }

        /* What happened. */
        .details { display: none; }
        .details:target { display: block; position: fixed; z-index: 2; inset: 0 0 0 auto; width: min(60rem, 100%); overflow: auto;
          padding: 0 1.5rem 1.5rem; background: var(--ground); border-left: 2px solid var(--line); box-shadow: 0 0 4rem #0006; }
        .details .top { position: sticky; top: 0; margin: 0; padding: 1rem 0 .5rem; background: var(--ground); }
        .details h2 { margin: .5rem 0; } .close { float: right; margin-left: 1rem; }
        .exchange { border-top: 1px solid var(--line); padding: .3rem 0; }

        @media (max-width: 700px) {
          header, main, .details:target { padding-left: .8rem; padding-right: .8rem; }
          header { top: -2.7rem; } h1 { width: 100%; } input[type=search] { flex-basis: 6rem; }
          td:not(:has(a:not([hidden]))) { display: none; }
          table, tbody, tr, th, td { display: block; } thead { display: none; }
          tbody th { width: auto; padding: .5rem 0 0; } td { border: 0; padding: .3rem 0; } td[data-client]::before {
            content: attr(data-client); display: block; color: var(--quiet); font-size: 13px; }
          .case { padding: .5rem; } .command { display: block; } .command button { margin-top: .3rem; }
          .tally { margin-right: .6rem; } button { min-height: 2.2rem; }
        }
        @media print {
          header { position: static; } .tools, .command button { display: none; }
          .details { display: block; break-before: page; } ::details-content { display: block; content-visibility: visible; }
        }
        """
}
