import { entryPointSources, readEntryPointSettings } from '../../../../../config.ts'
import type { EntryPoint } from '../../../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../../../errors.ts'
import { doorState } from '../../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../../features/doors/fields.ts'
import type { Environment } from '../../../../../settings/fields.ts'
import { timeText } from '../../../../../settings/times.ts'
import { readDrillAddress } from '../../../../cli/drill/drill-address.ts'
import type { DrillPart } from '../../../../cli/drill/drill-part.ts'
import { messageOf } from '../../../../cli/terminal/command.ts'
import type { CommandIo } from '../../../../cli/terminal/io.ts'
import { type BorrowedDoors, borrowDoors } from '../../doors-file.ts'
import { nameWithEvent } from '../../event-times.ts'

/** An entry point whose doors an evening can move. */
export type EveningPlace = ReturnType<typeof readEveningPlace>

const NO_DOORS =
  'A rehearsal needs doors, and no entry point has them. Set opensAt and closesAt of an entry point ' +
  'in a JSON file, and restart the app: see src/features/doors/README.md'
const NO_FILE =
  'come from OPENS_AT and CLOSES_AT, which the app reads only at its start, so a drill cannot move them. Put the entry ' +
  'point into a JSON file with opensAt and closesAt: see src/tools/cli/drill/README.md'

/**
 * Finds the doors for an evening.
 * @param address of the sign-in screen; by default that of the only entry point with doors.
 * @throws ConfigError with a sentence that says what to set.
 */
export function readEveningPlace(address: string | undefined, env: Environment, features: readonly DrillPart[]) {
  const { publicUrl, entryPoints } = readEntryPointSettings(env)
  const withDoors = entryPoints.filter(({ features }) => features.doors !== undefined)
  const [first, ...others] = withDoors
  if (first === undefined) throw new ConfigError(`${NO_DOORS}.`)
  const addressOf = ({ basePath }: EntryPoint) => `${publicUrl.origin}${basePath || '/'}`
  if (address === undefined && others.length > 0)
    throw new ConfigError(
      `Several entry points have doors. Use --url with one of: ${withDoors.map(addressOf).join(' ')}`,
    )
  const url = readDrillAddress(address ?? addressOf(first), env)
  // The doors of these settings would move, while the viewers sign in at another app.
  if (url.origin !== publicUrl.origin)
    throw new ConfigError(`These are the settings of ${publicUrl.origin}. Use the settings of ${url.origin}.`)
  const chosen = withDoors.find(({ basePath }) => (basePath || '/') === url.pathname)
  if (chosen === undefined)
    throw new ConfigError(
      `${url.origin}${url.pathname} has no doors. These have: ${withDoors.map(addressOf).join(' ')}`,
    )
  const file = entryPointSources(env).sources.find(({ name }) => name === chosen.name)?.source.file
  if (file === undefined) throw new ConfigError(`The doors of entry point ${chosen.name} ${NO_FILE}.`)
  return {
    url,
    name: chosen.name,
    label: nameWithEvent(chosen),
    file,
    /** The limit on the screens of a viewer. Null without a limit. */
    screens:
      features.map(({ screenLimitAt }) => screenLimitAt?.(chosen) ?? null).find((limit) => limit !== null) ?? null,
    /** The state of the doors now, in words: "They are open." */
    state: stateWords(chosen.features.doors as DoorSettings),
  }
}

function stateWords({ windows, timeZone }: DoorSettings): string {
  const state = doorState(windows, Date.now() / 1000)
  if (state.name === 'not-open-yet') return `They open on ${timeText('en', state.opensAtSeconds, timeZone)}.`
  if (state.name === 'over') return 'They have closed for good.'
  const end = state.endsAtSeconds === null ? '' : ` until ${timeText('en', state.endsAtSeconds, timeZone)}`
  return `They are open${end}.`
}

/** Does the work with doors that may be moved, and puts them back. @throws ConfigError that names the times, if it cannot. */
export async function withBorrowedDoors<T>(
  { stderr }: Pick<CommandIo, 'stderr'>,
  { file, name }: Pick<EveningPlace, 'file' | 'name'>,
  work: (doors: BorrowedDoors) => Promise<T>,
): Promise<T> {
  const doors = borrowDoors(file, name)
  const putBack = () => {
    try {
      if (doors.putBack()) stderr.write('The doors are as before.\n')
    } catch (error) {
      throw new ConfigError(
        `The doors of ${name} were not put back. ${messageOf(error)} Before, they were: ${doors.before}`,
      )
    }
  }
  // Signals and a second Ctrl-C exit.
  process.on('exit', putBack)
  try {
    return await work(doors)
  } finally {
    process.off('exit', putBack)
    putBack()
  }
}
