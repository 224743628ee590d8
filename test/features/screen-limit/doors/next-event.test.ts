import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { cookieIn, goesOn } from '../../../login/signed-in.ts'
import { ADA, START_SECONDS, startLoginApp } from '../../../login/start-login-app.ts'
import { withDoors } from '../../doors/entry-point.ts'
import { withScreenLimit } from '../entry-point.ts'
import { expectOther, returnOf } from '../visits.ts'

const window = (opens: number, closes: number) => ({
  opensAtSeconds: START_SECONDS + opens,
  closesAtSeconds: START_SECONDS + closes,
})
/** The second event opens a minute after the first one closes. */
const windows = [window(0, 600), window(660, 1_200)]
const entryPoints = [withDoors(withScreenLimit(ENTRY_POINT, { asks: true }), { windows, lifetimeSeconds: 3600 })]

test.each([
  ['who signed in', 0],
  ['who came back', 1],
])('a screen of a viewer %s at one event takes no place at the next event', async (_case, returns) => {
  const app = await startLoginApp({ entryPoints })
  const first = cookieIn(await app.post('/sign-in', ADA))
  for (let visit = 0; visit < returns; visit += 1) expect(goesOn(await returnOf(app, first))).toBe(true)
  app.clock.seconds += 599
  expectOther(await app.post('/sign-in', ADA))
  app.clock.seconds += 61
  expect(goesOn(await app.post('/sign-in', ADA))).toBe(true)
})
