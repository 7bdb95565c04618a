extension HTMLReport {
    /// The source expression of the page's policy that allows ``script`` and no other, with the line ends around it
    /// (`Tests/Shell/report-page.sh` holds that it is the script's).
    static let scriptHash = "sha256-BMNhhBy9SuuJ+kyXfqZEO+4tK6WlnM1LKqJ+Mc1SBLU="

    /// Filter, folding, Escape and copying. It takes what the page shows, and puts in nothing but fixed texts.
    static let script = #"""
        const $ = (id) => document.getElementById(id);
        const all = (selector, root = document) => [...root.querySelectorAll(selector)];

        // The filter: every word must be in what stands beside a mark.
        const suites = all('.suite').map((suite) => ({
          suite,
          rows: all('tbody tr', suite).map((row) => ({
            row,
            marks: all('td a', row).map((mark) => ({
              mark,
              text: `${suite.querySelector('h2').textContent} ${row.firstChild.textContent} ${mark.getAttribute('aria-label')}`.toLowerCase(),
              failed: mark.matches('.fail, .known, .inconclusive, .harness-error'),
            })),
          })),
        }));
        const total = all('.suite td a').length;
        let folded = null;

        function sift() {
          const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
          const fits = (text) => words.every((word) => text.includes(word));
          const isOn = words.length > 0 || $('failed').checked;
          if (isOn && !folded) folded = suites.map(({ suite }) => suite.open);
          let shown = 0;
          suites.forEach(({ suite, rows }, index) => {
            for (const { row, marks } of rows) {
              for (const each of marks) each.mark.hidden = !(fits(each.text) && (each.failed || !$('failed').checked));
              for (const bank of all('.bank', row)) bank.hidden = !bank.querySelector('a:not([hidden])');
              row.hidden = marks.every(({ mark }) => mark.hidden);
              shown += marks.filter(({ mark }) => !mark.hidden).length;
            }
            suite.hidden = rows.every(({ row }) => row.hidden);
            suite.open = isOn ? !suite.hidden : folded ? folded[index] : suite.open;
          });
          if (!isOn) folded = null;
          // A case is shown by its example: a word of another instance only would leave one on the page that does not have it.
          for (const each of all('.case')) {
            const example = [each.querySelector('summary'), each.querySelector('p')].map((part) => part.textContent).join(' ');
            each.hidden = !fits(example.toLowerCase());
          }
          for (const group of all('.group')) group.hidden = !group.querySelector('.case:not([hidden])');
          $('shown').textContent = isOn ? `${shown} of ${total}` : '';
        }
        $('filter').addEventListener('input', sift);
        $('failed').addEventListener('change', sift);

        // Folding.
        const isUnfolded = () => suites.some(({ suite }) => suite.open);
        const name = () => { $('fold').textContent = isUnfolded() ? 'Collapse all' : 'Expand all'; };
        $('fold').addEventListener('click', () => {
          const open = !isUnfolded();
          for (const { suite } of suites) suite.open = open;
        });
        for (const { suite } of suites) suite.addEventListener('toggle', name);

        // Details: the link that opened them gets the focus back, and the page stays where it was.
        let opener = null;
        const opened = () => document.querySelector('.details:target');

        function look() {
          const details = opened();
          for (const part of all('header, main')) part.inert = Boolean(details);
          if (details) details.querySelector('h2').focus({ preventScroll: true });
          else if (opener) { opener.focus({ preventScroll: true }); opener = null; }
        }
        function close() {
          // No element has this id, so that nothing scrolls.
          location.hash = opener ? 'closed' : opened().querySelector('.close').hash;
        }
        addEventListener('hashchange', look);
        // By then the browser has gone to the fragment of the page's address.
        addEventListener('load', look);
        document.addEventListener('click', (event) => {
          const link = event.target.closest('a');
          const details = opened();
          if (details) {
            if (link?.matches('.close') || !event.target.closest('.details')) { event.preventDefault(); close(); }
          } else if (link) {
            opener = link;
          }
        });

        /** Closes what is open: the details; else the filter; else what is unfolded around the focus. */
        document.addEventListener('keydown', (event) => {
          if (event.key !== 'Escape') return;
          if (opened()) return close();
          if (event.target === $('filter')) { $('filter').value = ''; return sift(); }
          const unfolded = document.activeElement.closest('details[open]');
          if (!unfolded) return;
          unfolded.open = false;
          unfolded.querySelector('summary').focus();
        });

        // Copying.
        function select(text) {
          getSelection().selectAllChildren(text);
          return document.execCommand('copy');
        }
        async function copy(button, text) {
          let isCopied = true;
          try { await navigator.clipboard.writeText(text.textContent); } catch { isCopied = select(text); }
          button.textContent = isCopied ? 'Copied' : 'Press Ctrl-C';
          setTimeout(() => { button.textContent = 'Copy'; }, 2000);
        }
        for (const block of all('.command')) {
          const button = document.createElement('button');
          button.type = 'button';
          button.textContent = 'Copy';
          button.addEventListener('click', () => copy(button, block.querySelector('pre')));
          block.append(button);
        }

        document.querySelector('.tools').hidden = false;
        sift();
        """#
}
