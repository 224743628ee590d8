import { readFeatureSettings } from '../../../config.ts'
import { buildMail } from '../../../services/mail/layout.ts'
import { MAIL_SETTINGS } from '../../../services/mail/settings.ts'
import { sendOneMail } from '../../../services/mail/smtp.ts'
import type { Manager } from '../../cli/manager/accounts/manager-store.ts'
import type { Refused } from '../../cli/terminal/command.ts'
import type { Visit } from '../../manager/door/route.ts'
import type { SectionDeps } from '../../manager/section.ts'
import { LINK_HOURS } from './link-rows.ts'

/** Sends a link to a manager, in the language of the page. @param kind the key of its texts. */
export async function mailLink(
  { env, brand, settings: { url } }: SectionDeps,
  { words, manager }: Visit,
  { name, role }: Manager,
  token: string,
  kind: 'invite' | 'reset',
): Promise<{ readonly ok: true } | Refused> {
  const { server: settings } = readFeatureSettings(env, MAIL_SETTINGS).settings
  if (settings === null) return { ok: false, fault: 'SMTP_URL is not set.' }
  const service = brand.name ?? url.hostname
  const values = { by: manager.name, role: words.t.roles[role], service, count: LINK_HOURS }
  const say = (text: string) => words.say(`colleagues.mail.${text}`, values)
  const frame = { to: name, service, language: words.language, brand, watchUrl: null, request: null }
  const mail = buildMail(frame, {
    subject: say(`${kind}Subject`),
    greeting: null,
    above: [say(kind)],
    link: { address: `${url.origin}/join?link=${token}`, text: say('button') },
    below: [say('expires'), say('ignore')],
  })
  return await sendOneMail(settings, mail)
}
