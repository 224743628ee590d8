import type { EntryPoint } from '../entry-points/entry-point.ts'
import { UpstreamError } from '../errors.ts'
import type { ResponseParameters } from '../hash-lock/authentication-response.ts'
import type { Language } from '../languages/languages.ts'
import type { Viewer } from '../users/user-store.ts'

/** The channel or video in the player. Comes through the browser, so the viewer can change it. */
export interface Content {
  readonly type?: string
  readonly id?: string
}

/** Plain text: one for all languages, or one for each, where English is for the languages without their own. */
export type PolicyText = string | (Readonly<Partial<Record<Language, string>>> & { readonly en: string })

/** A sentence for the viewer in place of "You don't have access", and a link that opens in a tab of its own. */
export interface Explanation {
  readonly text: PolicyText
  /** `href` is https: or mailto:. */
  readonly link?: { readonly href: string; readonly text: PolicyText }
}

export type AccessDecision =
  | { readonly ok: true; readonly parameters: ResponseParameters }
  | { readonly ok: false; readonly reason: 'not-entitled'; readonly explanation?: Explanation }
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

/**
 * Asks the access policy. Arms a timer only for a policy that returns a promise.
 * @throws UpstreamError if the policy throws, returns no decision, or does not decide in time.
 */
export async function askAccessPolicy(
  { decideAccess, timeoutMs }: AccessPolicy,
  viewer: Viewer,
  entryPoint: EntryPoint,
  content: Content,
): Promise<AccessDecision> {
  const timeout = new AbortController()
  try {
    const decision = decideAccess(viewer, entryPoint, content, timeout.signal)
    const decided = 'then' in decision ? await inTime(decision, timeout, timeoutMs) : decision
    if (typeof decided.ok !== 'boolean') throw new TypeError('The access policy returned no decision')
    return decided
  } catch (cause) {
    throw new UpstreamError('access-policy', 'The access policy did not decide', { cause })
  }
}

async function inTime<T>(work: Promise<T>, timeout: AbortController, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`No decision within ${timeoutMs} ms`)
      timeout.abort(error)
      reject(error)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work, expiry])
  } finally {
    clearTimeout(timer)
  }
}
