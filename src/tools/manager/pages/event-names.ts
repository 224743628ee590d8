import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { EventTimes } from '../../cli/settings/event-times.ts'
import type { Visit } from '../door/route.ts'

/** The events in the head of a page. */
export type HeadEvents = ReturnType<ReturnType<typeof createEventNames>['eventsFor']>

/** Creates the names of events. One without a name has that of its entry point. */
export function createEventNames(
  entryPoints: () => readonly EntryPoint[] | null,
  events: readonly EventTimes[],
  nowSeconds: () => number,
) {
  const nameOf = (entryPoint: EntryPoint, language: string) =>
    events.map((one) => one.nameAt(entryPoint, language)).find((name) => name !== null)
  return {
    eventIn(entryPoint: string, language: string): string {
      const found = entryPoints()?.find(({ name }) => name === entryPoint)
      return (found && nameOf(found, language)) ?? entryPoint
    },
    /** Returns the events that a manager may choose, and the state of the one that is shown. Null without any name. */
    eventsFor({ scope, words }: Pick<Visit, 'scope' | 'words'>) {
      const seen = entryPoints()?.filter(({ name }) => scope.seesEntryPoint(name)) ?? []
      if (seen.every((one) => nameOf(one, words.language) === undefined)) return null
      const [shown, ...others] = seen.filter(({ name }) => scope.showsEntryPoint(name))
      const chosen = others.length === 0 ? shown : undefined
      const times = chosen && events.find((one) => one.windowsAt(chosen).length > 0)
      return {
        names: seen.map(({ name }) => name),
        chosen: chosen?.name ?? null,
        state: chosen && times ? times.stateAt(chosen, nowSeconds()).name : null,
      }
    },
  }
}
