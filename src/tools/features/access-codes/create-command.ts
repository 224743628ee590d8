import { type Command, InvalidArgumentError } from 'commander'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import { budgetSentence } from '../../../features/access-codes/codes/batch-budget.ts'
import { LABEL, MOST_CODES, shownNumber } from '../../../features/access-codes/codes/code-records.ts'
import { canonicalWords, faultInWords } from '../../../features/access-codes/codes/code-text.ts'
import { type Holder, NO_HOLDER, type ShownCode } from '../../../features/access-codes/codes/new-codes.ts'
import { watchUrlOf } from '../../../services/watch-page/service.ts'
import { canonicalViewer, faultInViewer } from '../../../users/viewer-fields.ts'
import { readEndTime } from '../../cli/output/end-time.ts'
import { machineTimeZone } from '../../cli/output/time-zone.ts'
import { eventTimesOf, type HasEventTimes } from '../../cli/settings/event-times.ts'
import { addViewerOptions, type ViewerOptions } from '../../cli/settings/viewer-options.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../../cli/terminal/command.ts'
import { csvRecord } from '../../cli/terminal/csv.ts'
import { wholeNumber } from '../../cli/terminal/option-values.ts'
import { openFileSink, type ReportSink } from '../../cli/terminal/sink.ts'
import { MOST_TABLE_ROWS, textTable } from '../../cli/terminal/table.ts'
import { counted } from '../../cli/terminal/text.ts'
import { renderSheet } from './code-sheet.ts'
import { createCodes } from './create-codes.ts'
import { readHolders } from './holders-file.ts'
import { type OpenCodes, withCodes } from './open-codes.ts'

interface Options extends ViewerOptions {
  readonly json?: boolean
  readonly shared?: boolean
  readonly most?: number
  readonly count?: number
  readonly from?: string
  readonly code?: string
  readonly label: string
  readonly entryPoint?: string
  readonly devices?: number
  readonly until?: string
  readonly csv?: string
  readonly html?: string
}

const ABOUT = `
The codes are shown only now: the store has hashes. A QR code leads to WATCH_URL, and contains no code. --code takes words
that begin each code, such as SUMMER: the random characters after them make the code hard to guess. The file of --from is CSV
with the columns name and groups; other columns are attributes.`
/** More places would make each sign-in too slow. */
const MOST_PLACES = 2_000
/** A device that lost its place watches on until its response expires. */
const LONG_SECONDS = 900

/** Adds `codes create`. */
export function addCreateCommand(group: Command, context: CommandContext<HasEventTimes>): void {
  const command = addCommand(group, 'create', 'create one code for all, or one for each person', [
    'viewer-auth codes create --label GALA --count 500 --until 2026-12-01 --html gala.html',
    'viewer-auth codes create --label PRESS --from press.csv --devices 2 --csv press-codes.csv',
    'viewer-auth codes create --label TOWNHALL --shared --most 300 --code SUMMER',
  ])
  addNotes(command, ABOUT)
    .requiredOption('--label <NAME>', 'the name of the batch, such as GALA-2026', label)
    .option('--count <N>', 'the number of codes', wholeNumber(1, MOST_CODES))
    .option('--from <FILE>', 'one code for each person of this file')
    .option('--shared', 'one code for all')
    .option('--most <N>', 'with --shared: the most people at the same time', wholeNumber(1, MOST_PLACES))
    .option('--devices <N>', 'the most devices of each code at the same time', wholeNumber(1, 100))
    .option('--code <WORDS>', 'words at the beginning of each code', words)
    .option('--until <DATE>', 'the end of the codes, such as 2026-11-30 or 2026-11-30T20:15+01:00')
    .option('--entry-point <NAME>', 'the entry point, if several have access codes')
    .option('--csv <FILE>', 'write the codes to a CSV file')
    .option('--html <FILE>', 'write a page to print, with a card for each code')
  addViewerOptions(command, 'of everyone with such a code').action((options: Options, self: Command) => {
    const { shared = false, most: people, devices, count, from } = options
    if ([shared, count !== undefined, from !== undefined].filter(Boolean).length !== 1) {
      self.error('error: use one of --shared, --count and --from')
    }
    if (!shared && people !== undefined) self.error('error: --most needs --shared')
    if (shared && devices !== undefined) self.error('error: --devices is for personal codes; use --most')
    return runCommand(context, options.json, () =>
      withCodes(context.io, options.entryPoint, (open) => create(context, open, options)),
    )
  })
}

async function create(
  { io, features }: CommandContext<HasEventTimes>,
  open: OpenCodes,
  options: Options,
): Promise<Outcome> {
  const { csv, html, json, label, until } = options
  const { groups, attributes } = sharedFields(options)
  const holders = await holdersOf(options)
  const endsAtSeconds = until === undefined ? null : readEndTime('--until', until).seconds
  const isTable = !json && csv === undefined && html === undefined
  if (isTable && holders.length > MOST_TABLE_ROWS) {
    return {
      ok: false,
      fault: `${counted(holders.length, 'code')} are too many for a table. Use --csv, --html or --json.`,
    }
  }
  const watchUrl = watchUrlOf(open.entryPoint)
  const events = await eventTimesOf(features)
  const created = await createCodes(
    open,
    {
      label,
      holders,
      isShared: options.shared ?? false,
      most: options.most ?? null,
      devices: options.devices ?? null,
      words: options.code ?? null,
      endsAtSeconds,
      groups,
      attributes,
    },
    (codes, store) => {
      const sheet = { label, entryPoint: open.entryPoint, codes, watchUrl, endsAtSeconds, events }
      return withFiles(options, { ...sheet, timeZone: machineTimeZone() }, store)
    },
  )
  if (!created.ok) return created
  const { data } = created
  const warning = watchUrl === null && html !== undefined ? ' Without WATCH_URL, the cards have no QR code.' : ''
  const { entryPoint } = open
  const seconds = isHashEntryPoint(entryPoint) ? entryPoint.lifetimeSeconds : LONG_SECONDS
  const late =
    options.devices !== undefined && (seconds === 0 || seconds > LONG_SECONDS)
      ? ` A device that lost its place watches on ${seconds === 0 ? 'without end' : `for up to ${seconds} s`}. Set HASH_LIFETIME_SECONDS between 300 and 900.`
      : ''
  const summary = `Created ${counted(holders.length, 'code')}. ${budgetSentence(data, endsAtSeconds)}${warning}${late}`
  if (!isTable) return { ok: true, text: summary, data }
  io.stderr.write(`${summary} Keep them now: they are not shown again.\n`)
  const rows = data.codes.map(({ number, name, code }) => [`${label}-${shownNumber(number)}`, name ?? '', code])
  return { ok: true, text: await textTable(io.stdout, ['Number', 'Name', 'Code'], rows), data }
}

async function holdersOf({ shared, count = 1, from }: Options): Promise<readonly Holder[]> {
  const holders =
    from === undefined ? Array.from({ length: shared ? 1 : count }, () => NO_HOLDER) : await readHolders(from)
  if (holders.length > MOST_CODES) {
    throw new ConfigError(`A batch has ${MOST_CODES.toLocaleString('en')} codes at most. Split the file.`)
  }
  return holders
}

function sharedFields({ group = [], attribute = {} }: ViewerOptions) {
  const viewer = { username: 'guest', groups: group, attributes: attribute }
  const fault = faultInViewer(viewer)
  if (fault !== null) throw new ConfigError(fault)
  const { groups, attributes } = canonicalViewer(viewer)
  return { groups: [...groups], attributes: { ...attributes } }
}

/** Writes the files that the options name, around the work. They appear only if it succeeds. */
async function withFiles(
  { csv, html }: Options,
  sheet: Parameters<typeof renderSheet>[0],
  work: () => Promise<boolean>,
): Promise<boolean> {
  await using opened = new AsyncDisposableStack()
  const sinks: ReportSink[] = []
  const write = async (file: string, text: string) => {
    const sink = opened.use(await openFileSink(file))
    sinks.push(sink)
    await sink.write(text)
  }
  if (csv !== undefined) await write(csv, csvOf(sheet.label, sheet.codes))
  if (html !== undefined) await write(html, await renderSheet(sheet))
  const isDone = await work()
  if (isDone) for (const sink of sinks) await sink.finish()
  return isDone
}

/** Attributes of the list are columns. No cell is a formula for a spreadsheet. */
function csvOf(label: string, codes: readonly ShownCode[]): string {
  const names = [...new Set(codes.flatMap(({ attributes }) => Object.keys(attributes)))]
  const header = csvRecord(['label', 'number', 'name', 'code', 'groups', ...names])
  const rows = codes.map(({ number, name, code, groups, attributes }) =>
    csvRecord([label, shownNumber(number), name, code, groups.join(','), ...names.map((one) => attributes[one])]),
  )
  return header + rows.join('')
}

function label(text: string): string {
  if (LABEL.test(text)) return text
  throw new InvalidArgumentError('Use up to 32 letters from A to Z, digits and hyphens.')
}

function words(text: string): string {
  const given = canonicalWords(text)
  const fault = faultInWords(given)
  if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`)
  return given
}
