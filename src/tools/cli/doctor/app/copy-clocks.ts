import type { Config } from '../../../../config.ts'
import { type Finding, warning } from '../finding.ts'
import { aheadSeconds, request } from '../request.ts'
import { readinessIn } from './readiness.ts'

/** A balancer gives them to several copies of the app. */
const REQUESTS = 5
/** Viewers do not notice less. */
const MOST_SECONDS = 5

/**
 * Checks the clocks of copies of the app: each says how it differs from the stores that copies share. Else compares it with
 * this machine.
 * @param copies the addresses of copies. Without them, asks PUBLIC_URL several times.
 */
export async function* checkCopyClocks(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  copies: readonly URL[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const isNamed = copies.length > 0
  const asked = isNamed ? copies : Array.from({ length: REQUESTS }, () => publicUrl)
  const seen = await Promise.all(asked.map(({ origin }) => clockAt(origin, signal)))
  for (const one of seen) if (isNamed && 'code' in one) yield one
  const clocks = seen.flatMap((one) => ('code' in one || Math.abs(one.ahead) <= MOST_SECONDS ? [] : one))
  const [worst] = clocks.toSorted((one, next) => Math.abs(next.ahead) - Math.abs(one.ahead))
  for (const { origin, ahead, what } of isNamed || worst === undefined ? clocks : [worst]) {
    const how = `${Math.round(Math.abs(ahead))} s ${ahead > 0 ? 'ahead of' : 'behind'} ${what}`
    const part = isNamed || clocks.length === REQUESTS ? '' : `, in ${clocks.length} of ${REQUESTS} answers`
    const more = isNamed ? '' : ' With several copies, --copy shows which one it is.'
    yield warning(
      'copy-clock',
      `The clock of the login app at ${origin} is ${how}${part}. What opens, ends or is sent at a time is early or late there. Synchronize the clocks, for example with NTP.${more}`,
    )
  }
}

/** Returns how far the clock of the app at an address is ahead, and of what; a finding if the app does not answer. */
async function clockAt(origin: string, signal: AbortSignal) {
  const ready = await request(`${origin}/health/ready`, signal)
  if (!(ready instanceof Response)) return ready
  const [ofStore] = Object.entries((await readinessIn(ready))?.clocks ?? {})
  const [what, ahead] = ofStore ?? ['this machine', (await aheadSeconds(`${origin}/health/live`, signal)) || 0]
  return { origin, what, ahead }
}
