import { MAIL_STATES } from '../../../cli/manager/accounts/mail-rows.ts'
import { type Answer, EDITORS, get, page, sentenceOf, type Visit } from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import type { Section, SectionDeps } from '../../../manager/section.ts'

const PATH = '/mails'
const ROWS = 50

/** The mails of the page, with their states. */
export const mailsSection: Section = {
  open: (deps) => ({
    tab: { path: PATH, text: 'mails', roles: EDITORS },
    routes: [get(PATH, EDITORS, (visit) => show(deps, visit))],
  }),
}

function show({ mails }: SectionDeps, { scope, field, words }: Visit): Answer {
  const state = MAIL_STATES.find((one) => one === field('state'))
  const states = state === undefined ? MAIL_STATES : [state]
  const before = /^\d{1,15}$/.test(field('before')) ? Number(field('before')) : Number.MAX_SAFE_INTEGER
  const found = mails.page({ entryPoints: scope.shown, states }, before, ROWS + 1)
  const rows = found.slice(0, ROWS)
  const languages = new Intl.DisplayNames(words.language, { type: 'language' })
  const query = { state: state ?? '' }
  return page('mail/mails', {
    title: words.t.mail.title,
    current: PATH,
    state,
    states: MAIL_STATES,
    rows: rows.map((row) => ({ ...row, fault: row.fault && sentenceOf(row.fault) })),
    languageOf: (tag: string) => (tag === '' ? '' : languages.of(tag)),
    first: before === Number.MAX_SAFE_INTEGER ? null : pathOf(['mails'], query),
    next: found.length > ROWS ? pathOf(['mails'], { ...query, before: String(rows.at(-1)?.id) }) : null,
  })
}
