import type { Config } from '../../../../config.ts'
import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { SHORT_LIFETIME_SECONDS } from '../app/screen.ts'
import { type Finding, failure, ok, unknown, warning } from '../finding.ts'
import { clocksOf } from '../request.ts'

const TOLERANCE_SECONDS = 5

/**
 * Compares the clocks of the login app and the service: the app sets the expiry of a response by its own clock, and the
 * service checks it by another. Also compares the clock of this machine, which signs in `response build`.
 * @returns null if one of them does not answer, which other checks report.
 */
export async function compareClocks(
  { publicUrl, entryPoints }: Config,
  serviceUrl: string,
  signal: AbortSignal,
): Promise<Finding | null> {
  const clocks = await clocksOf(publicUrl, serviceUrl, signal)
  if (clocks === null) return null
  if (typeof clocks === 'string') {
    return unknown(
      'clocks-unknown',
      `The clocks could not be compared, because ${clocks} sends no Date. Check that both are synchronized.`,
    )
  }
  const { app, service } = clocks
  const serviceAhead = Math.round(service - app)
  const shortestSeconds = Math.min(
    ...entryPoints.filter(isHashEntryPoint).map(({ lifetimeSeconds }) => lifetimeSeconds || Number.POSITIVE_INFINITY),
  )
  if (serviceAhead > TOLERANCE_SECONDS && serviceAhead > shortestSeconds - SHORT_LIFETIME_SECONDS) {
    return failure(
      'clock-expires',
      `The clock of the service is ${serviceAhead} s ahead of the login app, and a response lives ${shortestSeconds} s. It expires before the service checks it, or soon after. ${whoseClock(app, service)}`,
    )
  }
  if (Math.abs(serviceAhead) > TOLERANCE_SECONDS) {
    return warning(
      'clocks-differ',
      `The clocks of the login app and the service differ by ${Math.abs(serviceAhead)} s. Responses expire that much too early or too late. ${whoseClock(app, service)}`,
    )
  }
  if (Math.abs(app) > TOLERANCE_SECONDS && Math.abs(service) > TOLERANCE_SECONDS) {
    return warning(
      'clock-of-this-machine',
      `The clock of this machine is ${describe(-app)} the login app and the service. Responses of "response build" and "response check" are wrong here. Synchronize this clock.`,
    )
  }
  return ok('clocks-agree', 'The clocks of the login app, the service and this machine agree.')
}

/** Names the clock that differs from the other two. */
function whoseClock(app: number, service: number): string {
  if (Math.abs(service) <= TOLERANCE_SECONDS)
    return `The clock of the login app is ${describe(app)} this machine and the service. Synchronize it.`
  if (Math.abs(app) <= TOLERANCE_SECONDS)
    return `The clock of the service is ${describe(service)} this machine and the login app. Tell the service.`
  return 'All three clocks differ. Synchronize the clock of the login app first.'
}

function describe(seconds: number): string {
  return `${Math.abs(Math.round(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'}`
}
