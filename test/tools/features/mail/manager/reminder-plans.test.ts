import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { readEntryPointSettings } from '../../../../../src/config.ts'
import { MAIL_STATES } from '../../../../../src/tools/cli/manager/accounts/mail-rows.ts'
import { openManagerStore } from '../../../../../src/tools/cli/manager/accounts/manager-store.ts'
import { eventTimesOf } from '../../../../../src/tools/cli/settings/event-times.ts'
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
    setReminderKinds({ env: ENV, events, entryPoints, nowSeconds, mails, parts, viewers, viewerFacts: [] } as never)
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
    return { plan, plans, mails, stop }
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
  const { plan, plans, mails, stop } = start()
  onTestFinished(stop)
  plan(String(NOW + MINUTE))
  await wait(10)
  const [{ id } = { id: 0 }] = plans()
  const of = { kind: 'reminder', entryPoint: 'default' }
  expect([mails.stop(id, { ...of, entryPoint: 'other' }), mails.stop(id, of), mails.stop(id, of)]).toEqual([
    ...[false, true, false],
  ])
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

test('forgetting a person whose name is that of a plan keeps the plan', async () => {
  const { start } = await world()
  const { plan, plans, mails, stop } = start()
  onTestFinished(stop)
  plan('before')
  mails.forget('before')
  expect(plans()).toHaveLength(1)
})
