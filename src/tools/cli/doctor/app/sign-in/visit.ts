import type { EntryPoint } from '../../../../../entry-points/entry-point.ts'
import type { SeenPlayer } from '../../answer-check.ts'
import type { DoctorConfig } from '../../feature-check.ts'
import type { Finding } from '../../finding.ts'
import { request, requestFrame } from '../../request.ts'
import { fieldsOf, screenAddress } from '../screen.ts'
import type { TestViewer } from './test-viewer.ts'

type Answer = Response | Finding

const RETURNS = 2

/** The entry point that the test viewer visits. */
export interface VisitTarget {
  readonly config: DoctorConfig
  readonly entryPoint: EntryPoint
  /** A player that asks this entry point. It gets the answer to the sign-in. */
  readonly player: SeenPlayer | null
  readonly signal: AbortSignal
}

/** What the app answers to a viewer who signs in, comes back, and signs out. */
export interface Visit {
  readonly signedIn: Answer
  /** The answers to the returning viewer. Empty if the sign-in failed or set no cookie. */
  readonly again: readonly Answer[]
  readonly slowestMs: number
}

/** Signs in over PUBLIC_URL, returns with the session, and signs out. Makes a new connection for each request. */
export async function visit(target: VisitTarget, viewer: TestViewer): Promise<Visit> {
  const started = await startVisit(target, viewer)
  return await started.finish()
}

/** Signs in. @returns the answer, and a function that does the rest. */
export async function startVisit(
  target: VisitTarget,
  viewer: TestViewer,
): Promise<{ readonly signedIn: Answer; finish(): Promise<Visit> }> {
  const { config, entryPoint, player, signal } = target
  const { origin } = config.publicUrl
  const times: number[] = []
  const timed = async (answer: Promise<Answer>) => {
    const startMs = performance.now()
    const given = await answer
    times.push(performance.now() - startMs)
    return given
  }
  const post = (path: string, fields: Record<string, string>, cookie = '') => {
    // Without a connection of its own, each request would reach the same copy of the app.
    const headers = { Connection: 'close', Origin: origin, ...(cookie === '' ? {} : { Cookie: cookie }) }
    const body = new URLSearchParams(fields)
    return timed(request(`${origin}${entryPoint.basePath}${path}`, signal, { method: 'POST', headers, body }))
  }
  const own = fieldsOf(config, entryPoint, player)
  /** Presses the button of a screen that asks first. */
  async function answered(screen: Answer, cookie?: string): Promise<Answer> {
    if (!(screen instanceof Response)) return screen
    for (const { buttonOn } of config.featureChecks) {
      const button = await buttonOn?.(screen, entryPoint)
      if (button) return await post(button.path, { ...own, ...button.fields }, cookie)
    }
    return screen
  }
  const { path, fields } = viewer.form(entryPoint)
  const signedIn = await answered(await post(path, { ...own, ...fields }))
  async function finish(): Promise<Visit> {
    const cookie = cookiesOf(signedIn)
    if (cookie === '') return { signedIn, again: [], slowestMs: Math.max(...times) }
    const headers = { Connection: 'close', Cookie: cookie }
    const address = screenAddress(config, entryPoint, player)
    // At once, so that a balancer that takes turns gives them to different copies.
    const comeBack = async () => answered(await timed(requestFrame(address, signal, headers)), cookie)
    const again = await Promise.all(Array.from({ length: RETURNS }, comeBack))
    await post('/sign-out', {}, cookie)
    return { signedIn, again, slowestMs: Math.max(...times) }
  }
  return { signedIn, finish }
}

/** True if browsers go on to another server with GET. Some proxies write 302 in place of 303. */
export function isSentOn(answer: Answer): boolean {
  if (!(answer instanceof Response)) return false
  if (answer.status === 303) return true
  const location = answer.headers.get('location') ?? ''
  return [301, 302].includes(answer.status) && new URLSearchParams(location.split('?')[1]).has('hash')
}

function cookiesOf(signedIn: Answer): string {
  if (!isSentOn(signedIn) || !(signedIn instanceof Response)) return ''
  return signedIn.headers
    .getSetCookie()
    .map((given) => given.split(';')[0])
    .join('; ')
}
