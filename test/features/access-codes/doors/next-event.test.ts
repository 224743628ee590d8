import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { cookieIn, goesOn } from '../../../login/signed-in.ts'
import { START_SECONDS } from '../../../login/start-login-app.ts'
import { withDoors } from '../../doors/entry-point.ts'
import { startCodesApp, withCodes } from '../codes-app.ts'

const window = (opens: number, closes: number) => ({
  opensAtSeconds: START_SECONDS + opens,
  closesAtSeconds: START_SECONDS + closes,
})
/** The second event opens a minute after the first one closes. */
const entryPoints = [withDoors(withCodes(ENTRY_POINT), { windows: [window(0, 600), window(660, 1_200)] })]

test.each([
  ['who signed in', 0],
  ['who came back', 1],
])('a guest %s at one event takes no place of a shared code at the next event', async (_case, returns) => {
  const { app, create, enter } = await startCodesApp({ entryPoints })
  const [code = ''] = await create({ isShared: true, most: 1 })
  const Cookie = cookieIn(await enter(code))
  for (let visit = 0; visit < returns; visit += 1) expect(goesOn(await app.get('/', { Cookie }))).toBe(true)
  app.clock.seconds += 599
  expect((await enter(code)).status).toBe(403)
  app.clock.seconds += 61
  expect((await enter(code)).status).toBe(303)
})
