import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { playsUntil } from '../../cli/viewers/who-is-in/plays-until.ts'
import type { Sentence } from '../door/route.ts'
import type { Words } from '../pages/words.ts'
import type { SectionDeps } from '../section.ts'

type Deps = Pick<SectionDeps, 'events' | 'entryPoints' | 'nowSeconds'>

/**
 * Returns until when an open player of a person who is put out now plays on, as the command line says it. The person may
 * have used any entry point, so the latest end of all counts.
 */
export function playsOn({ events, entryPoints, nowSeconds }: Deps, words: Words): Sentence[] {
  const all = entryPoints()
  if (all === null) return [{ text: 'playsOn.unknown' }]
  const now = nowSeconds()
  const end = playsUntil(all.filter(isHashEntryPoint), now, now, events)
  const ofToken = all.every(isHashEntryPoint) ? [] : [{ text: 'playsOn.token' }]
  return [...(end === null ? [] : [ofResponse(end.seconds, now, words)]), ...ofToken]
}

function ofResponse(seconds: number, nowSeconds: number, words: Words): Sentence {
  if (!Number.isFinite(seconds)) return { text: 'playsOn.endless' }
  // The whole minute.
  const ms = Math.ceil(seconds / 60) * 60_000
  return { text: 'playsOn.until', values: { time: words.clockOrTime(ms, nowSeconds * 1000) } }
}
