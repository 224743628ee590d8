import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { watchFiles } from '../../files/watched-files.ts'
import type { AppParts } from '../../login/service.ts'
import { createEntryPointChanges } from './entry-point-changes.ts'

/** The time between two looks at the file. A change counts after two equal reads, so within about a second. */
const READ_EVERY_MS = 500
/** Ten thousand entry points have about 4 MB. */
const MOST_BYTES = 10_000_000

/** Reads the file again when it changes. A file with a mistake changes nothing. */
export function watchEntryPoints(
  file: string,
  start: readonly EntryPoint[],
  { served, log }: Pick<AppParts, 'served' | 'log'>,
) {
  const event = 'entry-points'
  const changes = createEntryPointChanges(start, served)
  return watchFiles<readonly EntryPoint[]>([file], start, {
    everyMs: READ_EVERY_MS,
    mostBytes: MOST_BYTES,
    parse: () => changes.read(),
    itemsOf: (all) => all.map(({ name }) => name),
    onChange(next) {
      const { restart, ...names } = changes.serve(next)
      log.info({ event, ...names }, 'The entry points have changed')
      if (Object.keys(restart).length > 0) {
        log.warn({ event, restart }, 'Restart the app to take the settings of these features. The others count')
      }
    },
    onFault: (fault) => log.warn({ event, fault }, 'The entry points stay as they are: ENTRY_POINTS_FILE is not used'),
  })
}
