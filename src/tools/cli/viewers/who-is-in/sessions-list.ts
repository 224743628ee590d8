import type { Command } from 'commander'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import { identityFields, type ShownIdentity } from '../../guest-ways.ts'
import { entryPointsIn } from '../../settings/chosen-entry-point.ts'
import { type EventTimes, eventTimesOf, type HasEventTimes } from '../../settings/event-times.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { addLimitOption, MOST_TABLE_ROWS, textTable, writeJsonArray } from '../../terminal/table.ts'
import { counted, isoTime } from '../../terminal/text.ts'
import { openClock, playsUntil } from './plays-until.ts'
import { addPutOutNotes } from './put-out-notes.ts'
import { addSignIns, readSessionsIn, type SessionIn } from './sessions-in.ts'

interface ListOptions {
  readonly json?: boolean
  readonly name?: string
  readonly limit?: number
}

/** The app writes the last use to the minute. */
const USE_SECONDS = 60
const TITLES = ['User name', 'Since', 'Last return', 'Device', 'Address', 'Entry point', 'Session until', 'Plays until']
const ABOUT = `Lists the sessions that are not over, the newest first. Without a cookie, and on a shared device, a viewer
has no session, so the list leaves out such viewers. Device, address and entry point are those of the sign-in, from the
security log. "Plays until" is when the last response expires, by the settings as they are now.`

/** Adds `sessions list`, and notes to `sessions end`. */
export async function addSessionsList(group: Command, context: CommandContext<HasEventTimes>): Promise<void> {
  const command = addCommand(group, 'list', 'list who is in: all viewers with a session', [
    'viewer-auth sessions list',
    'viewer-auth sessions list --json > sessions.json',
  ])
  command.option('--name <TEXT>', 'only viewers whose user name contains this text, in upper or lower case')
  addLimitOption(command, 'rows').action((options: ListOptions) =>
    runCommand(context, options.json, async () =>
      listSessions(context.io, options, await eventTimesOf(context.features)),
    ),
  )
  addNotes(command, ABOUT)
  await addPutOutNotes(group, context)
}

async function listSessions(io: CommandIo, options: ListOptions, events: readonly EventTimes[]): Promise<Outcome> {
  const nowSeconds = Date.now() / 1000
  const part = usernameKey(options.name ?? '')
  const sessions = (await readSessionsIn(io, nowSeconds)).filter((one) => usernameKey(one.username).includes(part))
  const unknown = await addSignIns(io, sessions)
  const rowOf = rowMaker(io, nowSeconds, events)
  if (options.json) {
    const rows = sessions.slice(0, options.limit).map(rowOf)
    await writeJsonArray(io.stdout, rows)
    return { ok: true }
  }
  if (sessions.length === 0) return { ok: true, text: 'No sessions.' }
  const shown = sessions.slice(0, options.limit ?? MOST_TABLE_ROWS)
  const clock = openClock(nowSeconds)
  const timeOf = (iso: string | null, none: string) => (iso === null ? none : clock(Date.parse(iso) / 1000))
  const cells = shown
    .map(rowOf)
    .map((row) => [
      nameOf(row),
      timeOf(row.signedInAt, ''),
      timeOf(row.lastReturnAt, 'none yet'),
      row.device ?? 'not known',
      row.address ?? 'not known',
      row.entryPoint ?? 'not known',
      timeOf(row.sessionEndsAt, ''),
      timeOf(row.playsUntil, row.isEndless ? 'no end' : 'not known'),
    ])
  io.stdout.write(`${await textTable(io.stdout, TITLES, cells)}\n`)
  const viewers = new Set(sessions.map(({ username }) => usernameKey(username))).size
  const total = `${counted(sessions.length, 'session')} of ${counted(viewers, 'viewer')}`
  const more = shown.length < sessions.length ? ` Showing ${shown.length}: use --limit or --json for more.` : ''
  const why = unknown === null ? '' : ` Device, address and entry point are not known: ${unknown}.`
  io.stderr.write(`${total}. Viewers without a cookie are not in the list.${more}${why.replace(/\.\.$/, '.')}\n`)
  return { ok: true }
}

/** Returns a function that makes the row of a session for `--json`. Times are ISO 8601, in UTC. */
function rowMaker({ env }: CommandIo, nowSeconds: number, events: readonly EventTimes[]) {
  const entryPoints = entryPointsIn(env)
  return (session: SessionIn) => {
    const { username, signedInAtSeconds, usedAtSeconds, entryPoint, address, device, provider } = session
    const hasReturned = usedAtSeconds > signedInAtSeconds + 1
    // A return may have been at any entry point.
    const possible = hasReturned ? entryPoints : entryPoints?.filter(({ name }) => name === (entryPoint ?? name))
    const until = playsUntil(possible ?? [], usedAtSeconds + USE_SECONDS, nowSeconds, events)
    const isEndless = until?.seconds === Number.POSITIVE_INFINITY
    return {
      username,
      signedInAt: isoTime(signedInAtSeconds),
      lastReturnAt: hasReturned ? isoTime(usedAtSeconds) : null,
      device,
      address,
      entryPoint,
      sessionEndsAt: isoTime(session.endsAtSeconds),
      playsUntil: until === null || isEndless ? null : isoTime(until.seconds),
      isEndless,
      ...identityFields(provider),
    }
  }
}

/** Returns the user name, and how the viewer signed in if not with a password. */
function nameOf({ username, guest, provider }: ShownIdentity & { readonly username: string }) {
  if (guest !== null) return `${username} (${guest.wayIn})`
  return provider === null ? username : `${username} (SSO)`
}
