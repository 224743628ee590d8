import type { GivenOptions } from '../../../../cli/drill/drill-command.ts'
import type { HasDrill } from '../../../../cli/drill/drill-part.ts'
import type { Outcome } from '../../../../cli/terminal/command.ts'
import type { CommandIo } from '../../../../cli/terminal/io.ts'
import { loadAll } from '../../../../cli/terminal/lazy.ts'
import type { Variant } from '../../../../cli/terminal/variant.ts'
import { emulatedAudience } from './emulator/emulated-audience.ts'
import type { Audience } from './evening-viewers.ts'
import type { EveningOptions } from './rehearse-evening.ts'

const LEAST_OVER_MS = 10_000
const OF_USUAL_DRILL = ['at', 'outage', 'wrong', 'recoverWithin', 'wayIn']

/** Services at which viewers can watch. */
// biome-ignore format: one item a line
const AUDIENCES: readonly Audience[] = [
  emulatedAudience,
]

/** `drill --evening`: the rehearsal of an event with doors. */
export const eveningDrill: Variant<HasDrill> = {
  example:
    'viewer-auth drill --evening --url https://login.staging.example/e/gold --viewers viewers.csv --html evening.html',
  about: `--evening needs an entry point with doors in a JSON file. It needs no --url if only one has doors. It moves these
doors, and puts them back.`,
  addOptions: (command) =>
    AUDIENCES.reduce((all, audience) => audience.addOptions(all), command)
      .option('--evening', 'rehearse an event with doors: waiting, a moved start, the opening, returns and the end')
      .option('--yes', 'with --evening: do not ask before the doors move'),
  run({ io, features }, command) {
    const options = command.opts<EveningOptions & GivenOptions & { readonly evening?: boolean }>()
    if (options.evening !== true) return null
    const other = OF_USUAL_DRILL.find((name) => command.getOptionValueSource(name) === 'cli')
    if (other !== undefined) {
      const flag = other.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)
      command.error(`error: --evening does not take --${flag}`)
    }
    if (options.over < LEAST_OVER_MS) command.error('error: --evening needs --over of 10s at least')
    return rehearse(io, options, features)
  },
}

async function rehearse(io: CommandIo, options: EveningOptions, features: readonly HasDrill[]): Promise<Outcome> {
  const [{ rehearseEvening }, parts] = await Promise.all([
    import('./rehearse-evening.ts'),
    loadAll(features.map(({ drill }) => drill)),
  ])
  const watch = AUDIENCES.map((audience) => audience.open(options)).find((one) => one !== null) ?? null
  return await rehearseEvening(io, options, watch, parts)
}
