import { setTimeout as sleep } from 'node:timers/promises'
import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { doorState } from '../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../features/doors/fields.ts'
import { timeText } from '../../../../settings/times.ts'
import type { FeatureCheck, Untried } from '../../../cli/doctor/feature-check.ts'
import { type Finding, failure, findingOf, ok, unknown, warning } from '../../../cli/doctor/finding.ts'
import { reasonOn, request } from '../../../cli/doctor/request.ts'

const DAY_SECONDS = 86_400
/** Most events are announced later, so a door that opens after this time may have a wrong month or year. */
const FAR_SECONDS = 60 * DAY_SECONDS
const SECOND_LOOK_MS = 1_100

/** Checks the doors of all entry points. */
export const doorsCheck: FeatureCheck = {
  *check(config) {
    const withDoors = config.entryPoints.filter(({ features }) => features.doors !== undefined)
    const untried: Untried[] = []
    for (const entryPoint of withDoors) {
      const finding = findingOfDoors(entryPoint, Date.now() / 1000)
      if (finding.state === 'ok') yield findingOf(config, entryPoint, finding)
      // The event of another entry point says nothing about this one.
      else untried.push({ entryPoint, finding })
    }
    return untried
  },
  async explainSignIn(answer, { publicUrl }, { features, basePath }, signal) {
    const doors = features.doors as DoorSettings | undefined
    if (doors === undefined) return null
    const location = answer.headers.get('location') ?? ''
    if (location.startsWith(`${basePath}/wait?pass=`)) {
      const first = await request(`${publicUrl.origin}${location}`, signal)
      // A cache repeats the first answer with its time.
      await sleep(SECOND_LOOK_MS, undefined, { signal })
      return await findingOfWaiting(first, await request(`${publicUrl.origin}${location}`, signal))
    }
    return answer.status === 403 ? findingOfClosed(reasonOn(await answer.clone().text())) : null
  },
}

/** Judges two looks at the page of viewers who wait. It passes on by itself only if it is loaded anew again and again. */
async function findingOfWaiting(...looks: readonly (Response | Finding)[]): Promise<Finding> {
  const pages = looks.filter((look) => look instanceof Response)
  const reasons = await Promise.all(pages.map(async (page) => reasonOn(await page.text())))
  if (pages.length < looks.length || reasons.some((reason) => reason !== 'waiting')) {
    return failure(
      'no-waiting-page',
      'The test viewer signed in, but the waiting page does not come. Check that the proxy passes GET /wait with its query, and addresses of 8 kB.',
    )
  }
  if (pages.some(({ headers }) => !/;\s*url=.*\/wait\?pass=/.test(headers.get('refresh') ?? ''))) {
    return failure(
      'waiting-refresh-removed',
      'The waiting page has no header Refresh, so viewers wait on it for ever. A proxy removes or changes it. Correct the proxy.',
    )
  }
  const dates = pages.map(({ headers }) => headers.get('date'))
  if (new Set(dates).size < pages.length || pages.some(({ headers }) => Number(headers.get('age')) > 0)) {
    return failure(
      'waiting-page-cached',
      'The waiting page comes from a cache, so viewers wait on it after the opening. The app sends Cache-Control: no-store. Let the proxy and its CDN keep it.',
    )
  }
  return ok('viewer-waits', 'The test viewer signed in, and gets the waiting page, as the doors have yet to open.')
}

/** @param reason on the screen of a refusal. Null for a reason that is not of doors. */
function findingOfClosed(reason: string | undefined): Finding | null {
  const again = 'Whether viewers reach the player was not seen. Repeat this while the doors are open.'
  if (reason === 'not-open-yet') {
    return unknown('doors-not-open', `The password of the test viewer is right, and the doors are closed. ${again}`)
  }
  return reason === 'over'
    ? unknown('doors-not-open', `The password of the test viewer is right, and the doors have closed. ${again}`)
    : null
}

/** @param nowSeconds UNIX time in seconds. */
export function findingOfDoors({ features }: Pick<EntryPoint, 'features'>, nowSeconds: number): Finding {
  const { windows, timeZone, hasWaitingRoom } = features.doors as DoorSettings
  const state = doorState(windows, nowSeconds)
  const timeOf = (seconds: number) => timeText('en', seconds, timeZone)
  if (state.name === 'over') {
    const ended = timeOf(state.endedAtSeconds)
    return failure('doors-over', `The doors closed on ${ended}. No viewer can watch. Set other times.`)
  }
  if (state.name === 'open') {
    const end = state.endsAtSeconds === null ? '' : ` until ${timeOf(state.endsAtSeconds)}`
    return ok('doors-open', `The doors are open${end}.`)
  }
  const opens = timeOf(state.opensAtSeconds)
  if (state.opensAtSeconds - nowSeconds > FAR_SECONDS) {
    const text = `The doors open on ${opens}, and until then no viewer can watch. Is the date right? Set other times if it is not.`
    return unknown('doors-far', text)
  }
  const isSoon = state.opensAtSeconds - nowSeconds <= DAY_SECONDS
  const when = isSoon ? `They open within the day: ${opens}` : `They open: ${opens}`
  return warning(
    isSoon ? 'doors-open-soon' : 'doors-closed',
    `The doors are closed, so a test viewer ${hasWaitingRoom ? 'waits' : 'is refused'}. ${when}. Check that viewers were told this time.`,
  )
}
