import { readFeatureSettings } from '../../../../config.ts'
import { isMailAddress, MAIL_SETTINGS } from '../../../../services/mail/settings.ts'
import { sendOneMail } from '../../../../services/mail/smtp.ts'
import { cleanText } from '../../../../typed-text.ts'
import {
  type Answer,
  EDITORS,
  get,
  type Notice,
  page,
  post,
  redirect,
  sentenceOf,
  type Visit,
} from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import { invitationOptions } from '../../../manager/people/account-acts.ts'
import type { Section, SectionDeps } from '../../../manager/section.ts'
import { sampleInvitation } from '../link-sender.ts'

const PATH = '/mails/:entryPoint/invitation'
const MOST_CHARACTERS = 2_000

/** The text that managers add to the invitations of an event, with a preview and a mail to themselves. */
export const invitationTextSection: Section = {
  open: (deps) => ({
    routes: [
      get(PATH, EDITORS, (visit) => show(deps, visit)),
      post(PATH, EDITORS, 'invitation-text', (visit) => save(deps, visit)),
      post(`${PATH}/sample`, EDITORS, 'invitation-sample', (visit) => sample(deps, visit)),
    ],
  }),
}

/** Shows the form, and the invitation with the text of the form. */
function show(deps: SectionDeps, visit: Visit, notice?: Notice): Answer {
  const { part, words, typed, manager } = visit
  const name = part('entryPoint')
  const head = { title: words.say('mail.invitationTitle', { entryPoint: name }), current: '/mails' }
  const isKnown = deps.entryPoints()?.some((one) => one.name === name) === true
  if (!isKnown || readFeatureSettings(deps.env, MAIL_SETTINGS).settings.server === null)
    return page('message', { ...head, text: words.t.people.noMails, back: head.current }, 503)
  const saved = deps.store.invitationTexts.find(name)
  const text = textIn(typed('text', saved))
  const model = {
    name,
    text,
    seen: notice?.text === 'mail.textChanged' ? saved : typed('seen', saved),
    saved,
    mail: sampleOf(deps, visit, text),
    mostCharacters: MOST_CHARACTERS,
    mayMail: isMailAddress(manager.name),
    ...(notice && { notice }),
  }
  return page('account/invitation', { ...head, ...model }, notice?.tone === 'refused' ? 409 : 200)
}

function sampleOf(deps: SectionDeps, { part, manager }: Visit, text: string) {
  return sampleInvitation(deps, { ...invitationOptions(deps, part('entryPoint')), text }, manager.name)
}

/** Returns the paragraphs of a text, one a line. */
function textIn(typed: string): string {
  const lines = typed.split(/\r?\n/).flatMap((line) => cleanText(line) || [])
  // Cut last: the field counts the end of a line as one character, and the browser sends two.
  return lines.join('\n').slice(0, MOST_CHARACTERS)
}

function save(deps: SectionDeps, visit: Visit): Answer {
  const { part, field } = visit
  const name = part('entryPoint')
  const seen = textIn(field('seen'))
  const text = textIn(field('text'))
  if (!deps.store.invitationTexts.replace(name, seen, text))
    return show(deps, visit, { tone: 'refused', text: 'mail.textChanged' })
  const path = pathOf(['mails', name, 'invitation'])
  const undo = { action: path, fields: { text: seen, seen: text } }
  return redirect(path, { tone: 'done', text: 'mail.textSaved', ...(seen !== text && { undo }) })
}

/** Shows the invitation with the typed text, and sends it to the manager if asked. Saves nothing. */
async function sample(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, manager } = visit
  const { server: settings } = readFeatureSettings(deps.env, MAIL_SETTINGS).settings
  if (field('mail') === '' || settings === null || !isMailAddress(manager.name)) return show(deps, visit)
  const mail = sampleOf(deps, visit, textIn(field('text')))
  const sent = await sendOneMail(settings, mail)
  const values = { name: manager.name }
  if (sent.ok) return show(deps, visit, { tone: 'done', text: 'mail.sampleSent', values })
  return show(deps, visit, { tone: 'refused', text: 'mail.sampleNotSent', values, notes: [sentenceOf(sent)] })
}
