import { type Command, InvalidArgumentError } from 'commander'
import { type Lock, type LockPlace, readLock, removeLock, setLock } from '../../video-service/locks.ts'
import type { RestApi } from '../../video-service/rest-api.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { confirmChange, confirmRemoval } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable, printableLines } from '../terminal/text.ts'
import { differences, type ExpectedLock, expectedLock, hiddenSecretWarning } from './expected-lock.ts'
import { nameOf, ownLock } from './lock-place.ts'
import { rotate } from './rotate-lock.ts'
import { warnIfOutcomeUnknown, withService } from './service.ts'

const ENTRY_POINT_OPTION = 'the entry point of ENTRY_POINTS_FILE (default: the only one, or default)'

interface PlaceOptions {
  readonly json?: boolean
  readonly channel?: string
  readonly video?: string
}
interface ShowOptions extends PlaceOptions {
  readonly entryPoint?: string
}
interface SetOptions {
  readonly json?: boolean
  readonly channel?: readonly string[]
  readonly video?: readonly string[]
  readonly entryPoint?: string
  readonly rotate?: boolean
  readonly yes?: boolean
}

/** Adds `lock …`, which sets, shows and removes locks at the video service. */
export function addLockCommands(group: Command, context: CommandContext): void {
  const { io } = context
  addSetCommand(group, context)
  placeCommand(group, 'show', 'compare the lock with the settings; exit status 1 when they differ', [
    'viewer-auth lock show --channel 1002',
    'viewer-auth lock show --video 2001 --json',
  ])
    .option('--entry-point <NAME>', ENTRY_POINT_OPTION)
    .action((options: ShowOptions, command: Command) => {
      const place = placeOf(options, command)
      return runCommand(context, options.json, async () => {
        const expected = expectedLock(io.env, options.entryPoint)
        return await withService(io, ({ api, signal }) => show(api, place, expected, signal))
      })
    })
  placeCommand(
    group,
    'remove',
    'remove the lock; a channel is then open to everyone, a video has the lock of its channel',
    ['viewer-auth lock remove --video 2001', 'viewer-auth lock remove --channel 1002 --yes'],
  )
    .option('--yes', 'do not ask')
    .action((options: PlaceOptions & { readonly yes?: boolean }, command: Command) => {
      const place = placeOf(options, command)
      return runCommand(context, options.json, () =>
        withService(io, (service) => remove(io, service, place, options.yes)),
      )
    })
}

function addSetCommand(group: Command, context: CommandContext): void {
  const { io } = context
  addCommand(group, 'set', 'set the lock to the address and secret of an entry point', [
    'viewer-auth lock set --channel 1002',
    'viewer-auth lock set --video 2001 --entry-point press --yes',
    'viewer-auth lock set --rotate --channel 1002 --video 2001   # all locks of the entry point',
  ])
    .option('--channel <ID>', 'the channel, for its live broadcasts; repeatable with --rotate', contentIds)
    .option('--video <ID>', 'the video; repeatable with --rotate', contentIds)
    .option('--entry-point <NAME>', ENTRY_POINT_OPTION)
    .option('--rotate', 'generate a new secret, set it, and write it to the files of the entry point')
    .option('--yes', 'do not ask')
    .action((options: SetOptions, command: Command) => {
      const places = placesOf(options, command)
      return runCommand(context, options.json, async () => {
        const expected = expectedLock(io.env, options.entryPoint)
        return await withService(io, async (service) => {
          if (options.rotate) return await rotate(io, service, places, expected, options.yes)
          return await set(io, service, places[0], expected, options.yes)
        })
      })
    })
}

interface ServiceAccess {
  readonly api: RestApi
  readonly signal: AbortSignal
}

async function set(
  io: CommandIo,
  { api, signal }: ServiceAccess,
  place: LockPlace,
  expected: ExpectedLock,
  yes: boolean | undefined,
): Promise<Outcome> {
  const before = await ownLock(api, place, signal)
  const name = nameOf(place)
  io.stderr.write(`${printableLines(plan(name, before, expected))}\n`)
  const confirmation = await confirmChange(io, yes, `Set the lock of ${name}?`)
  if (!confirmation.ok) return confirmation
  signal.throwIfAborted()
  // No abort signal from here on: after Ctrl-C the user would not know if the lock was changed.
  const done = await warnIfOutcomeUnknown(unknownOutcome(place), () => setLock(api, place, expected))
  const after = await warnIfOutcomeUnknown(unknownOutcome(place), () => readLock(api, place))
  const wrong = after === null ? ['there is no lock'] : differences(after, expected)
  if (wrong.length > 0) {
    return {
      ok: false,
      fault: `The lock of ${name} was set, but the service shows another one: ${wrong.join('; ')}.`,
    }
  }
  const state = done === 'set' ? (before === null ? 'new' : 'replaced') : done
  const text = `${state === 'new' ? 'Created' : 'Replaced'} the lock of ${name}. It sends viewers to ${expected.url}`
  return { ok: true, text, data: { ...place, state, url: expected.url } }
}

/** Describes the lock before and after the change, without the secrets. */
function plan(name: string, before: Lock | null, { url, entryPoint }: ExpectedLock): string {
  const lines = [
    `${name[0]?.toUpperCase()}${name.slice(1)}:`,
    `  now:  ${before === null ? 'no lock of its own' : printable(before.url)}`,
    `  then: ${url}, with the secret of the entry point ${entryPoint}`,
  ]
  if (before?.message || before?.buttonCaption) {
    lines.push('  The lock has its own message or button caption. The service may remove them.')
  }
  return lines.join('\n')
}

async function show(api: RestApi, place: LockPlace, expected: ExpectedLock, signal: AbortSignal): Promise<Outcome> {
  const lock = await readLock(api, place, 'json', signal)
  const name = nameOf(place)
  if (lock === null) {
    return {
      ok: false,
      fault: `The ${name} has no lock of its own, so the lock of its channel applies. Check it with lock show --channel.`,
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
      ? [`It matches the settings of the entry point ${expected.entryPoint}.${hiddenSecretWarning(lock, expected)}`]
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
  { api, signal }: ServiceAccess,
  place: LockPlace,
  yes: boolean | undefined,
): Promise<Outcome> {
  const before = await readLock(api, place, 'json', signal)
  const name = nameOf(place)
  if (before === null) return { ok: false, fault: `The ${name} has no lock of its own. Nothing was changed.` }
  const after =
    place.kind === 'video' ? 'the lock of its channel applies' : 'anyone can watch the channel without signing in'
  io.stderr.write(`The lock of ${name} sends viewers to ${printable(before.url)}. Without it ${after}.\n`)
  const confirmation = await confirmRemoval(io, yes, `Remove the lock of ${name}?`)
  if (!confirmation.ok) return confirmation
  signal.throwIfAborted()
  await warnIfOutcomeUnknown(unknownOutcome(place), () => removeLock(api, place))
  return { ok: true, text: `Removed the lock of ${name}.`, data: { ...place, state: 'removed' } }
}

function unknownOutcome(place: LockPlace): string {
  return `The lock of ${nameOf(place)} may have been changed. Check with lock show`
}

function placeCommand(group: Command, name: string, summary: string, examples: readonly string[]): Command {
  return addCommand(group, name, summary, examples)
    .option('--channel <ID>', 'the channel, for its live broadcasts', contentId)
    .option('--video <ID>', 'the video', contentId)
}

function placeOf({ channel, video }: PlaceOptions, command: Command): LockPlace {
  if (channel !== undefined && video === undefined) return { kind: 'channel', id: channel }
  if (video !== undefined && channel === undefined) return { kind: 'video', id: video }
  return command.error('error: give either --channel ID or --video ID')
}

/** Returns the places of `lock set`: one, or several with `--rotate`. */
function placesOf({ channel = [], video = [], rotate: isRotation }: SetOptions, command: Command): Places {
  const [first, ...others] = [
    ...channel.map((id): LockPlace => ({ kind: 'channel', id })),
    ...video.map((id): LockPlace => ({ kind: 'video', id })),
  ]
  if (first === undefined) {
    const choice = isRotation ? '--channel ID and --video ID, as often as needed' : 'either --channel ID or --video ID'
    return command.error(`error: give ${choice}`)
  }
  if (others.length > 0 && !isRotation) {
    return command.error('error: give one id only, and run the command once for each')
  }
  return [first, ...others]
}

type Places = readonly [LockPlace, ...LockPlace[]]

function contentIds(text: string, previous: readonly string[] = []): readonly string[] {
  return [...new Set([...previous, contentId(text, undefined)])]
}

/**
 * Parses the id of a channel or video.
 * @throws InvalidArgumentError if the text is not a whole number, or the option is given twice.
 */
export function contentId(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('Give one id only, and run the command once for each.')
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('An id is a whole number.')
  return text
}
