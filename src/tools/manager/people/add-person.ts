import { cleanName } from '../../../typed-text.ts'
import { findPasswordFault } from '../../../users/passwords/new-password.ts'
import { type Answer, page, redirect, refused, type Sentence, sentenceOf, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import type { SectionDeps } from '../section.ts'
import { invitationRules, sendLink } from './account-acts.ts'
import { endField } from './end-field.ts'
import { typedAccount } from './viewer-form.ts'

/** Adds one viewer, who gets an invitation or a password. */
export function addPages(deps: SectionDeps) {
  const { viewers } = deps
  const ends = endField(deps)
  function show(visit: Visit, refused?: Sentence): Answer {
    const fault = refused ? visit.words.say(refused.text, refused.values) : ''
    const knownGroups = visit.scope.groups ?? []
    const model = { title: visit.words.t.people.addTitle, current: '/people', fault, knownGroups, hasEnd: ends.isThere }
    return page(viewers.editable === null ? 'people-elsewhere' : 'person-add', model, refused ? 400 : 200)
  }
  async function add(visit: Visit): Promise<Answer> {
    const { editable } = viewers
    const { field } = visit
    if (editable === null) return show(visit, { text: 'people.elsewhere' })
    const username = cleanName(field('username'))
    if (username === '') return show(visit, { text: 'people.nameMissing' })
    const typed = typedAccount(visit, username)
    if (!typed.ok) return show(visit, typed.fault)
    const password = field('password')
    const weak = password === '' ? null : await findPasswordFault(password, username, [])
    if (weak !== null) return show(visit, { text: `sheet.faults.password.${weak.reason}` })
    const viewer = { username, groups: typed.groups, attributes: ends.withEnd(typed.attributes, typed.end?.text, true) }
    const rules = field('invite') === 'on' && password === '' ? await invitationRules(deps, visit) : null
    if (rules?.faultIn(viewer)) return show(visit, { text: 'sheet.faults.notInvited' })
    const added = await editable.add(viewer, password === '' ? null : password)
    if (!added.ok) return show(visit, sentenceOf(added))
    const invited = field('invite') === 'on' ? await sendLink(deps, visit, editable, username) : null
    const to = pathOf(['people', 'one', added.viewer.username])
    const subject = { viewer: added.viewer.username }
    const values = { name: username }
    if (invited?.ok === false) return refused(to, 'people.addedOnly', invited, { values, subject })
    return redirect(to, { tone: 'done', text: invited ? 'people.addedInvited' : 'people.added', values }, subject)
  }
  return { show: (visit: Visit) => show(visit), add }
}
