import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { UpstreamError } from '../../errors.ts'
import type { ResponseParameters } from '../../hash-lock/authentication-response.ts'
import type { Language } from '../../languages/languages.ts'
import type { Viewer } from '../../users/user-store.ts'

/** The channel or video in the player. Comes through the browser, so the viewer can change it. */
export interface Content {
  readonly type?: string
  readonly id?: string
}

/** Plain text: one for all languages, or one for each, where English is for the languages without their own. */
export type PolicyText = string | (Readonly<Partial<Record<Language, string>>> & { readonly en: string })

/** A sentence for the viewer in place of "You don’t have access". The link opens in a tab of its own. */
export interface Explanation {
  readonly text: PolicyText
  /** `href` is https: or mailto:. */
  readonly link?: { readonly href: string; readonly text: PolicyText }
  /** For a refusal of every viewer: the title in place of "No access", and the reason for programs, as `[a-z-]+`. */
  readonly ofAll?: { readonly title: PolicyText; readonly reason: string }
}

export type AccessDecision =
  // No answer is valid after `endsAtSeconds`, in UNIX time.
  | { readonly ok: true; readonly parameters: ResponseParameters; readonly endsAtSeconds?: number }
  // `code` is for the log and metrics: at most 40 of a-z, 0-9 and -.
  | { readonly ok: false; readonly reason: 'not-entitled'; readonly code?: string; readonly explanation?: Explanation }
  | { readonly ok: false; readonly reason: 'unusable-attribute'; readonly attribute: string; readonly fault: string }

export type AccessGranted = Extract<AccessDecision, { ok: true }>
export type AccessRefused = Extract<AccessDecision, { ok: false }>

export interface AccessPolicy {
  /**
   * @param viewer with the current values of the user store. Called at every sign-in and at every return.
   * @param signal aborts after `timeoutMs`.
   */
  readonly decideAccess: (
    viewer: Viewer,
    entryPoint: Pick<EntryPoint, 'name' | 'viewerAuth' | 'allowedGroups' | 'parameters'>,
    content: Content,
    signal: AbortSignal,
  ) => AccessDecision | Promise<AccessDecision>
  readonly timeoutMs: number
}

/** A check after the access policy, such as "only in the evening". `ok` or null lets the viewer pass. */
export type Gate = (viewer: Viewer, content: Content) => GateDecision | Promise<GateDecision>
export type GateDecision = AccessRefused | Required<Omit<AccessGranted, 'parameters'>> | null

export interface AccessDeps {
  readonly entryPoint: EntryPoint
  readonly accessPolicy: AccessPolicy
  readonly gates: readonly Gate[]
  readonly answer: {
    /** Returns why the player cannot get this value; null if it can. */
    faultIn(value: string): string | null
  }
}

/**
 * Asks the access policy, then the gates, and checks that the player can get the parameters.
 * @throws UpstreamError if the policy or a gate throws, returns no decision, or does not decide in time.
 */
export async function askAccess(
  { entryPoint, accessPolicy, gates, answer }: AccessDeps,
  viewer: Viewer,
  content: Content,
): Promise<AccessDecision> {
  const { decideAccess, timeoutMs } = accessPolicy
  const decision = await decided(timeoutMs, (signal) => decideAccess(viewer, entryPoint, content, signal))
  if (!decision.ok) return decision
  const ends = [decision.endsAtSeconds ?? []].flat()
  for (const gate of gates) {
    const refused = await decided(timeoutMs, async () => {
      const passed = await gate(viewer, content)
      if (passed?.ok) ends.push(passed.endsAtSeconds)
      return passed === null || passed.ok ? decision : passed
    })
    if (!refused.ok) return refused
  }
  for (const [name, value] of decision.parameters) {
    const fault = answer.faultIn(value)
    const { attribute = name } = entryPoint.parameters.find((one) => one.name === name) ?? {}
    if (fault !== null) return { ok: false, reason: 'unusable-attribute', attribute, fault }
  }
  return ends.length === 0 ? decision : { ...decision, endsAtSeconds: Math.min(...ends) }
}

/** Arms a timer only for a decision that is a promise. */
async function decided(
  timeoutMs: number,
  decide: (signal: AbortSignal) => AccessDecision | Promise<AccessDecision>,
): Promise<AccessDecision> {
  const timeout = new AbortController()
  try {
    const decision = decide(timeout.signal)
    const result = 'then' in decision ? await inTime(decision, timeout, timeoutMs) : decision
    if (typeof result.ok !== 'boolean') throw new TypeError('The access policy returned no decision')
    return result
  } catch (cause) {
    throw new UpstreamError('access-policy', 'The access policy did not decide', { cause })
  }
}

async function inTime<T>(work: Promise<T>, timeout: AbortController, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_resolve, reject) => {
    timeout.signal.addEventListener('abort', () => reject(timeout.signal.reason))
    timer = setTimeout(() => timeout.abort(new Error(`No decision within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([work, expiry])
  } finally {
    clearTimeout(timer)
  }
}
