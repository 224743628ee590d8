import type { KeyObject } from 'node:crypto'
import { readEntryPointSettings } from '../../../../config.ts'
import { ConfigError } from '../../../../errors.ts'
import {
  keyFingerprint,
  parseContentPublicKey,
  publicKeyPem,
} from '../../../../features/token/viewer-token/content-key.ts'
import { readNamedFile } from '../../../../settings/named-file.ts'
import { openLockRecords, whenSet } from '../../../cli/service/lock-records.ts'
import { nameOf, ownLock } from '../../../cli/service/lock-target.ts'
import { type Service, warnIfOutcomeUnknown } from '../../../cli/service/service.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'
import type { Outcome } from '../../../cli/terminal/command.ts'
import { confirmChange, confirmRemoval } from '../../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'
import { textTable } from '../../../cli/terminal/table.ts'
import { printable } from '../../../cli/terminal/text.ts'
import type { LockTarget } from '../../../video-service/locks.ts'
import { ServiceRefusal, UnexpectedAnswer } from '../../../video-service/service-errors.ts'
import { removeViewerAuth, setViewerAuth } from '../../../video-service/token/viewer-auth.ts'
import { chosenTokenEntryPoint } from '../chosen-token-entry-point.ts'

/** The viewer auth that an entry point with tokens needs at the service. The fingerprint identifies the public key in messages. */
export type ExpectedViewerAuth = ReturnType<typeof expectedViewerAuth>

/** Values that replace those of the entry point. */
interface GivenViewerAuth {
  readonly url?: string | undefined
  /** The path of a file with the public key in PEM form. */
  readonly publicKey?: string | undefined
}

type Access = Pick<Service, 'api' | 'signal' | 'settings'>

/** The records of viewer auth. */
export const RECORDS = 'viewer-auth'
const HIDDEN = 'not shown by the service'

/**
 * Returns the viewer auth of an entry point, with the given address or public key instead of its own. If both are given,
 * the settings of the login app are not needed, and so neither is the private key.
 * @throws ConfigError that lists every wrong setting, for an entry point without tokens, and for a file without a key.
 */
export function expectedViewerAuth(
  env: CommandIo['env'],
  name: string | undefined,
  { url, publicKey: file }: GivenViewerAuth = {},
) {
  const given = file === undefined ? null : readPublicKey(file)
  if (url !== undefined && given !== null) return { url, ...given, entryPoint: null }
  const config = readEntryPointSettings(env)
  const entryPoint = chosenTokenEntryPoint(config, name)
  return {
    url: url ?? addressOf(config, entryPoint),
    ...(given ?? publicPart(entryPoint.contentKey)),
    entryPoint: entryPoint.name,
  }
}

function publicPart(key: KeyObject) {
  return { publicKey: publicKeyPem(key), fingerprint: keyFingerprint(key) }
}

/** @throws ConfigError for a file without a public key of a channel or video. */
function readPublicKey(file: string): ReturnType<typeof publicPart> {
  const read = readNamedFile(file)
  if ('fault' in read) throw new ConfigError(`--public-key ${read.fault}. Nothing was changed.`)
  try {
    return publicPart(parseContentPublicKey(read.text))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ConfigError(`The file of --public-key ${error.message}. Nothing was changed.`)
  }
}

/** Shows the change, asks, and sets viewer auth. The service cannot show it, so nothing is read back. */
export async function setTokenLock(
  io: CommandIo,
  { api, signal, settings }: Access,
  target: LockTarget,
  wanted: ExpectedViewerAuth,
  yes: boolean | undefined,
): Promise<Outcome> {
  const records = openLockRecords(io, settings.baseUrl, RECORDS)
  const before = records.find(target)
  const name = nameOf(target)
  const rows = [
    ['address', printable(before?.url ?? HIDDEN), wanted.url],
    ['public key', printable(before?.fingerprint ?? HIDDEN), wanted.fingerprint],
  ]
  const now = before === null ? 'Now' : `Recorded ${whenSet(before)}`
  const table = await textTable(io.stderr, [`Viewer auth of ${name}`, now, 'Then'], rows)
  io.stderr.write(`${[table, ...(await noteOnHashLock(api, target, signal))].join('\n')}\n`)
  const confirmation = await confirmChange(io, yes, `Set the viewer auth of ${name}?`)
  if (!confirmation.ok) return confirmation
  signal.throwIfAborted()
  const { url, publicKey, fingerprint } = wanted
  // No abort signal: after Ctrl-C the user would not know if the service took the change.
  await changing(target, records.remove(target), () => setViewerAuth(api, target, { authUrl: url, publicKey }))
  records.save(target, { url, fingerprint })
  return {
    ok: true,
    text: `Set the viewer auth of ${name}. It sends viewers to ${url}. The service does not show it.`,
    data: { ...target, state: 'set', url, fingerprint },
  }
}

/** Compares the record of `lock set` with the settings, because the service does not show viewer auth. */
export function showTokenLock(
  io: CommandIo,
  { settings }: Pick<Service, 'settings'>,
  target: LockTarget,
  expected: ExpectedViewerAuth,
): Outcome {
  const record = openLockRecords(io, settings.baseUrl, RECORDS).find(target)
  const name = nameOf(target)
  if (record === null) {
    const fault = `Nothing is known of the viewer auth of ${name}: the service does not show it, and this machine has no record of lock set. Run lock set --viewer-auth token again.`
    return { ok: false, fault }
  }
  const wrong = [
    ...(record.url === expected.url ? [] : [`the address is ${record.url} instead of ${expected.url}`]),
    ...(record.fingerprint === expected.fingerprint
      ? []
      : [`the public key is ${record.fingerprint} instead of ${expected.fingerprint}`]),
  ]
  const lines = [
    `The service does not show viewer auth. lock set gave ${name} this one ${whenSet(record)}:`,
    `  address: ${printable(record.url)}`,
    `  public key, SHA-256: ${printable(record.fingerprint)}`,
    wrong.length === 0
      ? `The record matches the settings of the entry point ${expected.entryPoint}. A later change elsewhere is unknown.`
      : `The record differs from the settings of the entry point ${expected.entryPoint}:`,
    ...wrong.map((line) => `  ${printable(line)}`),
  ]
  const { url, setAt, fingerprint } = record
  const data = { ...target, recorded: { url, setAt, fingerprint }, expectedUrl: expected.url, differences: wrong }
  return { ok: true, text: lines.join('\n'), data, isPartial: wrong.length > 0 }
}

/** Asks at a terminal, and removes viewer auth. */
export async function removeTokenLock(
  io: CommandIo,
  { api, signal, settings }: Access,
  target: LockTarget,
  yes: boolean | undefined,
): Promise<Outcome> {
  const name = nameOf(target)
  const after = target.kind === 'video' ? 'the lock of its channel applies' : 'anyone can watch the channel'
  io.stderr.write(`Without viewer auth, ${after}, unless the ${target.kind} also has a hash lock.\n`)
  const confirmation = await confirmRemoval(io, yes, `Remove the viewer auth of ${name}?`)
  if (!confirmation.ok) return confirmation
  signal.throwIfAborted()
  const records = openLockRecords(io, settings.baseUrl, RECORDS)
  await changing(target, records.remove(target), () => removeViewerAuth(api, target))
  return { ok: true, text: `Removed the viewer auth of ${name}.`, data: { ...target, state: 'removed' } }
}

/** Makes the change. Restores the record if the service refused it; after a lost answer, nothing is known. */
async function changing(target: LockTarget, restore: () => void, change: () => Promise<void>): Promise<void> {
  const warning = `The viewer auth of ${nameOf(target)} may have been changed. Run the command again`
  await warnIfOutcomeUnknown(warning, () =>
    change().catch((error: unknown) => {
      // After a 404 there is no viewer auth to record.
      if (error instanceof ServiceRefusal && error.status < 500 && error.status !== 404) restore()
      throw error
    }),
  )
}

/** Returns a note if the channel or video also has a hash lock: the documents do not say which lock applies then. */
async function noteOnHashLock(api: Service['api'], target: LockTarget, signal: AbortSignal): Promise<string[]> {
  const lock = await ownLock(api, target, signal).catch((error: unknown) => {
    // The service plans to remove the requests for hash locks.
    if (error instanceof ServiceRefusal || error instanceof UnexpectedAnswer) return null
    throw error
  })
  if (lock === null) return []
  const command = `lock remove --${target.kind} ${target.id}`
  return [`It also has a hash lock. Which lock applies is not documented. When viewers get through, run ${command}.`]
}
