/** One line of the doctor's: what was found, and what to do about it. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failure'
  readonly text: string
}

const TIMEOUT_MS = 15_000
const MOST_BYTES = 65_536
/** A response that has less to live when it arrives is as good as expired. */
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

/** An answer over the network, as a viewer's browser would get it, with the beginning of its body; a finding where none comes. */
export async function reach(url: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response | Finding> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const answer = await fetch(url, { redirect: 'manual', ...init, signal: limit })
    return new Response(await beginningOf(answer), answer)
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    return failure(`${new URL(url).origin} cannot be reached (${code}): look at its address, certificate and proxy.`)
  }
}

/** Nothing more is read, so that an answer without end neither fills the memory nor keeps the program from ending. */
async function beginningOf({ body }: Response): Promise<Blob | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MOST_BYTES) break
  }
  return body === null ? null : new Blob(chunks)
}

/**
 * Which of the sources a directive of the Content-Security-Policy does not allow: browsers follow every policy that
 * names it. All of them where none does, since the app's own always does.
 */
export function notAllowed(headers: Headers, directive: string, sources: readonly string[]): string[] {
  const policies = (headers.get('content-security-policy') ?? '').split(',').map(directivesOf)
  const lists = policies.map((policy) => policy.get(directive)).filter((list) => list !== undefined)
  return sources.filter((source) => lists.length === 0 || !lists.every((list) => list.includes(source)))
}

/** Of a directive that is named twice the first counts. */
function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/))
  return new Map(directives.map(([name = '', ...sources]) => [name.toLowerCase(), sources] as const).reverse())
}
