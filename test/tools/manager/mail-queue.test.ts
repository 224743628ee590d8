import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { MAIL_STATES } from '../../../src/tools/cli/manager/accounts/mail-rows.ts'
import { openManagerStore } from '../../../src/tools/cli/manager/accounts/manager-store.ts'
import type { Inviter, Inviting } from '../../../src/tools/cli/viewers/inviting.ts'
import { openMailQueue } from '../../../src/tools/manager/mails/mail-queue.ts'
import { setLinkKinds } from '../../../src/tools/manager/people/account-acts.ts'
import type { ViewerState } from '../../../src/users/user-store.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const NAMES = ['ada', 'bob', 'cy', 'dee', 'eve', 'fay']
const MAILS = { kind: 'invitation', entryPoint: '', language: 'en' }
/** A claim of a mail by a program that was killed. */
const CLAIM_MS = 60_000
const DAY_SECONDS = 86_400

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

/** A store and a mail server of a test, and programs that come and go. */
function world() {
  const file = `${temporaryFolder()}/manager.db`
  const viewers = new Map<string, ViewerState>()
  const mails: string[] = []
  /** Decides on a mail: a result, or an error. */
  const server = { answer: (_name: string): unknown => ({ ok: true }) }
  const stateOf = (username: string): ViewerState => ({
    viewer: { username, groups: [], attributes: {}, disabled: false } as ViewerState['viewer'],
    hasPassword: false,
    invitation: null,
  })
  for (const name of NAMES) viewers.set(name, stateOf(name))
  const inviter = {
    faultIn: () => null,
    async invite(_store: unknown, username: string) {
      const result = await server.answer(username)
      if (result instanceof Error) throw result
      if ((result as { ok: boolean }).ok) {
        mails.push(username)
        const invitation = { isSent: true, expiresAtSeconds: Math.floor(Date.now() / 1000) + DAY_SECONDS }
        viewers.set(username, { ...stateOf(username), invitation })
      }
      return result
    },
    wasInvitedSince: ({ invitation }: ViewerState, seconds: number) =>
      invitation?.isSent === true && invitation.expiresAtSeconds - DAY_SECONDS >= seconds,
  } as unknown as Inviter
  const inviting = { withInviter: (_context, _options, work) => work(inviter) } as Inviting
  function start() {
    const store = openManagerStore(file)
    let close = () => {}
    const opened = openMailQueue({
      nowSeconds: () => Date.now() / 1000,
      warn: () => {},
      onClose: (given) => {
        close = given
      },
      store,
    })
    const editable = { inspect: async (name: string) => viewers.get(name) ?? null }
    const page = { env: {}, viewers: { editable }, mails: opened, entryPoints: () => null, events: [] }
    setLinkKinds({ ...page, viewerFacts: [{ inviting }] } as never)
    opened.start()
    const queue = {
      ...opened,
      add: (usernames: readonly string[], manager: string) => opened.add({ ...MAILS, usernames, manager }),
    }
    const stop = () => {
      close()
      store.close()
    }
    return { queue, stop, store }
  }
  return { start, viewers, mails, server, stateOf }
}

test('a restart in the middle sends the other invitations, and none twice', async () => {
  const { start, mails, server } = world()
  const held = Promise.withResolvers<unknown>()
  server.answer = (name) => (name === 'dee' ? held.promise : { ok: true })
  const first = start()
  first.queue.add(NAMES, 'eve@example.com')
  await vi.advanceTimersByTimeAsync(10)
  expect(mails).toEqual(['ada', 'bob', 'cy'])
  expect(first.queue.progress(null)).toMatchObject({ all: 6, sent: 3, waiting: 3 })
  first.stop()
  server.answer = () => ({ ok: true })
  const second = start()
  onTestFinished(second.stop)
  await vi.advanceTimersByTimeAsync(CLAIM_MS + 1_000)
  expect(mails).toEqual(['ada', 'bob', 'cy', 'eve', 'fay', 'dee'])
  expect(second.queue.progress(null)).toMatchObject({ all: 6, sent: 6, waiting: 0, refused: [] })
})

test('a text that is changed while many mails go is in those that follow', async () => {
  const store = openManagerStore(`${temporaryFolder()}/manager.db`)
  onTestFinished(store.close)
  const queue = openMailQueue({ store, nowSeconds: () => Date.now() / 1000, warn() {}, onClose: onTestFinished })
  const texts: string[] = []
  let text = 'old'
  queue.setKind('invitation', (_entryPoint, work) => {
    const read = text
    return work(async () => {
      await new Promise((resolve) => void setTimeout(resolve, 2_000))
      texts.push(read)
      return { ok: true }
    })
  })
  queue.add({ ...MAILS, usernames: Array.from({ length: 40 }, (_, index) => `${index}`), manager: 'eve' })
  await vi.advanceTimersByTimeAsync(1_000)
  text = 'new'
  await vi.advanceTimersByTimeAsync(30_000)
  expect([texts.length, texts.slice(0, 4), texts.at(-1)]).toEqual([40, Array(4).fill('old'), 'new'])
})

test('a mail that went out before the kill is not sent again', async () => {
  const { start, mails, viewers, stateOf } = world()
  const first = start()
  const now = Date.now() / 1000
  first.store.mails.add({ ...MAILS, usernames: ['ada'], manager: 'eve' }, now)
  first.store.mails.claim(now, MAILS, 1)
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + DAY_SECONDS
  viewers.set('ada', { ...stateOf('ada'), invitation: { isSent: true, expiresAtSeconds } })
  first.stop()
  const second = start()
  onTestFinished(second.stop)
  await vi.advanceTimersByTimeAsync(CLAIM_MS + 1_000)
  expect([mails, second.queue.progress(null)]).toMatchObject([[], { sent: 1, waiting: 0 }])
})

test('a mail server that is away for a minute loses no invitation', async () => {
  const { start, mails, server } = world()
  server.answer = () => new UpstreamError('mail-server', 'away')
  const { queue, stop } = start()
  onTestFinished(stop)
  queue.add(NAMES, 'eve')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(queue.progress(null)).toMatchObject({ sent: 0, waiting: 6, isAway: true })
  server.answer = () => ({ ok: true })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(mails.toSorted()).toEqual(NAMES)
  expect(queue.progress(null)).toMatchObject({ sent: 6, waiting: 0, isAway: false })
})

test('a refused address is named with the reason, and a mailbox that greylists gets its mail later', async () => {
  const { start, mails, server } = world()
  let tries = 0
  server.answer = (name) => {
    if (name === 'bob')
      return { ok: false, fault: 'The mail server refuses it (550).', code: 'mailRefused', values: { reason: '550' } }
    if (name !== 'cy') return { ok: true }
    tries += 1
    return tries === 1 ? { ok: false, fault: 'Later (450).', mayPass: true } : { ok: true }
  }
  const { queue, stop } = start()
  onTestFinished(stop)
  queue.add(['ada', 'bob', 'cy'], 'eve')
  await vi.advanceTimersByTimeAsync(10)
  const refused = [{ username: 'bob', fault: { code: 'mailRefused', values: { reason: '550' } } }]
  expect(queue.progress(null)).toEqual({ all: 3, sent: 1, waiting: 1, isAway: false, refused })
  await vi.advanceTimersByTimeAsync(45_000)
  expect(mails).toEqual(['ada', 'cy'])
  expect(queue.progress(null)).toMatchObject({ sent: 2, waiting: 0 })
})

test('a mailbox that refuses for an hour is named', async () => {
  const { start, server } = world()
  server.answer = () => ({ ok: false, fault: 'Later (450).', mayPass: true })
  const { queue, stop } = start()
  onTestFinished(stop)
  queue.add(['ada'], 'eve')
  await vi.advanceTimersByTimeAsync(3 * 3_600_000)
  expect(queue.progress(null)).toMatchObject({ waiting: 0, refused: [{ username: 'ada' }] })
})

test('a person who was removed, disabled, or has a password meanwhile gets no mail', async () => {
  const { start, mails, viewers, stateOf } = world()
  viewers.delete('ada')
  viewers.set('bob', { ...stateOf('bob'), hasPassword: true })
  viewers.set('cy', { ...stateOf('cy'), viewer: { ...stateOf('cy').viewer, disabled: true } as never })
  const { queue, stop } = start()
  onTestFinished(stop)
  queue.add(['ada', 'bob', 'cy', 'dee'], 'eve')
  await vi.advanceTimersByTimeAsync(10)
  expect([mails, queue.progress(null)]).toMatchObject([['dee'], { all: 1, sent: 1 }])
})

test('a new round begins when none waits, and each manager sees the own invitations', async () => {
  const { start } = world()
  const { queue, stop } = start()
  onTestFinished(stop)
  queue.add(['ada'], 'eve')
  queue.add(['bob', 'cy'], 'joe')
  await vi.advanceTimersByTimeAsync(10)
  expect([queue.progress('eve').all, queue.progress('joe').all, queue.progress(null).all]).toEqual([1, 2, 3])
  queue.add(['dee'], 'eve')
  expect([queue.progress('eve').all, queue.progress('joe').all]).toEqual([1, 0])
  queue.forget('dee')
  expect(queue.page({ entryPoints: null, states: MAIL_STATES }, 1_000, 9).map(({ username }) => username)).toEqual([
    ...['cy', 'bob', 'ada'],
  ])
})

test('two programs with one file share the mails, and none goes twice', async () => {
  const { start, mails, server } = world()
  server.answer = () => new Promise((resolve) => setTimeout(resolve, 5_000, { ok: true }))
  const first = start()
  const second = start()
  onTestFinished(first.stop)
  onTestFinished(second.stop)
  first.queue.add(NAMES, 'eve')
  second.queue.add([], 'eve')
  await vi.advanceTimersByTimeAsync(120_000)
  expect(mails.toSorted()).toEqual(NAMES)
})

test('a mail that waits for a person is not queued again', async () => {
  const { start, mails, server } = world()
  const held = Promise.withResolvers<unknown>()
  server.answer = () => held.promise
  const { queue, stop } = start()
  onTestFinished(stop)
  queue.add(['ada'], 'eve')
  await vi.advanceTimersByTimeAsync(10)
  queue.add(['ada'], 'joe')
  held.resolve({ ok: true })
  await vi.advanceTimersByTimeAsync(10)
  expect([mails, queue.progress('eve').all, queue.progress('joe').all]).toEqual([['ada'], 1, 0])
})

test('an event that has no settings any more does not hold up the mails of others', async () => {
  const { start, mails, server } = world()
  const { queue, stop, store } = start()
  onTestFinished(stop)
  server.answer = (name) => (name === 'ada' ? new UpstreamError('mail-server', 'away') : { ok: true })
  store.mails.add({ ...MAILS, entryPoint: 'gone', usernames: ['ada'], manager: 'eve' }, Date.now() / 1000)
  queue.add(['bob', 'cy'], 'eve')
  await vi.advanceTimersByTimeAsync(10)
  expect(mails).toEqual(['bob', 'cy'])
})

test('the mail of one person comes before those of many', async () => {
  const { start, mails } = world()
  const { queue, stop, store } = start()
  onTestFinished(stop)
  store.mails.add({ ...MAILS, usernames: NAMES.slice(0, 5), manager: 'eve' }, Date.now() / 1000)
  expect(await queue.sendSoon({ ...MAILS, manager: 'eve' }, 'fay')).toEqual({ ok: true, isWaiting: false })
  expect(mails).toContain('fay')
  await vi.advanceTimersByTimeAsync(10)
  expect([mails.length, queue.progress('eve').all]).toEqual([6, 5])
})
