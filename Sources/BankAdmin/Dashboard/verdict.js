// The judge's verdict on the journal so far, rule by rule.

const SIGNS = { fail: '✗', pass: '✓', inconclusive: '?', 'not-exercised': '○', unsupported: '–', 'harness-error': '!' };
const ORDER = ['fail', 'inconclusive', 'pass', 'not-exercised'];

function showVerdict({ rules, under_way: underWay }) {
  const count = (verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  say($('verdict-badge'), [['fail', 'failed'], ['inconclusive', 'inconclusive'], ['pass', 'passed']].filter(([verdict]) => count(verdict)).map(([verdict, word]) => `${count(verdict)} ${word}`).join(', ')
    + (underWay ? `, ${underWay} under way` : ''));
  $('verdict-badge').classList.toggle('fail', count('fail') > 0);
  const place = (rule) => ORDER.indexOf(rule.verdict) < 0 ? ORDER.length : ORDER.indexOf(rule.verdict);
  const sorted = [...rules].sort((a, b) => place(a) - place(b));
  list($('verdict-list'), sorted, (rule) => rule.id, (rule) => el('li', { class: rule.verdict },
    el('p', {}, el('span', { class: `mark ${rule.verdict}`, 'aria-hidden': 'true' }, SIGNS[rule.verdict] ?? '!'), ' ',
      el('code', {}, rule.id), el('span', { class: 'unseen' }, ` ${rule.verdict}`), rule.level === 'should' ? el('small', {}, ' should') : ''),
    el('p', { class: 'quiet' }, rule.verdict === 'not-exercised' ? `Not exercised: ${rule.trigger} never happened.` : rule.why),
    ...[...rule.violations, ...rule.cannot_tell].map((found) => el('div', { class: found.reason ? 'violation undecided' : 'violation' },
      facts([['expected', found.expected], ['got', found.seen], ...(found.reason ? [['because', found.reason], ['do', found.do]] : [])]),
      el('p', { class: 'row' }, ...found.exchanges.map((seq) =>
        actionButton(`#${seq}`, () => showExchange(seq), { class: 'link', 'aria-label': `Exchange ${seq}` })))))));
}
