import { readFileSync } from 'node:fs'
import type { ShownCode } from '../../../features/access-codes/codes/new-codes.ts'
import { timeText } from '../../../settings/times.ts'
import { sourceOf } from '../../cli/html-page/content-policy.ts'

interface Sheet {
  readonly label: string
  readonly brand: string | null
  readonly codes: readonly ShownCode[]
  /** Null for no QR code. */
  readonly watchUrl: string | null
  readonly endsAtSeconds: number | null
  readonly timeZone: string
}

const beside = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/**
 * Renders a page to print, with a card for each code. Loads nothing: its Content-Security-Policy allows only its own style.
 * The QR code leads to the page with the video, and has no code in it: an address stays in histories and logs.
 */
export async function renderSheet({ codes, watchUrl, endsAtSeconds, timeZone, ...about }: Sheet): Promise<string> {
  const { default: ejs } = await import('ejs')
  const style = beside('code-sheet.css')
  return ejs.render(beside('code-sheet.ejs'), {
    ...about,
    codes,
    style,
    policy: `default-src 'none'; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'`,
    watchUrl,
    qr: watchUrl === null ? null : await qrCode(watchUrl),
    until: endsAtSeconds === null ? null : timeText('en', endsAtSeconds, timeZone),
  })
}

/** Returns the side of a QR code in modules, and the path of the dark ones. */
async function qrCode(text: string): Promise<{ readonly size: number; readonly path: string }> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return { size, path: path.join('') }
}
