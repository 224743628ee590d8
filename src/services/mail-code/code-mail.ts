import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { sentence, textsOf } from '../../languages/languages.ts'
import { buildMail } from '../mail/layout.ts'
import type { Mail } from '../mail/smtp.ts'
import { shownCode } from './code.ts'
import type { OutboxMail } from './outbox-records.ts'

/** Builds the mail with a code. The mail has no link: scanners of mail could open it, and viewers need none. */
export function codeMail(
  { address, code, language, device, atMs }: OutboxMail,
  { brand }: Pick<EntryPoint, 'brand'>,
  host: string,
): Mail {
  const { mail } = textsOf(language)['mail-code']
  const service = brand.name ?? host
  const fillIn = (text: string) => sentence(language, text, { service })
  const frame = { to: address, service, language, brand, watchUrl: null, request: { atMs, device } }
  return buildMail(frame, {
    subject: fillIn(mail.subject),
    greeting: null,
    above: [fillIn(mail.intro)],
    code: shownCode(code),
    below: [mail.life, mail.warning, mail.ignore],
  })
}
