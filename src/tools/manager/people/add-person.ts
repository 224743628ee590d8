import { cleanName } from '../../../typed-text.ts'
import { faultInUsername } from '../../../users/viewer-fields.ts'
import { type Answer, faultText, page, redirect, refused, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import type { SectionDeps } from '../section.ts'
import { invitationRules, sendLink } from './account-acts.ts'
import { endField } from './end-field.ts'
import { typedAccount } from './viewer-form.ts'

/** Adds one viewer, who gets an invitation or a password. */
export function addPages(deps: SectionDeps) {
  const { viewers } = deps
  const ends = endField(deps)
  function show(visit: Visit, fault = '', status = 200): Answer {
    const knownGroups = visit.scope.groups ?? []
    const model = { title: visit.words.t.people.addTitle, current: '/people', fault, knownGroups, hasEnd: ends.isThere }
    return page(viewers.editable === null ? 'people-elsewhere' : 'person-add', model, status)
  }
  async function add(visit: Visit): Promise<Answer> {
    const { editable } = viewers
    const { words, field } = visit
    if (editable === null) return show(visit, '', 400)
    const username = cleanName(field('username'))
    const inName = username === '' ? words.t.people.nameMissing : faultInUsername(username)
    if (inName !== null) return show(visit, inName, 400)
    const typed = typedAccount(visit)
    if (!typed.ok) return show(visit, words.say(typed.fault.text, typed.fault.values), 400)
    const password = field('password')
    const viewer = { username, groups: typed.groups, attributes: ends.withEnd(typed.attributes, typed.end?.text, true) }
    const rules = field('invite') === 'on' && password === '' ? await invitationRules(deps) : null
    if (rules?.faultIn(viewer)) return show(visit, words.t.sheet.faults.notInvited, 400)
    const added = await editable.add(viewer, password === '' ? null : password)
    if (!added.ok) return show(visit, faultText(added.fault, words), 400)
    const invited = field('invite') === 'on' ? await sendLink(deps, editable, username) : null
    const to = pathOf(['people', 'one', added.viewer.username])
    const subject = { viewer: added.viewer.username }
    const values = { name: username }
    if (invited?.ok === false) return refused(visit, to, 'people.addedOnly', invited.fault, { values, subject })
    return redirect(to, { tone: 'done', text: invited ? 'people.addedInvited' : 'people.added', values }, subject)
  }
  return { show: (visit: Visit) => show(visit), add }
}
