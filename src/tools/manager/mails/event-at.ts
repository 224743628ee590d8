import { titleIn } from '../../../brand/brand.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { SectionDeps } from '../section.ts'

/** Returns an entry point as its settings are now, and the next start of its event, else the last one. */
export function eventAt({ entryPoints, events, nowSeconds }: SectionDeps, wanted: string) {
  const entryPoint = entryPoints()?.find(({ name }) => name === wanted)
  const windows = events.flatMap(({ windowsAt }) => (entryPoint ? windowsAt(entryPoint) : []))
  // The settings may have them in any order.
  const starts = windows
    .flatMap(({ opensAtSeconds: opens, closesAtSeconds: closes }) => (opens === null ? [] : { opens, closes }))
    .toSorted((one, other) => one.opens - other.opens)
  const next = starts.find(({ opens }) => opens > nowSeconds()) ?? starts.at(-1)
  return { entryPoint, startSeconds: next?.opens ?? null, endSeconds: next?.closes ?? null }
}

/** Returns the name of an event in the language of a mail. Null for an event without a name. */
export function eventNameIn(events: SectionDeps['events'], entryPoint: EntryPoint, language: string): string | null {
  const named = events.flatMap(({ nameAt }) => nameAt(entryPoint, language) ?? [])
  return named[0] ?? titleIn(entryPoint.brand.title, language, entryPoint.brand)
}
