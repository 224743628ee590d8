import { type Lock, type LockPlace, readLock, setLock } from '../../video-service/locks.ts'
import type { Outcome } from '../command.ts'
import { confirmChange } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable, printableLines } from '../terminal/text.ts'
import { differences, type ExpectedLock } from './expected-lock.ts'
import { nameOf, ownLock, unknownOutcome } from './lock-place.ts'
import { lockKeeper } from './lock-records.ts'
import { type Service, warnIfOutcomeUnknown } from './service.ts'

/** Shows the change, asks, sets the lock, and reads it back. */
export async function setAndReadBack(
  io: CommandIo,
  { api, signal, settings }: Pick<Service, 'api' | 'signal' | 'settings'>,
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
  const keeper = lockKeeper(io, settings.baseUrl)
  // Forgotten first, because a lost answer leaves either secret.
  keeper.forget(place)
  // No abort signal from here on: after Ctrl-C the user would not know if the lock was changed.
  const done = await warnIfOutcomeUnknown(unknownOutcome(place), () => setLock(api, place, expected))
  keeper.keep(place, expected)
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
