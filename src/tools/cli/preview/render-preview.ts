import { readFileSync } from 'node:fs'
import ejs from 'ejs'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { Language } from '../../../languages/languages.ts'
import { sourceOf } from '../html-page/content-policy.ts'
import { cleanScreen } from './clean-screen.ts'
import type { Screen } from './screen.ts'

/** The sizes of players, of a window, and of a phone in portrait, in CSS pixels. */
const SIZES = ['320x180', '375x211', '480x270', '640x360', '1280x720', '375x667'] as const
/** No player frames a page in a tab of its own. */
const TAB_SIZES: readonly string[] = ['1280x720', '375x667']

/** A style sheet, or an image as a `data:` address, by the address in the screens. */
export type Files = Readonly<Record<string, { readonly css: string } | { readonly image: string }>>

export interface PreviewModel {
  readonly entryPoint: EntryPoint
  readonly language: Language
  readonly screens: readonly Screen[]
  /** Features that the preview cannot open. */
  readonly leftOut: readonly string[]
  /** Reads a file of the app. */
  readonly read: (address: string) => Promise<{ readonly type: string; readonly content: Buffer }>
}

const beside = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Renders one HTML page. Its Content-Security-Policy allows only its own script, and no request. */
export async function renderPreview({ entryPoint, language, screens, leftOut, read }: PreviewModel): Promise<string> {
  const { brand } = entryPoint
  const schemes = brand.colorScheme === 'auto' ? (['light', 'dark'] as const) : [brand.colorScheme]
  const cleaned = screens.map((screen, index) => {
    const sizes = screen.isTab ? TAB_SIZES : SIZES
    return { ...screen, id: `screen-${index + 1}`, html: cleanScreen(screen.html), sizes }
  })
  const files = await filesIn(cleaned, read)
  const script = beside('public/preview.js')
  // Frames have the policy of the page, and their style sheets are inside of them.
  const policy = `default-src 'none'; script-src ${sourceOf(script)}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`
  const data = { files, screens: cleaned.map(({ id, html, sizes, isTab = false }) => ({ id, html, sizes, isTab })) }
  const model = {
    brand,
    language,
    schemes,
    leftOut,
    policy,
    script,
    name: entryPoint.name,
    style: beside('page.css'),
    sizes: SIZES,
    screens: cleaned,
    // A text with "</script>" would end the element.
    data: JSON.stringify(data).replaceAll('<', '\\u003c'),
  }
  return ejs.render(beside('page.ejs'), model)
}

async function filesIn(screens: readonly { readonly html: string }[], read: PreviewModel['read']): Promise<Files> {
  const addresses = screens.flatMap(({ html }) => [...html.matchAll(/ (?:href|src|srcset)="(\/assets\/[^"]+)"/g)])
  const files: [string, Files[string]][] = []
  for (const address of new Set(addresses.map(([, one = '']) => one))) {
    const { type, content } = await read(address.replaceAll('&amp;', '&'))
    const isStyle = type.startsWith('text/css')
    const image = () => `data:${type};base64,${content.toString('base64')}`
    files.push([address, isStyle ? { css: await withImages(content.toString(), read) } : { image: image() }])
  }
  return Object.fromEntries(files)
}

/** Puts the images of a style sheet into it. Their addresses are beside the style sheet. */
async function withImages(css: string, read: PreviewModel['read']): Promise<string> {
  let whole = css
  for (const [named, name = ''] of css.matchAll(/url\("([\w-]+\.svg)"\)/g)) {
    const { type, content } = await read(`/assets/${name}`)
    whole = whole.replaceAll(named, `url("data:${type};base64,${content.toString('base64')}")`)
  }
  return whole
}
