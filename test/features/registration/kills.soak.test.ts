import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Registration, STATES } from '../../../src/features/registration/book/registration.ts'
import { createRegistrations } from '../../../src/features/registration/book/registrations.ts'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import type { GuestStore } from '../../../src/services/guests/guest-records.ts'
import { programSettings } from '../../login/login-program.ts'
import type { Answer } from '../../login/start-login-app.ts'
import { formOf } from '../../login/start-login-app.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { startMailServer, type TestMailServer } from '../../services/mail/mail-server.ts'
import { startProgram } from '../../tools/cli/run-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { readSettings } from './registration-settings.ts'
import { ANSWERS, FIELDS, reasonIn, visitorOf } from './start-registration.ts'

const KILLS = 50
const GUESTS = 10
/** Few, so that guests come to the waiting list and move up. */
const MOST = 8
/** A kill hits the middle of this many cancellations, or more. */
const FEWEST_LEAVING = 4
const GIVEN = { fields: FIELDS, approval: 'domains', domains: ['known.example'], most: MOST, waitingList: 'on' }
/** The sentences of the mails of a state. */
const MAILS = {
  'waiting-for-approval': /has to be approved/,
  'on-waiting-list': /on the waiting list/,
  approved: /You’re registered for/,
  refused: /wasn’t approved/,
  cancelled: /was cancelled/,
} as const

function settingsIn(folder: string, { port }: TestMailServer): Record<string, string> {
  return {
    ...programSettings(folder),
    REGISTRATION: JSON.stringify(GIVEN),
    GUESTS_STORE_URL: `sqlite:${join(folder, 'guests.db')}`,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'login@example.com',
    LIMITS_TRUSTED_NETWORKS: '127.0.0.0/8',
    MAIL_CODES_PER_HOUR: '100000',
  }
}

/** A browser without a cookie, at the program. */
function guestAt(port: number, mailServer: TestMailServer) {
  const send = async (path: string, form: Record<string, string> | null): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: 'manual',
      ...(form !== null && { method: 'POST', body: formOf(form) }),
      headers: form === null ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    const { status } = answer
    return { status, text: await answer.text(), location: answer.headers.get('location') ?? undefined } as Answer
  }
  const app = {
    get: (path: string) => send(path, null),
    post: (path: string, form?: unknown) => send(path, form as Record<string, string>),
  }
  return visitorOf(app as unknown as Parameters<typeof visitorOf>[0], mailServer, '')
}

/** Opens the store of the settings for work that ends before the next kill. */
async function withStore<T>(folder: string, work: (store: GuestStore) => Promise<T>): Promise<T> {
  const nowSeconds = () => Date.now() / 1000
  const store = openFileRecords(join(folder, 'guests.db'), { nowSeconds, isCommand: true })
  return await work(store).finally(() => store.close())
}

/** Returns when the first guest of a command is cancelled. */
async function untilCancelled(folder: string, address: string | undefined): Promise<void> {
  await withStore(folder, async (store) => {
    const registrations = createRegistrations(registrationsOf(store))
    const isCancelled = async () => (await registrations.find(address ?? ''))?.state === 'cancelled'
    await expect.poll(isCancelled, { timeout: 30_000, interval: 1 }).toBe(true)
  })
}

function registrationsOf(records: GuestStore) {
  const nowSeconds = () => Date.now() / 1000
  return { records, entryPoint: 'default', settings: readSettings(GIVEN), nowSeconds, mailOf: () => [] }
}

/** Reads all registrations, and checks that the numbers, the waiting list and the places fit them. */
async function readAll(store: GuestStore, round: number): Promise<readonly Registration[]> {
  const registrations = createRegistrations(registrationsOf(store))
  const { registrations: all } = await registrations.page({ limit: 10_000 })
  const counts = await registrations.counts()
  const numbers = STATES.map((state) => all.filter((one) => one.state === state).length)
  expect([round, ...STATES.map((state) => counts[state])]).toEqual([round, ...numbers])
  expect(counts.approved + counts['waiting-for-approval']).toBeLessThanOrEqual(MOST)
  const waiting = await store.list('registration-waiting-list', { limit: 1_000 })
  const turns = all.flatMap(({ turn, address }) => (turn === null ? [] : { turn, address }))
  const inOrder = turns.toSorted((one, other) => one.turn - other.turn).map(({ address }) => JSON.stringify(address))
  expect([round, waiting.map(({ text }) => text)]).toEqual([round, inOrder])
  for (const one of all) {
    expect([round, one.address, one.attributes]).toEqual([
      round,
      one.address,
      { company: 'Acme', seat: 'Hall', terms: '2026-11' },
    ])
    expect([one.consents.length, one.turn !== null]).toEqual([1, one.state === 'on-waiting-list'])
  }
  return all
}

test(`after ${KILLS} kills during registrations, approvals and moves, each guest is whole, and has the mails`, {
  timeout: 900_000,
}, async () => {
  const folder = temporaryFolder()
  const mailServer = await startMailServer()
  const env = settingsIn(folder, mailServer)
  /** The states that a page or a command announced. */
  const told: { address: string; state: keyof typeof MAILS }[] = []
  const asked: string[] = []
  const unexpected: unknown[] = []
  /** Guests who wait for a mail that does not come before the end of their program. */
  const under: Promise<unknown>[] = []
  const counts = { asked: 0, told: 0, cancelled: 0, approvedByCommand: 0, cancelsInTheMiddle: 0, movedUp: 0 }
  let program = await startLoginProgram(env)
  let longestMs = 0

  async function register(port: number, address: string): Promise<void> {
    asked.push(address)
    const { prove, fillIn } = guestAt(port, mailServer)
    const last = await fillIn(await prove(address), ANSWERS)
    const reason = reasonIn(last)?.replace('registration-', '')
    if (last.status === 303) told.push({ address, state: 'approved' })
    else if (reason === 'on-waiting-list' || reason === 'waiting-for-approval') told.push({ address, state: reason })
    else unexpected.push([address, last.status, reason])
  }
  const command = (...args: string[]) =>
    startProgram(['registrations', ...args, '--per-minute', '60000', '--yes', '--json'], { cwd: folder, env })

  for (let round = 0; round <= KILLS; round += 1) {
    const before = round === 0 ? [] : await withStore(folder, (store) => readAll(store, round))
    const withPlace = before.filter(({ state }) => state === 'approved').map(({ address }) => address)
    // In every second round all guests with a place leave, so that places and waiting list fill again.
    const leaving = round % 2 === 0 ? withPlace : []
    const waiting = new Set(before.flatMap(({ state, address }) => (state === 'on-waiting-list' ? [address] : [])))
    const isKilled = leaving.length >= FEWEST_LEAVING && round % 4 !== 0
    const commands = [
      {
        step: 'cancelled' as const,
        addresses: leaving,
        run: leaving.length > 0 ? command('cancel', ...leaving) : null,
      },
      { step: 'approved' as const, addresses: [], run: command('approve', '--all') },
    ]
    const startMs = performance.now()
    const guests = Array.from({ length: GUESTS }, async (_one, index) => {
      await sleep(index * 30)
      await register(program.port, `g${round}-${index}@${index % 2 === 0 ? 'known' : 'other'}.example`)
    })
    const work = Promise.allSettled(guests)
    if (round === 0) {
      for (const one of await work) expect(one.status).toBe('fulfilled')
      longestMs = performance.now() - startMs
    } else {
      await (isKilled ? untilCancelled(folder, leaving[0]) : sleep(Math.random() * longestMs * 2))
    }
    if (isKilled) for (const { run } of commands) run?.child.kill('SIGKILL')
    program.child.kill('SIGKILL')
    await program.ended
    under.push(work)
    for (const { step, addresses, run } of commands) {
      const { status, stdout } = (await run?.ended) ?? { status: 1, stdout: '' }
      if (status !== 0) continue
      if (step === 'cancelled') {
        counts.cancelled += addresses.length
        for (const address of addresses) told.push({ address, state: step })
      } else counts.approvedByCommand += Number(JSON.parse(stdout).changed)
    }
    const after = await withStore(folder, (store) => readAll(store, round))
    const cancelled = after.filter(({ address, state }) => leaving.includes(address) && state === 'cancelled').length
    if (isKilled && cancelled > 0 && cancelled < leaving.length) counts.cancelsInTheMiddle += 1
    counts.movedUp += after.filter(({ address, turn }) => waiting.has(address) && turn === null).length
    program = await startLoginProgram(env)
  }

  await Promise.all(under)
  expect(unexpected).toEqual([])
  // Mails of a program that was killed while it sent them come after a minute.
  const isEmpty = () => withStore(folder, async (store) => (await store.count('mail-outbox')) === 0)
  await expect.poll(isEmpty, { timeout: 180_000, interval: 1_000 }).toBe(true)
  const all = await withStore(folder, (store) => readAll(store, KILLS + 1))
  const lacks = (address: string, state: keyof typeof MAILS) =>
    !mailServer.mails.some(({ to, text }) => to.includes(address) && MAILS[state].test(text.replace(/\s+/g, ' ')))
  expect(told.filter(({ address, state }) => lacks(address, state))).toEqual([])
  expect(all.filter(({ address, state }) => lacks(address, state))).toEqual([])
  const addresses = new Set(all.map(({ address }) => address))
  expect(told.filter(({ address }) => !addresses.has(address))).toEqual([])
  Object.assign(counts, { asked: asked.length, told: told.length, stored: all.length, mails: mailServer.mails.length })
  console.log(JSON.stringify({ ...counts, states: STATES.map((state) => all.filter((o) => o.state === state).length) }))
  expect(counts.told).toBeGreaterThan(KILLS)
  // Kills hit the middle of registrations, and of cancellations that move others up.
  expect(all.length).toBeLessThan(asked.length)
  expect(counts.movedUp).toBeGreaterThan(KILLS / 5)
  expect(counts.cancelsInTheMiddle).toBeGreaterThan(0)
})
