import { setTimeout as sleep } from 'node:timers/promises'
import { SECRETS_READ_EVERY_MS } from '../../../../features/secret-files/watch-secrets.ts'
import { listChannels } from '../../../video-service/channels.ts'
import type { Lock, LockDisplay, LockTarget } from '../../../video-service/locks.ts'
import { ServiceRefusal, UnexpectedAnswer } from '../../../video-service/service-errors.ts'
import { messageOf, type Outcome } from '../../terminal/command.ts'
import { confirmChange } from '../../terminal/confirm.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { printableLines } from '../../terminal/text.ts'
import { differences, type ExpectedLock, leadsTo } from '../expected-lock.ts'
import { displayToSend, lostFields, setWithDisplay } from '../lock-display.ts'
import { type LockRecords, openLockRecords } from '../lock-records.ts'
import { nameOf, ownLock } from '../lock-target.ts'
import type { Service } from '../service.ts'
import { serviceFault } from '../service-fault.ts'
import { beginChange, faultInFiles, pendingSecret, type SecretChange } from './secret-files.ts'

const TRIES = 3
const RETRY_AFTER_MS = 500
const WITHOUT_FILES =
  'lock set --rotate needs both secrets in files that it can write: set HASH_SECRET_FILE and HASH_SECRET_PREVIOUS_FILE, or secretFile and secretPreviousFile of the entry point. Without files, follow the steps in src/entry-points/README.md.'

/**
 * Gives all locks of an entry point a new secret. The app knows the new secret before the first lock has it. After a
 * failure both secrets stay in the files, and the same command continues.
 */
export async function rotate(
  io: CommandIo,
  service: Service,
  targets: readonly LockTarget[],
  expected: ExpectedLock,
  yes: boolean | undefined,
): Promise<Outcome> {
  const { secretFiles: files } = expected
  if (files === null) return { ok: false, fault: `${WITHOUT_FILES} Nothing was changed.` }
  const pending = pendingSecret(files)
  const fault =
    faultInSharing(expected) ??
    faultInFiles(files) ??
    (await faultInLocks(service.api, targets, { ...expected, previousSecret: pending }, service.signal)) ??
    (await faultInOtherChannels(io, service, targets, expected))
  if (fault !== null) return { ok: false, fault: `${fault} Nothing was changed.` }
  const displays = await displaysOf(service, targets)
  const names = targets.map(nameOf).join(', ')
  const verb = pending === null ? 'Gives' : 'Continues to give'
  io.stderr.write(printableLines(`${verb} a new secret to the entry point ${expected.entryPoint}: ${names}.\n`))
  io.stderr.write(
    'Players may ask every viewer to sign in again. Messages, captions and sizes are sent along; the service may drop them.\n',
  )
  if (pending === null && expected.previousSecret !== null) {
    io.stderr.write(
      printableLines(
        `${files.previous} still holds the secret before the current one. It will be lost: a lock that was forgotten in the last change then refuses all viewers.\n`,
      ),
    )
  }
  const confirmation = await confirmChange(io, yes, `Change the secret of ${names}?`)
  if (!confirmation.ok) return confirmation
  service.signal.throwIfAborted()
  // No abort signal from here on: after Ctrl-C the locks and the files would differ.
  const change = beginChange(files, expected.secret)
  await sleep(2 * SECRETS_READ_EVERY_MS)
  const records = openLockRecords(io, service.settings.baseUrl)
  const next = { ...expected, secret: change.next, displays }
  const failure = await setAll({ ...service, records }, targets, next, change)
  if (failure !== null) return { ok: false, fault: failure }
  try {
    change.finish()
  } catch (error) {
    return { ok: false, fault: `${names}: the new secret is set, but ${messageOf(error)}. ${unfinished()}` }
  }
  // Read back last, because until finish() the app signs with a secret that the locks no longer have.
  return await readBack(service, targets, { ...next, previousSecret: null })
}

interface NewLock extends ExpectedLock {
  /** The fields that each lock had before the change, by its name. */
  readonly displays: ReadonlyMap<string, LockDisplay>
}

async function displaysOf({ api, signal }: Service, targets: readonly LockTarget[]): Promise<NewLock['displays']> {
  const displays = new Map<string, LockDisplay>()
  for (const target of targets) displays.set(nameOf(target), displayToSend(await ownLock(api, target, signal), {}))
  return displays
}

/** Checks that the service shows the new locks. It shows the secret of a video only. */
async function readBack(service: Service, targets: readonly LockTarget[], expected: NewLock): Promise<Outcome> {
  const { entryPoint, displays } = expected
  const lost: string[] = []
  try {
    const wrong = await faultInLocks(service.api, targets, expected)
    if (wrong !== null) {
      return { ok: false, fault: `The new secret was set, but the service shows something else. ${wrong}` }
    }
    for (const target of targets) {
      const lock = await ownLock(service.api, target)
      const fields = lock === null ? [] : lostFields(lock, displays.get(nameOf(target)) ?? {})
      if (fields.length > 0) lost.push(`${fields.join(', ')} of ${nameOf(target)}`)
    }
  } catch (error) {
    const reason = serviceFault(error, service.settings) ?? messageOf(error)
    return { ok: false, fault: `The new secret is set, but it cannot be read back. ${reason} Check with lock show.` }
  }
  const names = targets.map(nameOf).join(', ')
  const text = `The entry point ${entryPoint} and its locks have a new secret: ${names}. An app that runs with these files uses it within a second. Sign in to check.`
  const data = { entryPoint, places: targets, state: 'rotated' }
  if (lost.length === 0) return { ok: true, text, data }
  const note = `The service did not keep: ${lost.join('; ')}. Set them again with lock set, or on its website.`
  return { ok: true, text: `${text}\n${note}`, data: { ...data, lost }, isPartial: true }
}

/** Returns a sentence if another entry point has the same secret, because its locks would keep the old one. */
function faultInSharing({ entryPoint, sharedWith }: ExpectedLock): string | null {
  if (sharedWith.length === 0) return null
  return `The entry point ${entryPoint} has the same secret as ${sharedWith.join(', ')}. Give each its own secret first.`
}

/** Returns a sentence if a lock differs from the expected one. */
async function faultInLocks(
  api: Service['api'],
  targets: readonly LockTarget[],
  expected: ExpectedLock,
  signal?: AbortSignal,
): Promise<string | null> {
  for (const target of targets) {
    const lock = await ownLock(api, target, signal)
    const wrong = lock === null ? ['it has no lock of its own'] : differencesOf(lock, expected)
    if (wrong.length > 0) {
      return `The lock of ${nameOf(target)} is not the lock of the entry point ${expected.entryPoint}: ${wrong.join('; ')}. Run lock set first.`
    }
  }
  return null
}

/** Accepts either secret: after a command that was stopped, a lock may already have the new one. */
function differencesOf(lock: Lock, expected: ExpectedLock): string[] {
  const { secret, previousSecret: pending } = expected
  const now = pending !== null && lock.secret === pending ? pending : secret
  return differences(lock, { ...expected, secret: now, previousSecret: null })
}

/** Returns a sentence if another channel has the same entry point, because its lock would keep the old secret. */
async function faultInOtherChannels(
  io: CommandIo,
  { api, signal }: Service,
  targets: readonly LockTarget[],
  expected: ExpectedLock,
): Promise<string | null> {
  const named = new Set(targets.map(nameOf))
  try {
    for (const { id } of await listChannels(api, signal)) {
      const target: LockTarget = { kind: 'channel', id }
      if (named.has(nameOf(target))) continue
      const lock = await ownLock(api, target, signal)
      if (lock !== null && leadsTo(lock.url, expected)) {
        return `${nameOf(target)} has the same entry point and would keep the old secret. Add --channel ${id}.`
      }
    }
  } catch (error) {
    if (!(error instanceof ServiceRefusal || error instanceof UnexpectedAnswer)) throw error
    io.stderr.write('The service does not list its channels. Name every channel with this entry point.\n')
  }
  return null
}

/** Sets all locks. Returns the failure and the state of the locks as text; null if all have the new secret. */
async function setAll(
  { api, settings, records }: Service & { readonly records: LockRecords },
  targets: readonly LockTarget[],
  expected: NewLock,
  change: SecretChange,
): Promise<string | null> {
  for (const [index, target] of targets.entries()) {
    const result = await setOne(api, target, expected)
    if (result === null) {
      records.save(target, expected)
      continue
    }
    if (!result.isUnchanged) records.remove(target)
    const reason = `${nameOf(target)}: ${serviceFault(result.error, settings) ?? messageOf(result.error)}`
    if (result.isUnchanged && index === 0 && change.cancel) {
      change.cancel()
      return `${reason} Nothing was changed.`
    }
    const done = targets.slice(0, index).map(nameOf).join(', ') || 'none'
    const state = result.isUnchanged ? 'has the old secret' : 'may have either secret'
    return `${reason} Locks with the new secret: ${done}. ${nameOf(target)} ${state}. ${unfinished()}`
  }
  return null
}

/** Sets one lock. Repeats a request of unknown outcome, because setting the same secret again has no other effect. */
async function setOne(api: Service['api'], target: LockTarget, { url, secret, displays }: NewLock) {
  /** True if the lock has certainly not changed. */
  let isUnchanged = true
  for (let tried = 1; ; tried += 1) {
    try {
      await setWithDisplay(api, target, { url, secret, ...displays.get(nameOf(target)) })
      return null
    } catch (error) {
      const isRefused = error instanceof ServiceRefusal && error.status < 500
      isUnchanged &&= isRefused
      if (tried === TRIES || isRefused) return { error, isUnchanged }
      await sleep(RETRY_AFTER_MS)
    }
  }
}

function unfinished(): string {
  return 'Both secrets are kept, and the app uses both. Run the same command again to continue.'
}
