import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { startManager } from '../../../manager/start-manager.ts'

const GOLD = { ...ENTRY_POINT, name: 'gold', allowedGroups: ['gold'] }
const SILVER = { ...ENTRY_POINT, name: 'silver', allowedGroups: ['silver'] }
const ACTS = ['open', 'close', 'move', 'set', 'message']

test.each(['help-desk', 'reader'] as const)('a %s sees the doors, and moves none', async (role) => {
  const manager = await startManager({ entryPoints: [GOLD, SILVER] })
  const browser = await manager.signedIn(role)
  expect((await browser.get('/doors')).status).toBe(200)
  for (const act of ACTS) expect([act, (await browser.post(`/doors/gold/${act}`)).status]).toEqual([act, 403])
})

test('the doors without a session lead to the sign-in', async () => {
  const manager = await startManager({ entryPoints: [GOLD, SILVER] })
  expect(await manager.browser().get('/doors')).toMatchObject({ status: 303, location: '/sign-in' })
})

test('a manager of one entry point does not see the doors of another', async () => {
  const manager = await startManager({ entryPoints: [GOLD, SILVER] })
  const browser = await manager.signedIn('event-manager', ['gold'])
  expect((await browser.get('/doors')).text).not.toContain('silver')
  for (const act of ACTS) expect((await browser.post(`/doors/silver/${act}`)).status).toBe(404)
})
