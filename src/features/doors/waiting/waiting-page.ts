import ejs from 'ejs'
import { LRUCache } from 'lru-cache'
import { errorText, type Language, textsOf } from '../../../languages/languages.ts'
import type { AccessRefused } from '../../../login/answer/access-decision.ts'
import { policyText } from '../../../login/answer/policy-text.ts'
import type { PlayerContext } from '../../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../../login/route-deps.ts'
import { assetAddress } from '../../../login/screens/assets.ts'
import { createPages } from '../../../login/screens/page.ts'
import type { Refusal } from '../../../login/screens/screens.ts'
import { compileView } from '../../../login/screens/views.ts'

/** Limited, because viewers can change the query, which is part of the key. */
const CACHED_PAGES = 256
/** Placeholders in a cached page: the name of the viewer, the seconds until the door opens, and the pass. */
const VALUES = /([\x80-\x82])/
const NAME = '\x80'
const SECONDS = '\x81'
const PASS = '\x82'

/** The closed door in the words of its screen. */
export type ClosedDoor = Extract<AccessRefused, { reason: 'not-entitled' }>

export interface WaitingState {
  readonly closed?: ClosedDoor
  /** Keeps the viewer from the player after the opening. */
  readonly fault?: Refusal
  /** The fields of the player. */
  readonly fields: PlayerContext['fields']
  readonly username: string
  readonly sealed: string
  readonly secondsToOpening: number
}

/** Creates the page of viewers who wait, from a cache: thousands of pages load again every second. */
export function createWaitingPages({ entryPoint }: Pick<EntryPointDeps, 'entryPoint'>) {
  const { brand, basePath, hasScript } = entryPoint
  const template = compileView('doors/waiting')
  const pageIn = createPages(brand, assetAddress('icon.svg'))
  const cache = new LRUCache<string, readonly string[]>({ sizeCalculation: () => 1, maxSize: CACHED_PAGES })
  let cached: ClosedDoor | undefined

  function render(language: Language, { closed, fault, fields }: WaitingState): string {
    const texts = textsOf(language)
    const page = pageIn(language)
    const { ofAll, text } = closed?.explanation ?? {}
    const title = fault ? texts.titles.unavailable : policyText(language, ofAll?.title ?? '')
    return template({
      basePath,
      asset: assetAddress,
      page,
      texts,
      title,
      event: policyText(language, ofAll?.event ?? ''),
      announcement: policyText(language, ofAll?.announcement ?? ''),
      pageTitle: title,
      reason: 'waiting',
      why: fault ? errorText(language, fault.text) : policyText(language, text ?? ''),
      username: NAME,
      pass: PASS,
      countdown: hasScript && !fault ? SECONDS : null,
      fields,
    })
  }
  return (language: Language, state: WaitingState): string => {
    const { closed = cached, fault, fields } = state
    // The times have moved.
    if (closed !== cached) cache.clear()
    cached = closed
    const key = `${language} ${fault?.text} ${JSON.stringify(fields)}`
    const pieces = cache.get(key) ?? render(language, state).split(VALUES)
    cache.set(key, pieces)
    const values: Readonly<Record<string, string>> = {
      [NAME]: ejs.escapeXML(state.username),
      [SECONDS]: String(Math.ceil(state.secondsToOpening)),
      [PASS]: state.sealed,
    }
    return pieces.map((piece) => values[piece] ?? piece).join('')
  }
}
