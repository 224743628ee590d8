import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { sentence, textsOf } from '../../languages/languages.ts'
import { eventNameOf } from '../event/service.ts'
import { buildMail } from '../mail/layout.ts'
import type { Mail } from '../mail/smtp.ts'
import { shownCode } from './code.ts'
import type { CodeReader } from './mail-codes.ts'
import type { OutboxMail } from './outbox-records.ts'

interface CodeFrame {
  readonly entryPoint: EntryPoint
  readonly host: string
  readonly words?: CodeReader['words']
  readonly timeZone?: string | undefined
}

/** Builds the mail with a code. The mail has no link: scanners of mail could open it, and viewers need none. */
export function codeMail({ address, code, language, device, atMs }: OutboxMail, given: CodeFrame): Mail {
  const { entryPoint, host, words, timeZone } = given
  const texts = textsOf(language)
  const { mail } = texts['mail-code']
  const service = entryPoint.brand.name ?? host
  const { subject, intro } = words?.(texts) ?? mail
  const fillIn = (text: string) => sentence(language, text, { service: eventNameOf(entryPoint, language) ?? service })
  const { brand } = entryPoint
  const frame = { to: address, service, language, brand, watchUrl: null, request: { atMs, device, timeZone } }
  return buildMail(frame, {
    subject: fillIn(subject),
    greeting: null,
    above: [fillIn(intro)],
    code: shownCode(code),
    below: [mail.life, mail.warning, mail.ignore],
  })
}
