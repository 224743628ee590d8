import { expect, test } from 'vitest'
import { isHashEntryPoint } from '../../../src/entry-points/entry-point.ts'
import { seatsOf } from '../../../src/features/access-codes/seats.ts'
import { openMemoryPlaces } from '../../../src/stores/places/memory-places.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { cookieIn, goesOn } from '../../login/signed-in.ts'
import { START_SECONDS } from '../../login/start-login-app.ts'
import { batchOf, startCodesApp } from './codes-app.ts'

test('a shared code lets in as many people as it has places, and a place ends with the response', async () => {
  const { app, create, enter } = await startCodesApp()
  const [code = ''] = await create({ isShared: true, most: 2 })
  const first = cookieIn(await enter(code))
  expect((await enter(code)).status).toBe(303)
  const third = await enter(code)
  expect([third.status, third.location]).toEqual([403, undefined])
  expect(third.text).toContain('All places for this code are taken right now.')
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'code-full' })
  app.clock.seconds += 1_800
  expect(goesOn(await app.get('/', { Cookie: first }))).toBe(true)
  app.clock.seconds += 1_800
  // The second place is free now, and the first one was kept.
  expect((await enter(code)).status).toBe(303)
  expect((await enter(code)).status).toBe(403)
})

test('two browsers that want the last place at the same moment do not both get it', async () => {
  const places = openMemoryPlaces()
  const deps = { places, entryPoint: ENTRY_POINT, placeSeconds: 3600, nowSeconds: () => START_SECONDS }
  const batch = batchOf({ isShared: true, most: 1 })
  const known = { batch, code: { number: 1, name: null, groups: [], attributes: {}, revokedAtSeconds: null } }
  const address = isHashEntryPoint(ENTRY_POINT) ? ENTRY_POINT.playerAddress : expect.unreachable()
  const one = seatsOf(deps, address, known)
  const other = seatsOf(deps, address, known)
  // Both looked before either took the place: the bad moment.
  expect([await one?.isFull('one'), await other?.isFull('other')]).toEqual([false, false])
  const taken = [await one?.take('one'), await other?.take('other')]
  expect(taken.map((done) => done !== null)).toEqual([true, false])
  await taken[0]?.('session-1')
  const kept = [await one?.keep('session-1'), await other?.keep('session-2')]
  expect(kept.map((onGranted) => onGranted !== null)).toEqual([true, false])
  expect(await other?.isFull('other')).toBe(true)
})

test('a personal code moves to the newest device, and the other learns why it stopped', async () => {
  const { app, create, enter } = await startCodesApp()
  const [code = ''] = await create({ devices: 1 })
  const first = cookieIn(await enter(code))
  const second = cookieIn(await enter(code))
  const back = await app.get('/', { Cookie: first })
  expect([back.status, back.location]).toEqual([403, undefined])
  expect(back.text).toContain('Your access code is now used on another device.')
  expect(app.lines.at(-2)).toMatchObject({ outcome: 'code-elsewhere' })
  expect(goesOn(await app.get('/', { Cookie: second }))).toBe(true)
})

test('a guest whose browser keeps no cookie is never locked out by earlier sign-ins', async () => {
  const { app, create, enter } = await startCodesApp()
  const [personal = ''] = await create({ devices: 1 })
  const [shared = ''] = await create({ label: 'ALL', isShared: true, most: 1 })
  for (let visit = 0; visit < 10; visit += 1) {
    // Also after a reload of the page.
    expect((await enter(personal)).status).toBe(303)
    expect((await enter(personal)).status).toBe(303)
    expect((await enter(shared)).status).toBe(303)
    app.clock.seconds += 3_600
  }
})

test('a code without a limit works on any number of devices', async () => {
  const { create, enter } = await startCodesApp()
  const [code = ''] = await create()
  for (let device = 0; device < 20; device += 1) expect((await enter(code)).status).toBe(303)
})

test('a device that signs in again with its session keeps its place', async () => {
  const { app, create, enter } = await startCodesApp()
  const [personal = ''] = await create({ devices: 2 })
  const other = cookieIn(await enter(personal))
  let Cookie = cookieIn(await enter(personal))
  for (let time = 0; time < 3; time += 1) Cookie = cookieIn(await enter(personal, {}, { Cookie }))
  expect(goesOn(await app.get('/', { Cookie: other }))).toBe(true)
  expect(goesOn(await app.get('/', { Cookie }))).toBe(true)
})

test('a device in a full room signs in again with its session', async () => {
  const { create, enter } = await startCodesApp()
  const [code = ''] = await create({ isShared: true, most: 1 })
  const Cookie = cookieIn(await enter(code))
  expect((await enter(code)).status).toBe(403)
  expect((await enter(code, {}, { Cookie })).status).toBe(303)
})
