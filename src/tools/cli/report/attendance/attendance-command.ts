import type { Command } from 'commander'
import { orUsageError, readPeriod } from '../../output/period.ts'
import { machineTimeZone } from '../../output/time-zone.ts'
import { nowSeconds, withService } from '../../service/service.ts'
import { addCommand, addNotes, type CommandContext, runCommand } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { Lazy } from '../../terminal/lazy.ts'
import { collect, duration } from '../../terminal/option-values.ts'
import {
  addOutputOptions,
  assertOutputOptions,
  contentIds,
  type OutputOptions,
  withKeptRows,
} from '../output-options.ts'
import { readTime } from '../words.ts'
import { filePeople } from './invited/file-people.ts'
import type { HasInvited, PeopleChoice, PeopleSource, Person } from './invited/people.ts'
import { STORE, storePeople } from './invited/store-people.ts'
import { reportAttendance } from './report-attendance.ts'

interface Options extends OutputOptions {
  readonly channel?: readonly string[]
  readonly video?: readonly string[] | 'all'
  readonly invited?: string
  readonly group?: readonly string[]
  readonly identifier?: string
  readonly by?: string
  readonly atLeast?: number
}

const ABOUT = `
Only time inside the period counts, and parallel devices count once. Names are matched without regard to upper and lower
case. Who is not in the list is listed apart. Like other reports, CSV and JSON in a file are continued by --resume.
src/tools/cli/report/attendance/README.md explains the columns.`

/** Lists of `--invited` that are not files. */
type Lists = Readonly<Record<string, Lazy<PeopleSource>>>

/** Adds `report attendance`: who was invited, who came and for how long, and who was missing. */
export function addAttendanceReport(group: Command, context: CommandContext<HasInvited>): void {
  const ofStore: Lists = { [STORE]: () => Promise.resolve(storePeople) }
  const lists: Lists = Object.assign(ofStore, ...context.features.map(({ invited }) => invited))
  const command = addCommand(group, 'attendance', 'who came, for how long, and who was missing', [
    'viewer-auth report attendance --channel 1002 --from 2026-11-20T18:00 --to 2026-11-20T20:00 --invited store',
    'viewer-auth report attendance --channel 1002 --last 24h --invited registrations.csv --html attendance.html',
    'viewer-auth report attendance --channel 1002 --last 7d --invited store --group staff --at-least 45m --csv',
    'viewer-auth report attendance --channel 1002 --video 2001 --last 7d --invited store --by department',
  ])
  addNotes(command, ABOUT)
    .option('--channel <IDS>', 'the channels, separated by commas', contentIds)
    .option('--video <IDS>', 'also the recorded videos, or all', (text) => (text === 'all' ? text : contentIds(text)))
    .option('--invited <LIST>', `${Object.keys(lists).join(', ')}, or a CSV file with the column username or email`)
    .option('--group <NAME>', 'with --invited: only members of this group; repeatable', collect)
    .option('--identifier <NAME>', 'with --invited: attribute or column with the name at the service')
    .option('--by <NAME>', 'with --invited: count by group, or by this attribute or column')
    .option('--at-least <TIME>', 'only who watched this long, such as 45m or 1h30m', duration)
  addOutputOptions(command).action((options: Options, self: Command) => {
    assertOutputOptions(options, self)
    const { channel: channels = [], video: videos = [], invited } = options
    if (channels.length === 0 && videos.length === 0) self.error('error: use --channel or --video')
    for (const name of ['group', 'identifier', 'by'] as const) {
      if (invited === undefined && options[name] !== undefined) self.error(`error: --${name} needs --invited`)
    }
    const period = orUsageError(self, () => readPeriod(options, nowSeconds(), machineTimeZone()))
    const look = {
      isBy: options.by !== undefined,
      atLeastMs: options.atLeast ?? null,
      isForExcel: options.excel === true,
    }
    return runCommand(context, options.json, () =>
      withKeptRows(async (onKept) => {
        const range = { fromMs: readTime(period.from), toMs: readTime(period.to) }
        const people = await readPeople(context.io, { ...options, range }, lists)
        return await withService(context.io, (service) =>
          reportAttendance(context.io, service, {
            question: { period, channels, videos },
            people,
            options,
            look,
            onKept,
          }),
        )
      }),
    )
  })
}

async function readPeople(
  io: CommandIo,
  { invited, group: groups = [], identifier, by, range }: Options & Required<Pick<PeopleChoice, 'range'>>,
  lists: Lists,
): Promise<readonly Person[] | null> {
  if (invited === undefined) return null
  const choice = { groups, identifier, by, range }
  const load = lists[invited]
  if (load === undefined) return await filePeople(invited, choice)
  const read = await load()
  return await read(io, choice)
}
