import { type Command, Option } from 'commander'
import { type Lock, type LockDisplay, type LockTarget, readLock, removeLock } from '../../video-service/locks.ts'
import { givenFields } from '../../video-service/service-request.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { loadAll } from '../terminal/lazy.ts'
import { printable } from '../terminal/text.ts'
import { type AccessOptions, accessOf, addAccessOptions } from './access-token/token-choice.ts'
import {
  differences,
  type ExpectedLock,
  expectedLock,
  lockAddress,
  type WantedOptions,
  wantedLock,
} from './expected-lock.ts'
import type { HasLockKind, LockKind } from './lock-kind.ts'
import { compareRecorded, ifUnchanged, openLockRecords, type RecordedSecret } from './lock-records.ts'
import {
  contentId,
  contentIds,
  nameOf,
  type TargetOptions,
  type TargetsOptions,
  targetOf,
  targetsOf,
  unknownOutcome,
} from './lock-target.ts'
import { rotate } from './rotate/rotate-lock.ts'
import { type Service, warnIfOutcomeUnknown, withService } from './service.ts'
import { setAndReadBack } from './set-lock.ts'

const ABOUT_SET = `
The message, caption and sizes of a lock stay as they are, unless you give them; an empty text removes one. The service
documents them only for reading: the command reads the lock back, and says what the service did not take.`
const ENTRY_POINT_OPTION = 'the name of an entry point (default: the only one, or default)'
/** The options of `lock set` that only hash locks have. */
const OF_HASH = ['--rotate', '--secret-file', '--message', '--caption', '--popup-width', '--popup-height']

interface ShowOptions extends TargetOptions, AccessOptions {
  readonly json?: boolean
  readonly viewerAuth: string
  readonly entryPoint?: string
}
interface RemoveOptions extends TargetOptions, AccessOptions {
  readonly json?: boolean
  readonly viewerAuth: string
  readonly yes?: boolean
}
interface SetOptions extends TargetsOptions, AccessOptions, WantedOptions {
  readonly json?: boolean
  readonly viewerAuth: string
  readonly message?: string
  readonly caption?: string
  readonly popupWidth?: string
  readonly popupHeight?: string
  readonly yes?: boolean
}

/** Adds `lock …`, which sets, shows and removes locks at the video service. */
export async function addLockCommands(group: Command, context: CommandContext<HasLockKind>): Promise<void> {
  const { io } = context
  const kinds = await loadAll(context.features.map(({ lockKind }) => lockKind))
  addSetCommand(group, context, kinds)
  placeCommand(group, kinds, 'show', 'compare the lock with the settings; exit status 1 if they differ', [
    'viewer-auth lock show --channel 1002',
    'viewer-auth lock show --video 2001 --json',
  ])
    .option('--entry-point <NAME>', ENTRY_POINT_OPTION)
    .action((options: ShowOptions, command: Command) => {
      const target = targetOf(options, command)
      const access = accessOf(options, command)
      const kind = kindNamed(kinds, options.viewerAuth)
      return runCommand(context, options.json, async () => {
        if (kind) return kind.show(io, target, options.entryPoint)
        const expected = expectedLock(io.env, options.entryPoint)
        return await withService(io, (service) => show(io, service, target, expected), access)
      })
    })
  placeCommand(
    group,
    kinds,
    'remove',
    'remove the lock; a channel is then open to everyone, a video has the lock of its channel',
    ['viewer-auth lock remove --video 2001', 'viewer-auth lock remove --channel 1002 --yes'],
  )
    .option('--yes', 'do not ask')
    .action((options: RemoveOptions, command: Command) => {
      const target = targetOf(options, command)
      const access = accessOf(options, command)
      const kind = kindNamed(kinds, options.viewerAuth)
      return runCommand(context, options.json, () =>
        kind
          ? kind.remove(io, target, options.yes, access)
          : withService(io, (service) => remove({ io, kinds }, service, target, options.yes), access),
      )
    })
}

function addSetCommand(group: Command, context: CommandContext, kinds: readonly LockKind[]): void {
  const { io } = context
  const command = addCommand(group, 'set', 'set the lock to the address and secret of an entry point', [
    'viewer-auth lock set --channel 1002',
    'viewer-auth lock set --video 2001 --entry-point press --yes',
    'viewer-auth lock set --channel 1002 --message "Sign in with your staff account" --caption "Sign in"',
    'viewer-auth lock set --channel 1002 --url https://login.example.com/ --secret-file secret.txt   # of another app',
    'viewer-auth lock set --rotate --channel 1002 --video 2001   # all locks of the entry point',
    ...kinds.flatMap(({ examples }) => examples),
  ])
    .option('--channel <ID>', 'the channel, for its live broadcasts; repeatable with --rotate', contentIds)
    .option('--video <ID>', 'the video; repeatable with --rotate', contentIds)
    .option('--entry-point <NAME>', ENTRY_POINT_OPTION)
    .option('--url <URL>', 'this address instead of that of the entry point', lockAddress)
    .option('--secret-file <FILE>', 'the secret in this file instead of that of the entry point')
    .option('--message <TEXT>', 'the message of the lock')
    .option('--caption <TEXT>', 'the caption of its button')
    .option('--popup-width <SIZE>', 'the width of the popup')
    .option('--popup-height <SIZE>', 'the height of the popup')
    .addOption(
      new Option('--rotate', 'generate a new secret, set it, and write it to the files of the entry point').conflicts([
        ...['url', 'secretFile', 'message', 'caption', 'popupWidth', 'popupHeight'],
      ]),
    )
    .option('--yes', 'do not ask')
    .addOption(kindOption(kinds))
  for (const { keyFlag, keyHelp } of kinds) command.option(`${keyFlag} <FILE>`, keyHelp)
  addNotes(command, [ABOUT_SET, ...kinds.map(({ about }) => about)].join('\n'))
  addAccessOptions(command).action((options: SetOptions, command: Command) => {
    const targets = targetsOf(options, command)
    const access = accessOf(options, command)
    const { entryPoint, url, viewerAuth, yes } = options
    const kind = kindNamed(kinds, viewerAuth)
    const keyFlag = kind?.keyFlag ?? '--secret-file'
    const keyFile = givenValue(command, keyFlag)
    if (entryPoint !== undefined && url !== undefined && keyFile !== undefined) {
      command.error(`error: leave out --entry-point, because --url and ${keyFlag} replace both of its values`)
    }
    const others = kinds.filter((one) => one !== kind).map((one) => one.keyFlag)
    const refused = [...(kind ? OF_HASH : []), ...others].find((flag) => givenValue(command, flag) !== undefined)
    if (refused !== undefined) {
      const hint = refused === '--rotate' ? `: ${kind?.rotateHint}` : ''
      command.error(`error: ${refused} has no meaning with --viewer-auth ${viewerAuth}${hint}`)
    }
    return runCommand(context, options.json, async () => {
      if (kind) return await kind.set(io, targets[0], { entryPoint, url, keyFile, yes }, access)
      if (options.rotate) {
        const expected = expectedLock(io.env, options.entryPoint)
        return await withService(io, (service) => rotate(io, service, targets, expected, options.yes), access)
      }
      const wanted = wantedLock(io.env, options)
      const set = (service: Service) => setAndReadBack(io, service, targets[0], wanted, displayOf(options), options.yes)
      return await withService(io, set, access)
    })
  })
}

function kindOption(kinds: readonly LockKind[]): Option {
  return new Option('--viewer-auth <VERSION>', 'the version of viewer authentication')
    .choices(['hash', ...kinds.map(({ name }) => name)])
    .default('hash')
}

/** Returns null for hash locks. */
function kindNamed(kinds: readonly LockKind[], viewerAuth: string): LockKind | null {
  return kinds.find(({ name }) => name === viewerAuth) ?? null
}

/** Returns the value of an option; undefined if it was not given. */
function givenValue(command: Command, flag: string): string | undefined {
  return command.getOptionValue(new Option(flag).attributeName())
}

/** Returns the fields of the options. An empty text removes a field. */
function displayOf({ message, caption, popupWidth, popupHeight }: SetOptions): LockDisplay {
  return givenFields({ message, buttonCaption: caption, popupWidth, popupHeight })
}

async function show(
  io: CommandIo,
  { api, signal, settings }: Service,
  target: LockTarget,
  expected: ExpectedLock,
): Promise<Outcome> {
  const lock = await readLock(api, target, signal)
  const name = nameOf(target)
  if (lock === null) {
    return {
      ok: false,
      fault: `The ${name} has no lock of its own, so the lock of its channel applies. Check it with lock show --channel.`,
    }
  }
  const { secret, ...shown } = lock
  const recorded =
    secret === undefined ? compareRecorded(openLockRecords(io, settings.baseUrl), target, lock, expected) : null
  const wrong = [...differences(lock, expected), ...differenceOfRecord(recorded)]
  const lines = [
    `The lock of ${name}:`,
    ...Object.entries({ ...shown, secret: secret === undefined ? 'not shown by the service' : 'shown by the service' })
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([field, value]) => `  ${field}: ${printable(String(value))}`),
    ...(wrong.length === 0
      ? matchText(lock, recorded, expected)
      : [
          `It differs from the settings of the entry point ${expected.entryPoint}:`,
          ...wrong.map((line) => `  ${line}`),
        ]),
  ]
  return {
    ok: true,
    text: lines.join('\n'),
    data: { ...target, lock: shown, expectedUrl: expected.url, differences: wrong },
    isPartial: wrong.length > 0,
  }
}

function differenceOfRecord(recorded: RecordedSecret | null): string[] {
  if (recorded === null || recorded.secret === 'same') return []
  const which = recorded.secret === 'previous' ? 'the second secret of the settings' : 'another secret'
  return [`lock set gave it ${which} ${recorded.when}`]
}

/** Says that the lock matches, and what is known of a secret that the service does not show. */
function matchText({ secret }: Lock, recorded: RecordedSecret | null, { entryPoint }: ExpectedLock): string[] {
  const matches = `It matches the settings of the entry point ${entryPoint}`
  if (secret !== undefined) return [`${matches}.`]
  if (recorded !== null) return [`${matches}, ${ifUnchanged(recorded.setAtMs)}.`]
  return [
    `${matches} as far as the service shows it.`,
    `The service does not show the secret of this lock. If it is not the secret of ${entryPoint}, players refuse every response: run lock set.`,
  ]
}

async function remove(
  { io, kinds }: { readonly io: CommandIo; readonly kinds: readonly LockKind[] },
  { api, signal, settings }: Pick<Service, 'api' | 'signal' | 'settings'>,
  target: LockTarget,
  yes: boolean | undefined,
): Promise<Outcome> {
  const before = await readLock(api, target, signal)
  const name = nameOf(target)
  if (before === null) return { ok: false, fault: `The ${name} has no lock of its own. Nothing was changed.` }
  const [other] = kinds.flatMap(({ appliesTo }) => appliesTo(io, settings.baseUrl, target) ?? [])
  const otherwise =
    target.kind === 'video' ? 'the lock of its channel applies' : 'anyone can watch the channel without signing in'
  io.stderr.write(`The lock of ${name} sends viewers to ${printable(before.url)}. Without it ${other ?? otherwise}.\n`)
  const confirmation = await confirmRemoval(io, yes, `Remove the lock of ${name}?`)
  if (!confirmation.ok) return confirmation
  signal.throwIfAborted()
  await warnIfOutcomeUnknown(unknownOutcome(target), () => removeLock(api, target))
  openLockRecords(io, settings.baseUrl).remove(target)
  return { ok: true, text: `Removed the lock of ${name}.`, data: { ...target, state: 'removed' } }
}

function placeCommand(
  group: Command,
  kinds: readonly LockKind[],
  name: string,
  summary: string,
  examples: readonly string[],
): Command {
  const command = addCommand(group, name, summary, examples)
    .option('--channel <ID>', 'the channel, for its live broadcasts', contentId)
    .option('--video <ID>', 'the video', contentId)
    .addOption(kindOption(kinds))
  return addAccessOptions(command)
}
