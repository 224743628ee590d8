/** The result of one check. If the check failed, the text also says what to do. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failure'
  readonly text: string
}

const TIMEOUT_MS = 15_000
const MAX_BYTES = 65_536
/** A response with a shorter lifetime may expire before the service checks it. */
export const SHORT_LIFETIME_SECONDS = 30

export function ok(text: string): Finding {
  return { state: 'ok', text }
}
export function warning(text: string): Finding {
  return { state: 'warning', text }
}
export function failure(text: string): Finding {
  return { state: 'failure', text }
}

/** Requests an address as a browser would, without following redirects. Returns a failure if there is no answer. */
export async function request(url: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response | Finding> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const answer = await fetch(url, { redirect: 'manual', ...init, signal: limit })
    return new Response(await readBeginning(answer), answer)
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    return failure(`Cannot reach ${new URL(url).origin} (${code}). Check its address, certificate and proxy.`)
  }
}

/** Reads only the beginning of the body, because an endless answer would fill the memory. */
async function readBeginning({ body }: Response): Promise<Blob | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_BYTES) break
  }
  return body === null ? null : new Blob(chunks)
}

/**
 * Returns the sources that a directive of the Content-Security-Policy does not allow. Browsers apply every policy that
 * has the directive. Without such a policy, no source counts as allowed, because the app always sends the directive.
 */
export function notAllowed(headers: Headers, directive: string, sources: readonly string[]): string[] {
  const policies = (headers.get('content-security-policy') ?? '').split(',').map(directivesOf)
  const lists = policies.map((policy) => policy.get(directive)).filter((list) => list !== undefined)
  return sources.filter((source) => lists.length === 0 || !lists.every((list) => list.includes(source)))
}

/** Returns the sources of each directive. If a directive is repeated, the first one counts. */
function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/))
  return new Map(directives.map(([name = '', ...sources]) => [name.toLowerCase(), sources] as const).reverse())
}
