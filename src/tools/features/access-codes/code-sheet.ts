import { readFileSync } from 'node:fs'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { ShownCode } from '../../../features/access-codes/codes/new-codes.ts'
import { fill, textsOf } from '../../../languages/languages.ts'
import { eventNameOf } from '../../../services/event/service.ts'
import { timeText } from '../../../settings/times.ts'
import { sourceOf } from '../../cli/html-page/content-policy.ts'
import { type EventTimes, windowsOf } from '../../cli/settings/event-times.ts'
import { now } from './open-codes.ts'

interface Sheet {
  readonly label: string
  /** Its event and its default language are on the cards. */
  readonly entryPoint: EntryPoint
  readonly codes: readonly ShownCode[]
  /** Null for no QR code. */
  readonly watchUrl: string | null
  readonly endsAtSeconds: number | null
  readonly timeZone: string
  /** When events are, by features. */
  readonly events: readonly EventTimes[]
}

const beside = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/**
 * Renders a card for each code, for a page to print. The QR code leads to the page with the video, and has no code in it: an
 * address stays in histories and logs.
 */
export async function renderCards({ entryPoint, endsAtSeconds, timeZone, events, ...sheet }: Sheet): Promise<string> {
  const { name, defaultLanguage: language } = entryPoint.brand
  const texts = textsOf(language)['access-codes']
  const opens = opensAt(entryPoint, events)
  const zone = events.map(({ zoneAt }) => zoneAt(entryPoint)).find((one) => one !== null) ?? timeZone
  const time = endsAtSeconds === null ? null : timeText(language, endsAtSeconds, timeZone)
  return await render('code-cards.ejs', {
    ...sheet,
    language,
    texts,
    event: eventNameOf(entryPoint, language) ?? name ?? sheet.label,
    opens: opens === null ? null : timeText(language, opens, zone),
    qr: sheet.watchUrl === null ? null : await qrCode(sheet.watchUrl),
    todo: texts.card.todo,
    until: time && fill(texts.card.until, { time }),
  })
}

/** Returns the start of the first event that is not over. Null without one. */
function opensAt(entryPoint: EntryPoint, events: readonly EventTimes[]): number | null {
  const left = windowsOf([entryPoint], events).filter(({ closesAtSeconds: end }) => end === null || end > now())
  const starts = left.flatMap(({ opensAtSeconds }) => opensAtSeconds ?? [])
  return starts.length === 0 ? null : Math.min(...starts)
}

/** Renders a page with the cards. Loads nothing: its Content-Security-Policy allows only its own style. */
export async function renderSheet(sheet: Sheet): Promise<string> {
  const style = beside('code-sheet.css')
  const { defaultLanguage: language } = sheet.entryPoint.brand
  return await render('code-sheet.ejs', {
    label: sheet.label,
    language,
    title: textsOf(language)['access-codes'].code,
    style,
    policy: `default-src 'none'; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'`,
    cards: await renderCards(sheet),
  })
}

async function render(template: string, model: object): Promise<string> {
  const { default: ejs } = await import('ejs')
  return ejs.render(beside(template), model)
}

/** Returns the side of a QR code in modules, and the path of the dark ones. */
async function qrCode(text: string): Promise<{ readonly size: number; readonly path: string }> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return { size, path: path.join('') }
}
