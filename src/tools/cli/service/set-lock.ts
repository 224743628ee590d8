import { type Lock, type LockDisplay, type LockTarget, readLock, setLock } from '../../video-service/locks.ts'
import { ServiceRefusal } from '../../video-service/service-errors.ts'
import type { Outcome } from '../terminal/command.ts'
import { confirmChange } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { textTable } from '../terminal/table.ts'
import { compareSecret, differences, type WantedLock } from './expected-lock.ts'
import { DISPLAY_FIELDS, displayToSend, lostFields, setWithDisplay } from './lock-display.ts'
import { openLockRecords } from './lock-records.ts'
import { nameOf, ownLock, unknownOutcome } from './lock-target.ts'
import { isRefusal, type Service, warnIfOutcomeUnknown } from './service.ts'
import { serviceFault } from './service-fault.ts'

/**
 * Shows the change, asks, sets the lock, and reads it back.
 * @param given the fields that the user chose. The other fields stay as they are, if the service shows and takes them.
 */
export async function setAndReadBack(
  io: CommandIo,
  { api, signal, settings }: Pick<Service, 'api' | 'signal' | 'settings'>,
  target: LockTarget,
  wanted: WantedLock,
  given: LockDisplay,
  yes: boolean | undefined,
): Promise<Outcome> {
  const before = await ownLock(api, target, signal)
  const display = displayToSend(before, given)
  const name = nameOf(target)
  io.stderr.write(`${await plan(io, target, before, wanted, display)}\n`)
  const confirmation = await confirmChange(io, yes, `Set the lock of ${name}?`)
  if (!confirmation.ok) return confirmation
  signal.throwIfAborted()
  const records = openLockRecords(io, settings.baseUrl)
  // Removed first, because a lost answer leaves either secret. A refusal leaves the secret that was there.
  const restore = records.remove(target)
  const { url, secret } = wanted
  const set = () =>
    Object.keys(given).length > 0
      ? setLock(api, target, { url, secret, ...display })
      : setWithDisplay(api, target, { url, secret, ...display })
  try {
    // No abort signal from here on: after Ctrl-C the user would not know if the lock was changed.
    const done = await warnIfOutcomeUnknown(unknownOutcome(target), () =>
      set().catch((error: unknown) => {
        if (error instanceof ServiceRefusal && error.status < 500) restore()
        throw error
      }),
    )
    records.save(target, wanted)
    const after = await warnIfOutcomeUnknown(unknownOutcome(target), () => readLock(api, target))
    return outcomeOf(target, { before, after, wanted, display, done })
  } catch (error) {
    if (!isRefusal(error, 'invalid_request') || Object.keys(given).length === 0) throw error
    const fault = serviceFault(error, settings)
    return { ok: false, fault: `${fault} Nothing was changed. Change or leave out ${optionsOf(given)}.` }
  }
}

interface Change {
  readonly before: Lock | null
  readonly after: Lock | null
  readonly wanted: WantedLock
  readonly display: LockDisplay
  readonly done: Awaited<ReturnType<typeof setLock>>
}

function outcomeOf(target: LockTarget, { before, after, wanted, display, done }: Change): Outcome {
  const name = nameOf(target)
  const wrong = after === null ? ['there is no lock'] : differences(after, wanted)
  if (after === null || wrong.length > 0) {
    return {
      ok: false,
      fault: `The lock of ${name} was set, but the service shows another one: ${wrong.join('; ')}.`,
    }
  }
  const lost = lostFields(after, display)
  const state = done === 'set' ? (before === null ? 'new' : 'replaced') : done
  const lines = [`${state === 'new' ? 'Created' : 'Replaced'} the lock of ${name}. It sends viewers to ${wanted.url}`]
  if (lost.length > 0) lines.push(`The service did not take the ${lost.join(', ')}. Set this on its website.`)
  return {
    ok: true,
    text: lines.join('\n'),
    data: { ...target, state, url: wanted.url, ...(lost.length === 0 ? {} : { lost }) },
    isPartial: lost.length > 0,
  }
}

/** Describes the lock before and after the change, without the secrets. */
async function plan(
  io: CommandIo,
  target: LockTarget,
  before: Lock | null,
  wanted: WantedLock,
  display: LockDisplay,
): Promise<string> {
  const shown = before === null ? '' : SECRET_NOW[compareSecret(before, wanted)]
  const rows = [
    ['address', before?.url ?? 'no lock of its own', wanted.url],
    ['secret', shown, `of ${wanted.secretOf}`],
    ...DISPLAY_FIELDS.map(([field, name]) => [name, before?.[field] ?? '', display[field] ?? '']),
  ].filter(([, now, then]) => now !== '' || then !== '')
  const name = nameOf(target)
  const table = await textTable(io.stderr, [`${name[0]?.toUpperCase()}${name.slice(1)}`, 'Now', 'Then'], rows)
  return [table, ...notes(target, before, display)].join('\n')
}

const SECRET_NOW = { same: 'the same', previous: 'the previous one', other: 'another one', 'not shown': 'not shown' }

/** Says what the change may remove. */
function notes({ kind }: LockTarget, before: Lock | null, display: LockDisplay): string[] {
  const sent = DISPLAY_FIELDS.filter(([field]) => display[field]).map(([, name]) => name)
  if (sent.length > 0) {
    return [`Sent along: ${sent.join(', ')}. The service documents only the address and secret, so it may drop these.`]
  }
  const isHidden = before !== null && DISPLAY_FIELDS.every(([field]) => before[field] === undefined)
  if (kind === 'channel' || !isHidden) return []
  return ["The service does not show the message, caption and sizes of a video's lock. If it has any, they are lost."]
}

function optionsOf(given: LockDisplay): string {
  const names = DISPLAY_FIELDS.filter(([field]) => given[field] !== undefined).map(([, name]) => name)
  return names.map((name) => `--${name.replace('button ', '').replace(' ', '-')}`).join(', ')
}
