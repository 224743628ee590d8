import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { UpstreamError } from '../../errors.ts'
import type { ResponseParameters } from '../../hash-lock/authentication-response.ts'
import type { Language } from '../../languages/languages.ts'
import { untilDeadline, withDeadline } from '../../server/circuit-breaker.ts'
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
  readonly ofAll?: RefusalOfAll
  /** For programs: `[a-z-]+`. */
  readonly reason?: string
}

/** A refusal of every viewer. `announcement` is a line of the people who run the event, `reason` is for programs: `[a-z-]+`. */
export interface RefusalOfAll {
  readonly title: PolicyText
  readonly reason: string
  readonly event?: PolicyText
  readonly announcement?: PolicyText
  /** The text of the link to the sign-in screen. Null if it cannot help. Default: "Try again". */
  readonly next?: PolicyText | null
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

/** The decision of a gate. `ok` or null lets the viewer pass. */
export type GateDecision = AccessRefused | Held | GatePassed | null

/** `send` sends a screen in place of the answer: the viewer may pass later, or after a question. */
export interface Held {
  readonly ok: false
  readonly reason: 'held'
  readonly send: () => void
}

interface GatePassed extends Pick<AccessGranted, 'endsAtSeconds'> {
  readonly ok: true
  /**
   * Called before the answer is sent.
   * @param sessionId null without a session.
   * @param endsAtSeconds the earliest end that the policy and the gates set. The answer is not valid after it.
   */
  readonly onGranted?: (sessionId: string | null, endsAtSeconds?: number) => Promise<void> | void
}

export interface AccessDeps {
  readonly entryPoint: EntryPoint
  readonly accessPolicy: AccessPolicy
  readonly answer: {
    /** Returns why the player cannot get this value; null if it can. */
    faultIn(value: string): string | null
  }
}

/** Access that is granted, with what the gates do before the answer is sent. */
export type Granted = AccessGranted & { readonly onGranted: readonly Required<GatePassed>['onGranted'][] }

/**
 * Asks the access policy, then the gates, and checks that the player can get the parameters.
 * @throws UpstreamError if the policy or a gate throws, returns no decision, or does not decide in time.
 */
export async function askAccess(
  { entryPoint, accessPolicy, answer }: AccessDeps,
  viewer: Viewer,
  content: Content,
  gates: readonly (() => GateDecision | Promise<GateDecision>)[],
): Promise<Granted | AccessRefused | Held> {
  const { decideAccess, timeoutMs } = accessPolicy
  const decision = await decided(timeoutMs, (signal) => decideAccess(viewer, entryPoint, content, signal))
  if (!decision.ok) return decision
  const passed: GatePassed[] = []
  for (const gate of gates) {
    // Undefined is not a decision, and does not pass.
    const given = await decided(timeoutMs, async () => {
      const decision = await gate()
      return decision === null ? { ok: true as const } : decision
    })
    if (!given.ok) return given
    passed.push(given)
  }
  for (const [name, value] of decision.parameters) {
    const fault = answer.faultIn(value)
    const { attribute = name } = entryPoint.parameters.find((one) => one.name === name) ?? {}
    if (fault !== null) return { ok: false, reason: 'unusable-attribute', attribute, fault }
  }
  const ends = [decision, ...passed].flatMap(({ endsAtSeconds }) => endsAtSeconds ?? [])
  const onGranted = passed.flatMap((one) => one.onGranted ?? [])
  return { ...decision, ...(ends.length > 0 && { endsAtSeconds: Math.min(...ends) }), onGranted }
}

async function decided<T extends { readonly ok: boolean }>(
  timeoutMs: number,
  decide: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const late = () => new Error(`No decision within ${timeoutMs} ms`)
  const request = (signal: AbortSignal) => Promise.try(decide, signal)
  try {
    const decision = await withDeadline(timeoutMs, late, (deadline) => untilDeadline(request, deadline))
    if (typeof decision.ok !== 'boolean') throw new TypeError('The access policy returned no decision')
    return decision
  } catch (cause) {
    throw new UpstreamError('access-policy', 'The access policy did not decide', { cause })
  }
}
