import { expect, onTestFinished, test } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import { cookieIn } from '../../login/signed-in.ts'
import { sqliteStorage } from '../../users/sqlite/storage.ts'
import { codeIn, frameIn, startMailApp } from './start-mail-app.ts'

const SETTINGS = { mode: 'store', guests: [], file: null, attribute: 'mail' } as const
/** User names, each with its verified address. */
const VIEWERS = [
  ['ada', 'Ada@Example.com'],
  ['eve@example.com', 'mallory@example.com'],
  ['eve', 'eve@example.com'],
  ['one', 'shared@example.com'],
  ['two', 'Shared@example.com'],
] as const

/** Starts the app with viewers in a SQLite file. Their addresses are an attribute. */
async function startApp() {
  const store = await (await sqliteStorage())()
  onTestFinished(() => store.close())
  for (const [username, mail] of VIEWERS) await store.add({ username, groups: [], attributes: { mail } }, null)
  return { store, app: await startMailApp({ settings: SETTINGS, users: store }) }
}

type App = Awaited<ReturnType<typeof startApp>>['app']

async function codeFor(app: App, address: string) {
  const frame = frameIn(await app.ask(address))
  const [mail] = await app.mail.received(1)
  return { frame, code: codeIn(mail ?? expect.unreachable()) }
}

const withheld = (app: App) => app.lines.find(({ outcome }) => outcome === 'mail-code-withheld')

test('the viewer with the address in the attribute signs in, and returns', async () => {
  const { app } = await startApp()
  const { frame, code } = await codeFor(app, 'ada@example.com')
  const answer = await app.check('ada@example.com', frame, code)
  expect([answer.status, decodeURIComponent(answer.location ?? '')]).toEqual([303, expect.stringContaining('"ada"')])
  expect((await app.get('/', { Cookie: cookieIn(answer) })).status).toBe(303)
  expect(app.lines.flatMap(({ outcome, viewer }) => (viewer === 'ada' ? [outcome] : []))).toEqual([
    'mail-signed-in',
    'signed-in',
    'returned',
  ])
})

test('an address signs in the viewer with it in the attribute, not the viewer with it as user name', async () => {
  const { app } = await startApp()
  const { frame, code } = await codeFor(app, 'eve@example.com')
  const { location } = await app.check('eve@example.com', frame, code)
  expect(decodeURIComponent(location ?? '')).toContain('"eve"')
})

test('a store that answers with another address signs in nobody', async () => {
  const { store } = await startApp()
  const users = { ...store, findByAddress: () => store.find?.('ada') ?? Promise.resolve(null) }
  const app = await startMailApp({ settings: SETTINGS, users })
  await app.ask('adam@example.com')
  await expect.poll(() => withheld(app)).toBeDefined()
})

test('an address of two viewers gets the answer of an unknown address, and the log says why', async () => {
  const { app } = await startApp()
  const shared = await app.ask('shared@example.com')
  const unknown = await app.ask('nobody@example.com')
  const neutral = ({ text }: { text: string }, address: string) =>
    text.replaceAll(address, 'ADDRESS').replaceAll(frameIn({ text }), 'FRAME')
  expect(shared.status).toBe(unknown.status)
  expect(neutral(shared, 'shared@example.com')).toBe(neutral(unknown, 'nobody@example.com'))
  const lines = () => app.lines.filter(({ outcome }) => outcome === 'mail-code-withheld')
  await expect.poll(() => lines().length).toBe(2)
  const reasons = lines().map(({ viewer, reason }) => [viewer, reason])
  expect(reasons).toContainEqual(['shared@example.com', 'several viewers have this address in mail'])
  expect(reasons).toContainEqual(['nobody@example.com', undefined])
  expect(app.mail.mails).toEqual([])
})

test.each<[string, (store: EditableUserStore) => Promise<unknown>]>([
  ['disabled', (store) => store.setDisabled('ada', true)],
  ['removed', (store) => store.remove('ada')],
  ['joined by another viewer with the address', (store) => store.add(OTHER, null)],
])('a code that was sent counts no longer when its viewer is %s', async (_what, change) => {
  const { app, store } = await startApp()
  const { frame, code } = await codeFor(app, 'ada@example.com')
  await change(store)
  const answer = await app.check('ada@example.com', frame, code)
  expect([answer.status, answer.location]).toEqual([403, undefined])
  expect(app.lines.some(({ outcome }) => outcome === 'mail-guest-removed')).toBe(true)
})

const OTHER = { username: 'other', groups: [], attributes: { mail: 'ada@example.com' } }

test('a disabled viewer is put out at the next return, as with a password', async () => {
  const { app, store } = await startApp()
  const { frame, code } = await codeFor(app, 'ada@example.com')
  const Cookie = cookieIn(await app.check('ada@example.com', frame, code))
  await store.setDisabled('ada', true)
  expect((await app.get('/', { Cookie })).status).not.toBe(303)
})
