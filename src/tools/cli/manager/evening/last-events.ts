import { usernameKey } from '../../../../users/viewer-fields.ts'
import { isRefusal, type LastEvents } from '../../security-log/logged-events.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'

/** About 60 MB. */
const MOST_VIEWERS = 300_000
const MOST_TEXTS = 10_000

/** Keeps the last sign-in and the last refusal of each viewer, so that the page of a viewer reads no log. */
export function createLastEvents(mostViewers: number = MOST_VIEWERS) {
  const byViewer = new Map<string, LastEvents>()
  const texts = new Map<string, string>()
  let isCut = false

  /** Returns one copy of texts that many lines have. */
  function shared<T extends string | null>(text: T): T {
    if (text === null) return text
    const known = texts.get(text)
    if (known === undefined && texts.size < MOST_TEXTS) texts.set(text, text)
    return (known ?? text) as T
  }
  const compact = (event: SecurityEvent): SecurityEvent => ({
    ...{ time: event.time, event: shared(event.event), outcome: shared(event.outcome), viewer: null },
    ...{ address: event.address, entryPoint: shared(event.entryPoint), device: shared(event.device) },
    ...{ reason: shared(event.reason), code: shared(event.code), status: null, count: 1, requestId: null },
    ...{ issuer: shared(event.issuer), subject: event.subject },
  })
  return {
    add(event: SecurityEvent): void {
      if (event.viewer === null || event.event !== 'sign-in') return
      const isSignIn = event.outcome === 'signed-in'
      if (!isSignIn && !isRefusal(event.outcome)) return
      const key = usernameKey(event.viewer)
      const known = byViewer.get(key) ?? { signIn: null, refusal: null }
      byViewer.delete(key)
      byViewer.set(key, { ...known, [isSignIn ? 'signIn' : 'refusal']: compact(event) })
      if (byViewer.size <= mostViewers) return
      byViewer.delete(byViewer.keys().next().value ?? '')
      isCut = true
    },
    /** Returns null if only the files of the log may know the viewer. */
    of: (viewer: string): LastEvents | null =>
      byViewer.get(usernameKey(viewer)) ?? (isCut ? null : { signIn: null, refusal: null }),
  }
}
