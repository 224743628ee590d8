import { MAIL_STATES, type MailRow } from '../../../cli/manager/accounts/mail-rows.ts'
import { invitingIn } from '../../../cli/viewers/viewer-facts.ts'
import { type Answer, EDITORS, get, page, sentenceOf, type Visit } from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import type { Section, SectionDeps } from '../../../manager/section.ts'
import { plansOf, reminderRoutes } from './reminder-pages.ts'
import { BEFORE_START, REMINDER, setReminderKinds } from './send-reminders.ts'

const PATH = '/mails'
const ROWS = 50

/** The mails of the page, with their states. */
export const mailsSection: Section = {
  open(deps) {
    setReminderKinds(deps)
    return {
      tab: { path: PATH, text: 'mails', roles: EDITORS },
      routes: [get(PATH, EDITORS, (visit) => show(deps, visit)), ...reminderRoutes(deps)],
    }
  },
}

function show(deps: SectionDeps, { scope, field, words }: Visit): Answer {
  const { mails, store, entryPoints, viewers, viewerFacts } = deps
  const state = MAIL_STATES.find((one) => one === field('state'))
  const states = state === undefined ? MAIL_STATES : [state]
  const before = /^\d{1,15}$/.test(field('before')) ? Number(field('before')) : Number.MAX_SAFE_INTEGER
  const found = mails.page({ entryPoints: scope.shown, states }, before, ROWS + 1)
  const rows = found.slice(0, ROWS)
  const shown = (row: MailRow) => ({ ...row, fault: row.fault && sentenceOf(row.fault) })
  const languages = new Intl.DisplayNames(words.language, { type: 'language' })
  const query = { state: state ?? '' }
  return page('mail/mails', {
    title: words.t.mail.title,
    current: PATH,
    state,
    states: MAIL_STATES,
    beforeStart: BEFORE_START,
    isInviting: viewers.editable !== null && invitingIn(viewerFacts) !== undefined,
    names: (entryPoints() ?? []).map(({ name }) => name).filter(scope.showsEntryPoint),
    plans: plansOf(deps, scope.shown).map(shown),
    isRunning: ({ id }: MailRow) => store.mails.isRunning(id, REMINDER),
    rows: rows.map(shown),
    languageOf: (tag: string) => (tag === '' ? '' : languages.of(tag)),
    first: before === Number.MAX_SAFE_INTEGER ? null : pathOf(['mails'], query),
    next: found.length > ROWS ? pathOf(['mails'], { ...query, before: String(rows.at(-1)?.id) }) : null,
  })
}
