import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { readEntryPointSettings } from '../../../../../src/config.ts'
import { MAIL_STATES } from '../../../../../src/tools/cli/manager/accounts/mail-rows.ts'
import { openManagerStore } from '../../../../../src/tools/cli/manager/accounts/manager-store.ts'
import { eventTimesOf } from '../../../../../src/tools/cli/settings/event-times.ts'
import { reminderRoutes } from '../../../../../src/tools/features/mail/manager/reminder-pages.ts'
import { PLAN, setReminderKinds } from '../../../../../src/tools/features/mail/manager/send-reminders.ts'
import { features } from '../../../../../src/tools/features.ts'
import { openMailQueue } from '../../../../../src/tools/manager/mails/mail-queue.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'

const NOW = 1_800_000_000
const MINUTE = 60
const HOUR = 3_600
const ENV = {
  PUBLIC_URL: 'http://localhost:3000',
  HASH_SECRET: '3f9a1c7be2d846509817abcdef43210fe',
  SESSION_SECRET: 'c04d8e1f5b7a926330e9d17f48c2ab65',
  PLAYER_RETURN_URL: 'http://127.0.0.1:4000/pass',
  PLAYER_ORIGINS: 'http://127.0.0.1:4000',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'login@example.com',
}
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

beforeEach(() => void vi.useFakeTimers({ now: NOW * 1000 }))
afterEach(() => void vi.useRealTimers())

/** A file of the page, doors that move, and programs that come and go. A reminder is only noted. */
async function world() {
  const file = `${temporaryFolder()}/manager.db`
  const events = await eventTimesOf(features)
  const doors = { opensAt: isoOf(NOW + 2 * HOUR) as string | undefined }
  const reminded: string[] = []
  const guests = [...'abcdef'].map((name) => ({ username: `${name}@example.com`, language: name < 'd' ? 'en' : 'de' }))
  function start() {
    const store = openManagerStore(file)
    const closers: (() => void)[] = []
    const nowSeconds = () => Date.now() / 1000
    const mails = openMailQueue({ store, nowSeconds, warn() {}, onClose: (close) => void closers.push(close) })
    const entryPoints = () => {
      const opens = doors.opensAt === undefined ? {} : { OPENS_AT: doors.opensAt }
      return readEntryPointSettings({ ...ENV, ...opens }).entryPoints
    }
    const parts = [{ guests: () => Promise.resolve(guests) }]
    const viewers = { editable: null }
    const deps = { env: ENV, events, entryPoints, nowSeconds, mails, parts, viewers, viewerFacts: [] } as never
    setReminderKinds(deps)
    mails.setKind('reminder', (_entryPoint, work) =>
      work(({ username }) => {
        reminded.push(username)
        return Promise.resolve({ ok: true })
      }),
    )
    mails.start()
    const plan = (at: string) =>
      mails.add({ kind: PLAN, entryPoint: 'default', language: '', manager: 'eve', usernames: [at], batch: -1 })
    const plans = () => mails.page({ entryPoints: null, states: MAIL_STATES, isPlan: true }, 1_000, 9)
    const stop = () => {
      for (const close of closers) close()
      store.close()
    }
    return { deps, plan, plans, mails, store, stop }
  }
  return { doors, reminded, guests, start }
}

const wait = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

test('a reminder before the start follows the doors, and goes once', async () => {
  const { doors, reminded, guests, start } = await world()
  const { plan, plans, stop } = start()
  onTestFinished(stop)
  plan('before')
  await wait(50 * MINUTE)
  expect(reminded).toEqual([])
  doors.opensAt = isoOf(NOW + 3 * HOUR)
  await wait(30 * MINUTE)
  expect(reminded).toEqual([])
  await wait(40 * MINUTE + 30)
  expect(reminded.toSorted()).toEqual(guests.map(({ username }) => username))
  doors.opensAt = isoOf(NOW + 5 * HOUR)
  await wait(3 * HOUR)
  expect([reminded.length, plans().map(({ state }) => state)]).toEqual([6, ['sent']])
})

test('doors that are moved to less than an hour from now let the reminder go at once', async () => {
  const { doors, reminded, start } = await world()
  const { plan, stop } = start()
  onTestFinished(stop)
  plan('before')
  await wait(MINUTE)
  doors.opensAt = isoOf(NOW + 20 * MINUTE)
  await wait(30)
  expect(reminded).toHaveLength(6)
})

test('no reminder goes after the start', async () => {
  const { doors, reminded, start } = await world()
  const first = start()
  first.plan('before')
  await wait(10)
  first.stop()
  doors.opensAt = isoOf(NOW + 5 * MINUTE)
  await wait(10 * MINUTE)
  const second = start()
  onTestFinished(second.stop)
  await wait(30)
  expect([reminded, second.plans()]).toMatchObject([[], [{ state: 'refused', fault: { code: 'started' } }]])
})

test('a reminder at a time needs no start, and people who come later get it too', async () => {
  const { doors, reminded, guests, start } = await world()
  doors.opensAt = undefined
  const { plan, stop } = start()
  onTestFinished(stop)
  plan(String(NOW + HOUR))
  await wait(HOUR - 5)
  expect(reminded).toEqual([])
  guests.push({ username: 'late@example.com', language: 'fr' })
  await wait(30)
  expect(reminded).toContain('late@example.com')
  expect(reminded).toHaveLength(7)
})

test('a stopped reminder does not go', async () => {
  const { reminded, start } = await world()
  const { plan, plans, mails, store, stop } = start()
  onTestFinished(stop)
  plan(String(NOW + MINUTE))
  await wait(10)
  const [{ id } = { id: 0 }] = plans()
  const of = { kind: 'reminder', entryPoint: 'default' }
  expect([
    store.mails.stop(id, { ...of, entryPoint: 'other' }),
    store.mails.stop(id, of),
    store.mails.stop(id, of),
  ]).toEqual([...[false, true, false]])
  // A program that was reading the people goes on after the stop.
  mails.add({ ...of, language: 'en', usernames: ['a@example.com'], manager: 'eve', batch: id })
  await wait(HOUR)
  expect([reminded, plans()]).toMatchObject([[], [{ state: 'refused', fault: { code: 'stopped' } }]])
})

test('a plan that was half done when the program was killed sends no mail twice', async () => {
  const { reminded, start } = await world()
  const { plan, plans, mails, stop } = start()
  onTestFinished(stop)
  plan(String(NOW + HOUR))
  await wait(10)
  const [{ id } = { id: 0 }] = plans()
  const usernames = ['a@example.com', 'b@example.com']
  mails.add({ kind: 'reminder', entryPoint: 'default', language: 'en', usernames, manager: 'eve', batch: id })
  await wait(10)
  expect(reminded).toEqual(usernames)
  await wait(HOUR)
  expect([reminded.length, new Set(reminded).size]).toEqual([6, 6])
})

test('two programs with one file send each reminder once', async () => {
  const { reminded, start } = await world()
  const first = start()
  const second = start()
  onTestFinished(first.stop)
  onTestFinished(second.stop)
  first.plan('before')
  second.mails.start()
  await wait(2 * HOUR)
  expect([reminded.length, new Set(reminded).size]).toEqual([6, 6])
})

test('a person whose name is that of a plan is forgotten and exported without the plan', async () => {
  const { start } = await world()
  const { plan, plans, mails, store, stop } = start()
  onTestFinished(stop)
  plan('before')
  mails.forget('before')
  expect([plans().length, store.mails.of('before')]).toEqual([1, []])
})

test('a reminder whose mails wait behind many others can be stopped', async () => {
  const { start } = await world()
  const { plan, plans, mails, store, stop } = start()
  onTestFinished(stop)
  plan('before')
  const [{ id } = { id: 0 }] = plans()
  const mail = { entryPoint: 'default', language: 'en', manager: 'eve' }
  mails.add({ ...mail, kind: 'reminder', usernames: ['a@example.com'], batch: id })
  mails.add({ ...mail, kind: 'other', usernames: Array.from({ length: 60 }, (_, index) => `${index}`), batch: id + 9 })
  expect([store.mails.isRunning(id, 'reminder'), store.mails.isRunning(id + 9, 'reminder')]).toEqual([true, false])
  store.mails.setSent(id)
  const stopPlan = () => store.mails.stop(id, { kind: 'reminder', entryPoint: 'default' })
  expect([stopPlan(), store.mails.isRunning(id, 'reminder'), stopPlan()]).toEqual([true, false, false])
  expect(plans()).toMatchObject([{ state: 'refused', fault: { code: 'stopped' } }])
})

test('a forgotten guest is in no list of mails, and an account of the same name keeps its invitation', async () => {
  const { start } = await world()
  const { mails, store, stop } = start()
  onTestFinished(stop)
  const mail = { language: 'en', manager: 'eve', usernames: ['a@example.com'], batch: 0 }
  for (const entryPoint of ['default', 'other']) mails.add({ ...mail, kind: 'reminder', entryPoint })
  await wait(1)
  mails.add({ ...mail, kind: 'invitation', entryPoint: 'default' })
  mails.forget('a@example.com', 'default')
  const left = store.mails.of('a@example.com').map(({ kind, entryPoint }) => [kind, entryPoint])
  expect(left).toEqual([
    ['reminder', 'other'],
    ['invitation', 'default'],
  ])
})

test('the form of a manager makes no second reminder after another one was stopped and planned again', async () => {
  const { start } = await world()
  const { deps, plan, plans, store, stop } = start()
  onTestFinished(stop)
  const [show, post] = reminderRoutes(deps)
  const visit = (fields: Readonly<Record<string, string>>) =>
    ({
      part: () => 'default',
      field: (name: string) => fields[name] ?? '',
      typed: (name: string, fresh: string) => fields[name] ?? fresh,
      words: { say: () => '' },
      manager: { name: 'bob' },
    }) as never
  plan('before')
  store.mails.stop(plans()[0]?.id ?? 0, { kind: 'reminder', entryPoint: 'default' })
  const shown = await show?.handle(visit({}))
  const { seen = '' } = (shown?.kind === 'page' ? shown.model : {}) as { readonly seen?: string }
  await wait(2)
  plan('before')
  expect(await post?.handle(visit({ seen, when: 'now' }))).toMatchObject({ kind: 'page', status: 409 })
  expect(plans().map(({ username, state }) => [username, state])).toEqual([['before', 'waiting']])
})
