import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { type Finding, failure } from '../finding.ts'
import { requestFrame } from '../request.ts'
import { notAllowed } from './content-security-policy.ts'

/** Requests besides the first one: a balancer gives them to other copies of the app. */
const MORE = 4

/** Requests the screen over new connections, because copies of the app may differ. @returns null if they agree. */
export async function checkCopies(
  address: string,
  url: string,
  { playerOrigins }: Pick<EntryPoint, 'playerOrigins'>,
  signal: AbortSignal,
): Promise<Finding | null> {
  const ask = () => requestFrame(url, signal, { Connection: 'close' })
  const screens = await Promise.all(Array.from({ length: MORE }, ask))
  const faults = screens.flatMap((screen) => {
    if (!(screen instanceof Response)) return screen.text
    if (screen.status !== 200) return `${address} answers ${screen.status}.`
    const lacking = notAllowed(screen.headers, 'frame-ancestors', playerOrigins)
    return lacking.length === 0 ? [] : `frame-ancestors lacks ${lacking.join(', ')}.`
  })
  if (faults.length === 0) return null
  return failure(
    'copies-differ',
    `${faults.length} of ${MORE} further requests for ${address} got a wrong answer, the first one did not. One copy of the app has other settings or is broken: give all copies the same settings, and restart them. A wrong answer: ${faults[0]}`,
  )
}
