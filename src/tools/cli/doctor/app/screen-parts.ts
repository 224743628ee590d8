import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import type { ScreenForm } from '../feature-check.ts'
import { type Finding, failure, PROXY_OR_SETTINGS, warning } from '../finding.ts'
import { attribute, elementsIn } from '../page/page-html.ts'
import { request } from '../request.ts'

const SIGN_IN_FORM: ScreenForm = { path: '/sign-in', fields: ['username', 'password'] }

/** Checks that browsers show the answer as a page, that its forms lead to the app, and that its assets are there. */
export async function* checkScreenParts(
  address: string,
  { headers }: Response,
  html: string,
  entryPoint: Pick<EntryPoint, 'basePath' | 'hasPasswordForm'>,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const type = headers.get('content-type') ?? 'none'
  if (!/^text\/html\b/i.test(type)) {
    yield failure(
      'screen-not-html',
      `${address} sends the sign-in screen with the Content-Type ${type}, so browsers show its source or nothing. Correct the proxy: text/html.`,
    )
  }
  if (/^\s*attachment\b/i.test(headers.get('content-disposition') ?? '')) {
    yield failure(
      'screen-download',
      `${address} sends the sign-in screen with Content-Disposition: attachment, so browsers download it. Remove this header from the proxy.`,
    )
  }
  yield* checkCharset(address, type)
  const read = readScreenHtml(html)
  yield* checkRefresh(address, headers.get('refresh') ?? read.refresh)
  yield* checkForms(address, html, entryPoint, entryPoint.hasPasswordForm ? SIGN_IN_FORM : null)
  const assets = read.assets.map((asset) => checkAsset(new URL(asset, address), signal))
  const faults = (await Promise.all(assets)).filter((fault) => fault !== null)
  if (faults.length > 0) {
    yield warning(
      'asset-missing',
      `${faults.join(' ')} Viewers can sign in, but without style and comfort. Let the proxy pass these paths to the app unchanged.`,
    )
  }
}

/** The app sends UTF-8. With another character set, browsers also send forms in it, and no umlaut arrives. */
function* checkCharset(address: string, type: string): Generator<Finding> {
  const [, charset = 'utf-8'] = /charset\s*=\s*"?([^\s;"]+)/i.exec(type) ?? []
  if (/^utf-?8$/i.test(charset)) return
  yield failure(
    'screen-charset',
    `${address} sends the sign-in screen with the character set ${charset}, but it is UTF-8: names and passwords with accents do not arrive. Correct the proxy.`,
  )
}

function* checkRefresh(address: string, refresh: string | null): Generator<Finding> {
  if (refresh === null) return
  yield failure(
    'screen-leads-away',
    `${address}: the sign-in screen has a Refresh (${refresh}), which the app does not send, so browsers leave it. A proxy adds it, for example for maintenance. Remove it.`,
  )
}

/** Checks that what viewers type on a screen reaches the app. @param form must be on the screen. Null for none. */
export function* checkForms(
  address: string,
  html: string,
  { basePath }: Pick<EntryPoint, 'basePath'>,
  form: ScreenForm | null,
): Generator<Finding> {
  const { actions, fields } = readScreenHtml(html)
  const targets = actions.map((action) => (URL.canParse(action, address) ? new URL(action, address).href : action))
  const { origin } = new URL(address)
  const wanted = `${origin}${basePath}/`
  const foreign = targets.filter((target) => !target.startsWith(wanted))
  const own = form === null ? [] : [`${origin}${basePath}${form.path}`]
  const lacking = own.filter((target) => !targets.includes(target))
  const unnamed = form?.fields.filter((name) => !fields.includes(name)) ?? []
  if (unnamed.length > 0) {
    yield failure(
      'form-fields-changed',
      `${address}: the sign-in screen has no field ${unnamed.join(' and ')}, so what viewers type does not arrive. ${PROXY_OR_SETTINGS}`,
    )
  }
  if (foreign.length === 0 && lacking.length === 0) return
  const seen = foreign.length > 0 ? `lead to ${foreign.join(', ')}` : `do not lead to ${lacking.join(', ')}`
  yield failure(
    'form-action-changed',
    `${address}: forms of the sign-in screen ${seen}, so the sign-in of viewers does not reach the app. ${PROXY_OR_SETTINGS}`,
  )
}

/** Returns why browsers do not use a style sheet or script. Null if they do. */
export async function checkAsset(asset: URL, signal: AbortSignal): Promise<string | null> {
  const name = `${asset.origin}${asset.pathname}`
  const answer = await request(asset.href, signal)
  if (!(answer instanceof Response)) return `${name}: ${answer.text}`
  if (answer.status !== 200) return `${name} answers ${answer.status}.`
  const type = answer.headers.get('content-type') ?? 'none'
  const wanted = asset.pathname.endsWith('.js') ? /javascript/i : /^text\/css\b/i
  return wanted.test(type) ? null : `${name} has the Content-Type ${type}, so browsers ignore it.`
}

/**
 * Reads the HTML of a sign-in screen backwards, so that its first refresh counts.
 * @returns the attributes `action` of its forms, the names of its fields, the addresses of its style sheets and scripts, and
 *   the content of a `<meta>` that leads to another page; null without one.
 */
function readScreenHtml(html: string) {
  const actions: string[] = []
  const fields: string[] = []
  const assets: string[] = []
  let refresh: string | null = null
  for (const element of elementsIn(html).toReversed()) {
    const textOf = (name: string) => attribute(element, name) ?? ''
    const { tagName } = element
    if (tagName === 'meta' && /^refresh$/i.test(textOf('http-equiv'))) refresh = textOf('content')
    if (tagName === 'input') fields.push(textOf('name'))
    if (tagName === 'form') actions.push(textOf('action'))
    if (tagName === 'script' && textOf('src') !== '') assets.push(textOf('src'))
    if (tagName === 'link' && /\bstylesheet\b/.test(textOf('rel'))) assets.push(textOf('href'))
  }
  return { actions, fields, assets, refresh }
}
