import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { goesOn } from '../../login/signed-in.ts'
import { ADA } from '../../login/start-login-app.ts'
import { cookiesOf, signIn, startSso } from '../sso/start-sso.ts'
import { withScreenLimit } from './entry-point.ts'
import { expectOther, returnOf } from './visits.ts'

const limited = withScreenLimit(ENTRY_POINT)

test('SSO viewers are limited too, and take no place from a password viewer with the same name', async () => {
  const app = await startSso({ entryPoint: { features: limited.features } })
  const ofStore = cookiesOf(await app.post('/sign-in', ADA))
  const first = cookiesOf(await signIn(app))
  expect(goesOn(await returnOf(app, ofStore))).toBe(true)
  const second = cookiesOf(await signIn(app))
  expectOther(await returnOf(app, first))
  for (const cookie of [ofStore, second]) expect(goesOn(await returnOf(app, cookie))).toBe(true)
  expect(app.lines.filter(({ outcome }) => outcome === 'took-over')).toHaveLength(1)
})
