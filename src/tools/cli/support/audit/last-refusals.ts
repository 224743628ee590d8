import { linesOfFile } from '../../security-log/log-lines.ts'
import { isRefusal } from '../../security-log/logged-events.ts'
import { findOwnLog } from '../../security-log/own-log.ts'
import { type SecurityEvent, securityEvents } from '../../security-log/security-events.ts'
import type { BundleSection } from '../section.ts'

const MOST_REFUSALS = 200

/** The last refusals of the security log. Names and addresses are numbers: a typed name may be a password. */
export const lastRefusals: BundleSection = {
  field: 'refusals',
  async collect({ env, signal }) {
    const log = await findOwnLog(env)
    if ('missing' in log) return `${log.missing}.`
    const last: SecurityEvent[] = []
    for (const file of log.files) {
      for await (const event of securityEvents(linesOfFile(file), {})) {
        signal.throwIfAborted()
        if (event.event !== 'sign-in' || event.outcome === 'signed-in' || !isRefusal(event.outcome)) continue
        if (last.push(event) > MOST_REFUSALS) last.shift()
      }
    }
    const viewer = numbers('viewer')
    const address = numbers('address')
    return last.map(({ time, outcome, reason, entryPoint, status, count, ...event }) => ({
      time,
      outcome,
      reason,
      entryPoint,
      status,
      count,
      viewer: viewer(event.viewer),
      address: address(event.address),
    }))
  },
}

/** Returns a function that gives each text a number, as in `viewer 1`. */
function numbers(noun: string): (text: string | null) => string | null {
  const known = new Map<string, string>()
  return (text) => {
    if (text === null) return null
    const name = known.get(text) ?? `${noun} ${known.size + 1}`
    known.set(text, name)
    return name
  }
}
