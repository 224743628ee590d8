import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { START_SECONDS, startManager } from '../../../manager/start-manager.ts'

const point = (name: string) => ({ ...ENTRY_POINT, name, allowedGroups: [name] })
const NAMES = ['ada', 'bob', 'cleo', 'dan']

/** Starts a page whose log has sign-ins of two people, at two events. Three people have an invitation. */
async function start(only: readonly string[] | null = null) {
  const manager = await startManager({ entryPoints: [point('gold'), point('silver')] })
  for (const username of NAMES) {
    await manager.users.add({ username, groups: [username === 'bob' ? 'silver' : 'gold'], attributes: {} }, null)
    if (username === 'dan') continue
    const link = { purpose: 'invitation', digest: username, expiresAtSeconds: START_SECONDS + 86_400 } as const
    await manager.users.passwordChanges.createLink(username, link)
    await manager.users.markSent(username)
  }
  const line = { category: 'security', event: 'sign-in', outcome: 'signed-in', address: '192.0.2.9' }
  const lines = [
    { ...line, viewer: 'Ada', entryPoint: 'gold', device: 'Firefox, Windows', time: START_SECONDS - 3_600 },
    { ...line, viewer: 'Bob', entryPoint: 'silver', device: 'Safari, iPhone', time: START_SECONDS - 60 },
    { ...line, viewer: 'Old', entryPoint: 'gold', time: START_SECONDS - 80_000 },
  ].map((one) => JSON.stringify({ ...one, time: new Date(one.time * 1000).toISOString() }))
  appendFileSync(manager.env.SECURITY_LOG_FILE, `${lines.join('\n')}\n`)
  const browser = await manager.signedIn('help-desk', only)
  // The log is read in the background.
  await expect.poll(async () => (await browser.get('/evening/in')).text).toContain('/people/one/')
  return browser
}

const rowsIn = (text: string) =>
  [...text.matchAll(/<th scope="row"><a href="[^"]+">([^<]+)<\/a><\/th><td>([^<]*)<\/td><td>([^<]*)/g)].map(
    ([, name, , device]) => [name, device],
  )
const namesIn = (text: string) =>
  [...text.matchAll(/<li><a href="\/people\/one\/[^"]+">([^<]+)</g)].map(([, one]) => one)

test('who is in, by name and with the device, the newest first', async () => {
  const browser = await start()
  const { text } = await browser.get('/evening/in')
  expect(rowsIn(text)).toEqual([
    ['Bob', 'Safari, iPhone'],
    ['Ada', 'Firefox, Windows'],
  ])
  expect(rowsIn((await browser.get('/evening/in?text=AD')).text)).toEqual([['Ada', 'Firefox, Windows']])
})

test('who of the invited is not here: neither those who are in, nor those without an invitation', async () => {
  const browser = await start()
  expect(namesIn((await browser.get('/evening/in?show=missing')).text)).toEqual(['cleo'])
  expect(namesIn((await browser.get('/evening/in?show=missing&text=x')).text)).toEqual([])
})

test('a manager of one event sees who is in there, and who of its people is missing', async () => {
  const browser = await start(['gold'])
  expect(rowsIn((await browser.get('/evening/in')).text)).toEqual([['Ada', 'Firefox, Windows']])
  expect(namesIn((await browser.get('/evening/in?show=missing')).text)).toEqual(['cleo'])
})

test('the chosen event is the one of both lists', async () => {
  const browser = await start()
  await browser.act('/event', { entryPoint: 'gold', back: '/evening' })
  expect(rowsIn((await browser.get('/evening/in')).text)).toEqual([['Ada', 'Firefox, Windows']])
  await browser.act('/event', { entryPoint: 'silver', back: '/evening' })
  expect(namesIn((await browser.get('/evening/in?show=missing')).text)).toEqual([])
})

test('without a log, the page says that it is missing', async () => {
  const manager = await startManager()
  const { text } = await (await manager.signedIn()).get('/evening/in')
  expect(text).toContain('There is no log of logins')
})
