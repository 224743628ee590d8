/** One line of the doctor's: what was found, and what to do about it. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failure'
  readonly text: string
}

const TIMEOUT_MS = 15_000

export function ok(text: string): Finding {
  return { state: 'ok', text }
}
export function warning(text: string): Finding {
  return { state: 'warning', text }
}
export function failure(text: string): Finding {
  return { state: 'failure', text }
}

/** An answer over the network, as a viewer's browser would get it; a finding where none comes. */
export async function reach(url: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response | Finding> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    return await fetch(url, { redirect: 'manual', ...init, signal: limit })
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    return failure(`${new URL(url).origin} cannot be reached (${code}): look at its address, certificate and proxy.`)
  }
}

/** What a directive of each Content-Security-Policy allows: browsers follow them all. */
export function sourcesOf(headers: Headers, directive: string): (readonly string[])[] {
  const policies = (headers.get('content-security-policy') ?? '').split(',').map(directivesOf)
  return policies.map((policy) => policy.get(directive) ?? [])
}

function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/))
  return new Map(directives.map(([name = '', ...sources]) => [name, sources]))
}
