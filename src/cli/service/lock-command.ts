import type { Command } from 'commander'
import { type LockPlace, readLock, removeLock } from '../../video-service/locks.ts'
import type { RestApi } from '../../video-service/rest-api.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'
import { differences, type ExpectedLock, expectedLock, hiddenSecretWarning } from './expected-lock.ts'
import {
  contentId,
  contentIds,
  nameOf,
  type PlaceOptions,
  type PlacesOptions,
  placeOf,
  placesOf,
  unknownOutcome,
} from './lock-place.ts'
import { lockKeeper } from './lock-records.ts'
import { rotate } from './rotate-lock.ts'
import { type Service, warnIfOutcomeUnknown, withService } from './service.ts'
import { setAndReadBack } from './set-lock.ts'
import { type AccessOptions, accessOf, addAccessOptions } from './token-choice.ts'

const ENTRY_POINT_OPTION = 'the entry point of ENTRY_POINTS_FILE (default: the only one, or default)'

interface ShowOptions extends PlaceOptions, AccessOptions {
  readonly json?: boolean
  readonly entryPoint?: string
}
interface RemoveOptions extends PlaceOptions, AccessOptions {
  readonly json?: boolean
  readonly yes?: boolean
}
interface SetOptions extends PlacesOptions, AccessOptions {
  readonly json?: boolean
  readonly entryPoint?: string
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
      const [place, access] = [placeOf(options, command), accessOf(options, command)]
      return runCommand(context, options.json, async () => {
        const expected = expectedLock(io.env, options.entryPoint)
        return await withService(io, ({ api, signal }) => show(api, place, expected, signal), access)
      })
    })
  placeCommand(
    group,
    'remove',
    'remove the lock; a channel is then open to everyone, a video has the lock of its channel',
    ['viewer-auth lock remove --video 2001', 'viewer-auth lock remove --channel 1002 --yes'],
  )
    .option('--yes', 'do not ask')
    .action((options: RemoveOptions, command: Command) => {
      const [place, access] = [placeOf(options, command), accessOf(options, command)]
      return runCommand(context, options.json, () =>
        withService(io, (service) => remove(io, service, place, options.yes), access),
      )
    })
}

function addSetCommand(group: Command, context: CommandContext): void {
  const { io } = context
  const command = addCommand(group, 'set', 'set the lock to the address and secret of an entry point', [
    'viewer-auth lock set --channel 1002',
    'viewer-auth lock set --video 2001 --entry-point press --yes',
    'viewer-auth lock set --rotate --channel 1002 --video 2001   # all locks of the entry point',
  ])
    .option('--channel <ID>', 'the channel, for its live broadcasts; repeatable with --rotate', contentIds)
    .option('--video <ID>', 'the video; repeatable with --rotate', contentIds)
    .option('--entry-point <NAME>', ENTRY_POINT_OPTION)
    .option('--rotate', 'generate a new secret, set it, and write it to the files of the entry point')
    .option('--yes', 'do not ask')
  addAccessOptions(command).action((options: SetOptions, command: Command) => {
    const [places, access] = [placesOf(options, command), accessOf(options, command)]
    return runCommand(context, options.json, async () => {
      const expected = expectedLock(io.env, options.entryPoint)
      const change = async (service: Service) => {
        if (options.rotate) return await rotate(io, service, places, expected, options.yes)
        return await setAndReadBack(io, service, places[0], expected, options.yes)
      }
      return await withService(io, change, access)
    })
  })
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
  { api, signal, settings }: Pick<Service, 'api' | 'signal' | 'settings'>,
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
  lockKeeper(io, settings.baseUrl).forget(place)
  return { ok: true, text: `Removed the lock of ${name}.`, data: { ...place, state: 'removed' } }
}

function placeCommand(group: Command, name: string, summary: string, examples: readonly string[]): Command {
  const command = addCommand(group, name, summary, examples)
    .option('--channel <ID>', 'the channel, for its live broadcasts', contentId)
    .option('--video <ID>', 'the video', contentId)
  return addAccessOptions(command)
}
