import { expect, test } from 'vitest'
import type { DoctorConfig } from '../../../../../src/tools/cli/doctor/feature-check.ts'
import { doorsCheck, findingOfDoors } from '../../../../../src/tools/features/doors/doctor/doors-check.ts'
import { withDoors } from '../../../../features/doors/entry-point.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { startService } from '../../../video-service/test-service.ts'

const DAY = 86_400
const OPENS = 100 * DAY
const WINDOWS = [{ opensAtSeconds: OPENS, closesAtSeconds: OPENS + 3600 }]

test.each([
  [OPENS - 61 * DAY, 'unknown', 'doors-far', /Is the date right/],
  [OPENS - DAY - 1, 'warning', 'doors-closed', /They open: Saturday, April 11, 1970/],
  [OPENS - DAY, 'warning', 'doors-open-soon', /within the day: Saturday, April 11, 1970 at 12:00 AM UTC/],
  [OPENS, 'ok', 'doors-open', /open until Saturday, April 11, 1970 at 1:00 AM UTC/],
  [OPENS + 3600, 'failure', 'doors-over', /No viewer can watch/],
])('at %i s, doctor has a finding on the doors: %s, %s', (nowSeconds, state, code, text) => {
  const finding = findingOfDoors(withDoors(ENTRY_POINT, { windows: WINDOWS }), nowSeconds)
  expect(finding).toEqual({ state, code, text: expect.stringMatching(text) })
})

test('doctor keeps closed doors for the verdict on their entry point', async () => {
  const open = { windows: [] }
  const closed = { windows: [{ opensAtSeconds: Date.now() / 1000 + 30 * DAY, closesAtSeconds: null }] }
  const entryPoints = [withDoors(ENTRY_POINT, open), withDoors({ ...ENTRY_POINT, name: 'gold' }, closed)]
  const findings = doorsCheck.check?.({ entryPoints } as unknown as DoctorConfig, false, AbortSignal.timeout(1_000))
  expect((await findings?.next())?.value).toMatchObject({ state: 'ok' })
  const rest = (await findings?.next())?.value
  expect(rest).toMatchObject([{ entryPoint: { name: 'gold' }, finding: { code: 'doors-closed' } }])
})

test.each([
  ['not-open-yet', 'unknown', 'doors-not-open'],
  ['over', 'unknown', 'doors-not-open'],
  ['not-entitled', undefined, undefined],
])('after a refusal with the reason %s, doctor names the doors as the cause: %s', async (reason, state, code) => {
  const screen = new Response(`<meta name="reason" content="${reason}">`, { status: 403 })
  expect((await explain(screen))?.state).toBe(state)
  expect((await explain(screen))?.code).toBe(code)
  expect(await screen.text()).toContain(reason)
})

const WAITING = { reason: 'waiting', refresh: '; url=/wait?pass=x', age: '0', step: 1 }
test.each([
  ['the waiting page', WAITING, 'ok', 'viewer-waits'],
  ['another page', { ...WAITING, reason: 'not-found' }, 'failure', 'no-waiting-page'],
  ['the waiting page without Refresh', { ...WAITING, refresh: '' }, 'failure', 'waiting-refresh-removed'],
  ['a Refresh to another page', { ...WAITING, refresh: '; url=/' }, 'failure', 'waiting-refresh-removed'],
  ['the waiting page of a cache with its age', { ...WAITING, age: '1' }, 'failure', 'waiting-page-cached'],
  ['a waiting page that never changes', { ...WAITING, step: 0 }, 'failure', 'waiting-page-cached'],
])('after looks at %s, doctor says: %s', async (_what, { reason, refresh, age, step }, state, code) => {
  let seconds = 20
  const url = await startService((_req, res) => {
    seconds -= step
    const headers = { Age: age, ...(refresh && { Refresh: `${seconds}${refresh}` }) }
    res.writeHead(200, headers).end(`<meta name="reason" content="${reason}">`)
  })
  const answer = new Response(null, { status: 303, headers: { Location: '/wait?pass=x' } })
  expect(await explain(answer, url.origin)).toMatchObject({ state, code })
})

test('doctor names doors that are open by its settings, and closed by the app', async () => {
  const screen = new Response('<meta name="reason" content="over">', { status: 403 })
  const open = withDoors(ENTRY_POINT, { windows: [{ opensAtSeconds: 0, closesAtSeconds: null }] })
  expect((await doorsCheck.explainSignIn?.(screen, CONFIG, open, SIGNAL))?.code).toBe('doors-differ')
})

test('a sign-in that leads to the player is not of the doors', async () => {
  const answer = new Response(null, { status: 303, headers: { Location: 'https://player.example/?hash=x' } })
  expect(await explain(answer)).toBeNull()
  const withoutDoors = doorsCheck.explainSignIn?.(new Response('', { status: 403 }), CONFIG, ENTRY_POINT, SIGNAL)
  expect(await withoutDoors).toBeNull()
})

const SIGNAL = new AbortController().signal
const CONFIG = { publicUrl: new URL('https://login.example') } as DoctorConfig

function explain(answer: Response, origin = 'https://login.example') {
  const entryPoint = withDoors(ENTRY_POINT, { windows: WINDOWS })
  return doorsCheck.explainSignIn?.(answer, { ...CONFIG, publicUrl: new URL(origin) }, entryPoint, SIGNAL)
}
