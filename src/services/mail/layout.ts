import type { Brand } from '../../brand/brand.ts'
import { textColorOn } from '../../brand/contrast.ts'
import { type Language, sentence, textsOf } from '../../languages/languages.ts'
import { directionOf } from '../../login/screens/page.ts'
import { compileView } from '../../login/screens/views.ts'
import { timeText } from '../../settings/times.ts'
import type { Mail } from './smtp.ts'

/** The recipient of a mail, and what surrounds its text. */
export interface MailFrame {
  readonly to: string
  /** The name of this app in the mail. */
  readonly service: string
  readonly language: Language
  readonly brand: MailBrand
  /** The page with the video. Null if it is not known. */
  readonly watchUrl: string | null
  /** Null for a mail that the viewer did not cause. */
  readonly request: MailRequest | null
}

/** What a mail shows of a brand. */
export type MailBrand = Pick<Brand, 'colors' | 'helpUrl'>

/** The request that caused a mail, so that the viewer recognizes it. */
export interface MailRequest {
  /** UNIX time in milliseconds. */
  readonly atMs: number
  /** See deviceOf(). */
  readonly device: readonly string[]
  readonly timeZone?: string | undefined
}

/** The text of a mail. All sentences are complete: nothing in them is replaced. */
export interface MailContent {
  readonly subject: string
  /** One line of the operator, for the subject and the beginning of the text. */
  readonly occasion?: string | null
  /** Paragraphs of the operator, before the text. */
  readonly own?: readonly string[]
  /** Null for none. */
  readonly greeting: string | null
  readonly above: readonly string[]
  /** Shown as a button, and as an address below it. */
  readonly link?: { readonly address: string; readonly text: string }
  /** Shown large, in a line of its own. */
  readonly code?: string
  readonly below: readonly string[]
}

/** The colors of the button without BRAND_COLOR: `--accent` in public/login.css. */
const COLORS = { light: '#2f4bd8', dark: '#8ea2ff' }

/** Builds a mail in the look of an entry point: the same words as text and as HTML. */
export function buildMail(frame: MailFrame, content: MailContent): Mail {
  const { to, service, language, brand, watchUrl } = frame
  const texts = textsOf(language)
  const { link = null, code = null, occasion, own = [], greeting, below } = content
  const lines = occasion ? [occasion] : []
  const subject = [content.subject, ...lines].join(' – ')
  const above = [...lines, ...own, ...content.above]
  const details = detailsOf(frame)
  const watch = watchUrl === null ? null : { address: watchUrl, text: texts.mail.goToVideo }
  const watchLine = watch === null ? [] : [`${watch.text}: ${watch.address}`]
  const help = brand.helpUrl === null ? [] : [`${texts.help}: ${brand.helpUrl}`]
  const top = [greeting ?? '', ...above, code ?? '', link?.address ?? '']
  const blocks = [...top, ...below, ...watchLine, details.join('\n'), ...help]
  const text = `${blocks.filter((block) => block !== '').join('\n\n')}\n`
  const colors = brand.colors ?? COLORS
  const look = { colors, onDark: textColorOn(colors.dark), language, direction: directionOf(language) }
  const values = { texts, subject, service, greeting, above, link, code, below, watch, details, helpUrl: brand.helpUrl }
  return { to, subject, text, html: compileView('mail/mail')({ ...look, ...values }), language }
}

/** Returns the time and the device of the request, as far as known. */
function detailsOf({ request, language }: MailFrame): string[] {
  if (request === null) return []
  const { mail } = textsOf(language)
  const { atMs, timeZone = 'UTC' } = request
  const time = sentence(language, mail.requestTime, { time: timeText(language, atMs / 1000, timeZone) })
  if (request.device.length === 0) return [time]
  return [time, sentence(language, mail.requestDevice, { device: request.device.join(', ') })]
}
