import { type Command, InvalidArgumentError } from 'commander'
import { type Lock, type LockPlace, readLock, removeLock, setLock } from '../../video-service/locks.ts'
import type { RestApi } from '../../video-service/rest-api.ts'
import { addCommand, addGroup, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { faultInConfirmation, faultInRemoval } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable, printableLines } from '../terminal/text.ts'
import { differences, type ExpectedLock, expectedLock, whatIsUnseen } from './expected-lock.ts'
import { announced, isRefusal, withService } from './service.ts'

interface PlaceOptions {
  readonly json?: boolean
  readonly channel?: string
  readonly video?: string
}
interface SetOptions extends PlaceOptions {
  readonly entryPoint?: string
  readonly yes?: boolean
}

/** `lock …`: viewer authentication at the video service, compared with the settings of the login app. */
export function addLockCommands(program: Command, context: CommandContext): void {
  const { io } = context
  const group = addGroup(program, 'lock', 'the lock that sends viewers of a channel or video to the login app')
  placeCommand(group, 'set', 'send viewers to the entry point of the settings, with its secret', [
    'viewer-auth lock set --channel 1002',
    'viewer-auth lock set --video 2001 --entry-point press --yes',
  ])
    .option('--entry-point <NAME>', 'the entry point of ENTRY_POINTS_FILE (default: the only one, or default)')
    .option('--yes', 'do not ask')
    .action((options: SetOptions, command: Command) => {
      const place = placeOf(options, command)
      return runCommand(context, options.json, async () => {
        const expected = expectedLock(io.env, options.entryPoint)
        return await withService(io, (service) => set(io, service, place, expected, options.yes))
      })
    })
  placeCommand(group, 'show', 'compare the lock with the settings; exit status 1 when they differ', [
    'viewer-auth lock show --channel 1002',
    'viewer-auth lock show --video 2001 --json',
  ])
    .option('--entry-point <NAME>', 'the entry point of ENTRY_POINTS_FILE (default: the only one, or default)')
    .action((options: SetOptions, command: Command) => {
      const place = placeOf(options, command)
      return runCommand(context, options.json, async () => {
        const expected = expectedLock(io.env, options.entryPoint)
        return await withService(io, ({ api, signal }) => show(api, place, expected, signal))
      })
    })
  placeCommand(group, 'remove', 'take the lock away: a channel is then open, a video has the lock of its channel', [
    'viewer-auth lock remove --video 2001',
    'viewer-auth lock remove --channel 1002 --yes',
  ])
    .option('--yes', 'do not ask')
    .action((options: SetOptions, command: Command) => {
      const place = placeOf(options, command)
      return runCommand(context, options.json, () =>
        withService(io, (service) => remove(io, service, place, options.yes)),
      )
    })
}

interface Called {
  readonly api: RestApi
  readonly signal: AbortSignal
}

async function set(
  io: CommandIo,
  { api, signal }: Called,
  place: LockPlace,
  expected: ExpectedLock,
  yes: boolean | undefined,
): Promise<Outcome> {
  const before = await ownLock(api, place, signal)
  const name = nameOf(place)
  io.stderr.write(`${printableLines(plan(name, before, expected))}\n`)
  const fault = await faultInConfirmation(io, yes, `Set the lock of ${name}?`)
  if (fault !== null) return { ok: false, fault }
  signal.throwIfAborted()
  // From here on Ctrl-C waits: what was changed is told.
  const done = await announced(doubtAbout(place), () => setLock(api, place, expected))
  const after = await announced(doubtAbout(place), () => readLock(api, place))
  const wrong = after === null ? ['it has none'] : differences(after, expected)
  if (wrong.length > 0) {
    return {
      ok: false,
      fault: `The lock of ${name} was set, but read back it is not as it should be: ${wrong.join('; ')}.`,
    }
  }
  const state = done === 'set' ? (before === null ? 'new' : 'replaced') : done
  const text = `The lock of ${name} is ${state === 'new' ? 'new' : 'set; the one before was replaced'}: viewers are sent to ${expected.url}`
  return { ok: true, text, data: { ...place, state, url: expected.url } }
}

/** What is there now and what will be, without the secrets. */
function plan(name: string, before: Lock | null, { url, entryPoint }: ExpectedLock): string {
  const lines = [
    `${name[0]?.toUpperCase()}${name.slice(1)}:`,
    `  now:  ${before === null ? 'no lock of its own' : printable(before.url)}`,
    `  then: ${url}, with the secret of the entry point ${entryPoint}`,
  ]
  if (before?.message || before?.buttonCaption) {
    lines.push('  It has a message or a button caption of its own, which the service may take away.')
  }
  return lines.join('\n')
}

async function show(api: RestApi, place: LockPlace, expected: ExpectedLock, signal: AbortSignal): Promise<Outcome> {
  const lock = await readLock(api, place, 'json', signal)
  const name = nameOf(place)
  if (lock === null) {
    return {
      ok: false,
      fault: `The ${name} has no lock of its own; that of its channel holds. See lock show --channel.`,
    }
  }
  const wrong = differences(lock, expected)
  const { secret, ...shown } = lock
  const lines = [
    `The lock of ${name}:`,
    ...Object.entries({ ...shown, secret: secret === undefined ? 'not shown by the service' : 'shown by the service' })
      .filter(([, value]) => value !== null)
      .map(([field, value]) => `  ${field}: ${printable(String(value))}`),
    ...(wrong.length === 0
      ? [`It is as the settings of the entry point ${expected.entryPoint} say.${whatIsUnseen(lock, expected)}`]
      : [
          `It differs from the settings of the entry point ${expected.entryPoint}:`,
          ...wrong.map((line) => `  ${line}`),
        ]),
  ]
  return {
    ok: true,
    text: lines.join('\n'),
    data: { ...place, lock: shown, expectedUrl: expected.url, differences: wrong },
    isPartial: wrong.length > 0,
  }
}

async function remove(
  io: CommandIo,
  { api, signal }: Called,
  place: LockPlace,
  yes: boolean | undefined,
): Promise<Outcome> {
  const before = await readLock(api, place, 'json', signal)
  const name = nameOf(place)
  if (before === null) return { ok: false, fault: `The ${name} has no lock of its own; nothing was changed.` }
  const after =
    place.kind === 'video' ? 'the lock of its channel holds then' : 'everybody can watch it then, without signing in'
  io.stderr.write(`The lock of ${name} leads to ${printable(before.url)}; ${after}.\n`)
  const fault = await faultInRemoval(io, yes, `Remove the lock of ${name}?`)
  if (fault !== null) return { ok: false, fault }
  signal.throwIfAborted()
  await announced(doubtAbout(place), () => removeLock(api, place))
  return { ok: true, text: `Removed the lock of ${name}.`, data: { ...place, state: 'removed' } }
}

/** A channel without a lock and one that is not there have the same error: which it is shows when the lock is set. */
async function ownLock(api: RestApi, place: LockPlace, signal: AbortSignal): Promise<Lock | null> {
  try {
    return await readLock(api, place, 'json', signal)
  } catch (error) {
    if (isRefusal(error, 'not_found')) return null
    throw error
  }
}

function doubtAbout(place: LockPlace): string {
  return `It is not known whether the lock of ${nameOf(place)} was changed: see lock show`
}

function nameOf({ kind, id }: LockPlace): string {
  return `${kind} ${id}`
}

function placeCommand(group: Command, name: string, summary: string, examples: readonly string[]): Command {
  return addCommand(group, name, summary, examples)
    .option('--channel <ID>', 'the channel, for its live broadcasts', contentId)
    .option('--video <ID>', 'the video', contentId)
}

function placeOf({ channel, video }: PlaceOptions, command: Command): LockPlace {
  if (channel !== undefined && video === undefined) return { kind: 'channel', id: channel }
  if (video !== undefined && channel === undefined) return { kind: 'video', id: video }
  return command.error('error: one of --channel ID and --video ID is needed')
}

/**
 * The parser of an id.
 * @throws InvalidArgumentError for what is no whole number, and for a second one, which would quietly win over the first.
 */
export function contentId(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('One at a time: run the command for each.')
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('An id is a whole number.')
  return text
}
