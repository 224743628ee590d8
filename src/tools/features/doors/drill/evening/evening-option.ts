import { emulatedAudience } from '../../../../cli/drill/emulator/emulated-audience.ts'
import type { FeatureDrill, GivenOptions } from '../../../../cli/drill/feature-drill.ts'
import type { Audience } from './audience.ts'
import type { EveningOptions } from './rehearse-evening.ts'

const LEAST_OVER_MS = 10_000
const OF_USUAL_DRILL = ['at', 'outage', 'wrong', 'recoverWithin', 'wayIn']

/** Services at which viewers can watch. */
const AUDIENCES: readonly Audience[] = [
  emulatedAudience, //
]

/** `drill --evening`: the rehearsal of an event with doors. */
export const eveningDrill: FeatureDrill = {
  example:
    'viewer-auth drill --evening --url https://login.staging.example/e/gold --viewers viewers.csv --html evening.html',
  about: `--evening needs an entry point with doors in a JSON file. It needs no --url if only one has doors. It moves these
doors, and puts them back.`,
  addOptions: (command) =>
    AUDIENCES.reduce((all, audience) => audience.addOptions(all), command)
      .option('--evening', 'rehearse an event with doors: waiting, a moved start, the opening, returns and the end')
      .option('--yes', 'with --evening: do not ask before the doors move'),
  isChosen: (options: GivenOptions & { readonly evening?: boolean }) => options.evening === true,
  faultIn({ over }, command) {
    const other = OF_USUAL_DRILL.find((name) => command.getOptionValueSource(name) === 'cli')
    if (other !== undefined)
      return `--evening does not take --${other.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`
    return over < LEAST_OVER_MS ? '--evening needs --over of 10s at least' : null
  },
  async run(io, options: EveningOptions) {
    const { rehearseEvening } = await import('./rehearse-evening.ts')
    const watch = AUDIENCES.map((audience) => audience.open(options)).find((one) => one !== null) ?? null
    return await rehearseEvening(io, options, watch)
  },
}
