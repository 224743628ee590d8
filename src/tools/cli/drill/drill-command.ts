import { type Command, Option } from 'commander'
import { addViewerOptions } from '../settings/viewer-options.ts'
import { addExamples, addNotes, type CommandContext, runCommand } from '../terminal/command.ts'
import { loadAll } from '../terminal/lazy.ts'
import { duration } from '../terminal/option-values.ts'
import { addVariants, type HasVariants } from '../terminal/variant.ts'
import { type HasDrill, PASSWORD, type WayIn, wayNamed } from './drill-part.ts'
import type { PlannedCommand } from './operator-commands.ts'
import { madeUpPrefix, percent, plannedCommand, viewerCount } from './options.ts'
import type { DrillOptions } from './rehearse.ts'

const ABOUT = `
FILE is CSV with the columns username and password; - reads standard input. Viewers arrive slowly at first, half of them
in the last third, as before an event. They open the screen, type, sign in, and try again after Retry-After. The drill
refuses every address that DRILL_URLS does not list, except localhost. Your commands run in your shell, one after
another. After --at, sign-ins must work again; after --outage, they may fail until the next command. Ctrl-C stops the
drill, and says which commands ran. The exit status is 1 if any check fails.`

const EXAMPLES = [
  'viewer-auth drill --url https://login.staging.example/ --viewers viewers.csv --over 10m --html drill.html',
  'viewer-auth drill --url http://localhost:3000/ --make-up-viewers --count 100 --over 1m',
  'viewer-auth drill --url http://localhost:3000/ --make-up-viewers --group staff --attribute ticket=yes',
  "viewer-auth drill --url https://login.staging.example/ --viewers viewers.csv --at '2m=docker compose stop proxy' --at '3m=docker compose start proxy' --outage '5m=docker compose stop store' --at '6m=docker compose start store'",
]

/** The options of a drill, before they are checked. */
export interface GivenOptions extends Omit<DrillOptions, 'url'> {
  readonly url?: string
  readonly removeMadeUp?: string
}

/** Adds `drill`, the operator's rehearsal of an event against staging. */
export async function addDrillCommand(
  command: Command,
  context: CommandContext<HasDrill & HasVariants<HasDrill>>,
): Promise<void> {
  const features = await loadAll(context.features.map(({ drill }) => drill))
  const ways = features.flatMap(({ wayIn }) => wayIn ?? [])
  addViewerOptions(addNotes(addExamples(command, EXAMPLES), ABOUT), 'of each made-up viewer')
  command
    .option('--url <ADDRESS>', 'address of the sign-in screen')
    .addOption(new Option('--viewers <FILE>', 'viewers and their passwords, as CSV').conflicts('makeUpViewers'))
    .option('--make-up-viewers', 'add viewers to the user store of the settings, and remove them afterwards')
    .addOption(
      new Option('--way-in <NAME>', 'how the viewers sign in; the guests of other ways in are made up')
        .choices([PASSWORD, ...ways.map(({ name }) => name)])
        .default(PASSWORD),
    )
    .option('--remove-made-up <PREFIX>', 'only remove the made-up viewers that an earlier drill left', madeUpPrefix)
    .option('--count <N>', 'number of viewers (default: all of FILE, or 100 made-up ones)', viewerCount)
    .addOption(withDefault('--over <DURATION>', 'the time in which they arrive: 90s, 10m, 1h', duration, '10m'))
    .addOption(withDefault('--wrong <PERCENT>', 'viewers who type a wrong password first', percent, '10%'))
    .addOption(withDefault('--returns <PERCENT>', 'viewers who come back with their session', percent, '30%'))
    .option('--at <TIME=COMMAND>', 'run this command; repeatable', plannedCommand(false))
    .option(
      '--outage <TIME=COMMAND>',
      'run a command that stops sign-ins until the next one; repeatable',
      plannedCommand(true),
    )
    .addOption(
      withDefault('--recover-within <DURATION>', 'how soon sign-ins must work again after a command', duration, '30s'),
    )
    .addOption(
      withDefault('--max-wait <DURATION>', 'the longest that a viewer may wait for an answer', duration, '10s'),
    )
    .option('--html <FILE>', 'write a page with the verdict and charts to this file')
  const variants = await addVariants(command, 'drill', context.features)
  command.action(({ removeMadeUp, url, ...given }: GivenOptions) => {
    if (removeMadeUp !== undefined) {
      return runCommand(context, given.json, async () => {
        const { removeMadeUpViewers } = await import('./drill-viewers.ts')
        return await removeMadeUpViewers(context.io, removeMadeUp)
      })
    }
    const work = variants.map(({ run }) => run(context, command)).find((outcome) => outcome !== null)
    if (work) return runCommand(context, given.json, () => work)
    if (url === undefined) return command.error('error: give --url, the address of the sign-in screen')
    const options = { ...given, url }
    const commands = [...(options.at ?? []), ...(options.outage ?? [])].toSorted((a, b) => a.atMs - b.atMs)
    const fault = faultInOptions(options, commands, wayNamed(ways, options.wayIn))
    if (fault !== null) command.error(`error: ${fault}`)
    return runCommand(context, options.json, async () => {
      const [{ rehearse }, { usualRehearsal }] = await Promise.all([
        import('./rehearse.ts'),
        import('./usual-rehearsal.ts'),
      ])
      return await rehearse(context.io, options, usualRehearsal(options, commands, context.io.env), features)
    })
  })
}

function withDefault(flags: string, description: string, parse: (text: string) => number, text: string): Option {
  return new Option(flags, description).argParser(parse).default(parse(text), text)
}

function faultInOptions(
  { viewers, makeUpViewers, over, group, attribute }: DrillOptions,
  commands: readonly PlannedCommand[],
  way: WayIn | undefined,
): string | null {
  const isMadeUp = makeUpViewers || way !== undefined
  if (way !== undefined && (viewers !== undefined || makeUpViewers)) {
    return `--way-in ${way.name} makes its guests up, without --viewers and --make-up-viewers`
  }
  if (viewers === undefined && !isMadeUp) return 'give --viewers or --make-up-viewers'
  if (way?.takesFields === false && (group ?? attribute) !== undefined) {
    return `--way-in ${way.name} does not take --group and --attribute`
  }
  if (!isMadeUp && (group ?? attribute) !== undefined) return '--group and --attribute need --make-up-viewers'
  if (commands.some(({ atMs }) => atMs >= over)) return 'a command is due after the end of --over'
  if (commands.at(-1)?.isOutage) return '--outage needs a later --at, which ends the outage'
  return null
}
