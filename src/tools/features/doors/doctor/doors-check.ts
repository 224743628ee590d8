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
const NEXT_LOOK_MS = 1_100
/** The time until the next load is partly chance, and without a script nothing else moves on the page. */
const MOST_LOOKS = 4

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
      return await findingOfWaiting(() => request(`${publicUrl.origin}${location}`, signal), signal)
    }
    return answer.status === 403 ? findingOfClosed(reasonOn(await answer.clone().text()), doors) : null
  },
}

/** Looks at the page of viewers who wait again and again, as browsers do: a cache repeats the first answer. */
async function findingOfWaiting(look: () => Promise<Response | Finding>, signal: AbortSignal): Promise<Finding> {
  let first: string | undefined
  for (let count = 0; count < MOST_LOOKS; count += 1) {
    if (count > 0) await sleep(NEXT_LOOK_MS, undefined, { signal })
    const page = await look()
    const html = page instanceof Response ? await page.text() : ''
    if (!(page instanceof Response) || reasonOn(html) !== 'waiting') {
      return failure(
        'no-waiting-page',
        'The test viewer signed in, but the waiting page does not come. Check that the proxy passes GET /wait with its query, and addresses of 8 kB.',
      )
    }
    const refresh = page.headers.get('refresh') ?? ''
    if (!/;\s*url=.*\/wait\?pass=/.test(refresh)) {
      return failure(
        'waiting-refresh-removed',
        'The waiting page has no header Refresh, so viewers wait on it for ever. A proxy removes or changes it. Correct the proxy.',
      )
    }
    if (first !== undefined && first !== refresh + html && !(Number(page.headers.get('age')) > 0)) {
      return ok('viewer-waits', 'The test viewer signed in, and gets the waiting page, as the doors have yet to open.')
    }
    first ??= refresh + html
  }
  return failure(
    'waiting-page-cached',
    'The waiting page comes from a cache, so viewers wait on it after the opening. The app sends Cache-Control: no-store. Let the proxy and its CDN keep it.',
  )
}

/** @param reason on the screen of a refusal. Null for a reason that is not of doors. */
function findingOfClosed(reason: string | undefined, { windows }: DoorSettings): Finding | null {
  const isClosed = reason === 'not-open-yet' || reason === 'over'
  if (isClosed && doorState(windows, Date.now() / 1000).name === 'open') {
    return failure(
      'doors-differ',
      'The app, or one of its copies, keeps the doors closed. By these settings and this clock, they are open. Give all copies the same settings, restart them, and check their clocks.',
    )
  }
  const closed = reason === 'over' ? 'have closed' : 'are closed'
  const text = `The password of the test viewer is right, and the doors ${closed}. The doctor cannot see yet if viewers reach the player. Repeat this while the doors are open.`
  return isClosed ? unknown('doors-not-open', text) : null
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
