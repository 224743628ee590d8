import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startMailSink } from '../../../src/tools/mail-sink/start-mail-sink.ts'
import { programSettings } from '../../login/login-program.ts'
import { formOf } from '../../login/start-login-app.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const KILLS = 50
const ASKS = 20
/** A killed app leaves the mails that it was sending to the next one, after a minute. */
const LEASE_MS = 6_000

interface Asked {
  readonly address: string
  /** The secret in the form for the code. */
  readonly frame: string
  /** The answers to the right code. Null if a kill came before the answer. */
  readonly statuses: (number | null)[]
}

async function startSink() {
  /** The codes in the mails, by address. A killed app may send a mail twice. */
  const codes = new Map<string, Set<string>>()
  let mails = 0
  const sink = await startMailSink(0, ({ to: [address = ''], text }) => {
    mails += 1
    const code = /^[2-9A-Z]{4}-[2-9A-Z]{4}$/m.exec(text)?.[0] ?? expect.unreachable(text)
    codes.set(address, (codes.get(address) ?? new Set()).add(code))
  })
  onTestFinished(sink.close)
  return { port: sink.port, codes, mails: () => mails, codeOf: (address: string) => [...(codes.get(address) ?? [])][0] }
}

async function post(port: number, path: string, form: Record<string, string>) {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const url = `http://127.0.0.1:${port}${path}`
  const answer = await fetch(url, { method: 'POST', body: formOf(form), headers, redirect: 'manual' })
  return { status: answer.status, text: await answer.text() }
}

test(`after ${KILLS} kills, each code that was on its way comes, and counts once`, { timeout: 900_000 }, async () => {
  const sink = await startSink()
  const folder = temporaryFolder()
  const settings = {
    ...programSettings(folder),
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'login@example.com',
    MAIL_SIGN_IN: 'domains',
    MAIL_GUESTS: '*@example.com',
    GUESTS_STORE_URL: `sqlite:${join(folder, 'data', 'guests.db')}`,
    LIMITS_TRUSTED_NETWORKS: '127.0.0.0/8',
  }
  const onTheirWay: Asked[] = []
  let sent = 0
  /** Requests with a right code that are on their way. */
  let underWay = 0
  /** Kills while such a request was on its way. */
  let killsOfUses = 0
  let cut = 0

  async function ask(port: number, address: string): Promise<void> {
    sent += 1
    const { status, text } = await post(port, '/mail-code', { mail: address })
    expect([address, status]).toEqual([address, 200])
    const frame = /name="frame" value="([\w-]{43})"/.exec(text)?.[1] ?? expect.unreachable(text)
    onTheirWay.push({ address, frame, statuses: [] })
  }
  /** Types the right code. */
  async function use(port: number, { address, frame, statuses }: Asked): Promise<void> {
    const code = sink.codeOf(address) ?? expect.unreachable(`no mail to ${address}`)
    const index = statuses.push(null) - 1
    underWay += 1
    try {
      statuses[index] = (await post(port, '/mail-code/check', { mail: address, frame, code })).status
    } finally {
      underWay -= 1
    }
  }
  /** Types each code that came and was never typed, four times at the same moment. */
  async function useAll(port: number): Promise<void> {
    const typed = onTheirWay.filter(({ address, statuses }) => statuses.length === 0 && sink.codes.has(address))
    await Promise.allSettled(typed.flatMap((one) => Array.from({ length: 4 }, () => use(port, one))))
  }

  for (let round = 0; round < KILLS; round += 1) {
    const { child, port, ended } = await startLoginProgram(settings)
    // The first request tells how fast this machine is.
    const startMs = performance.now()
    await ask(port, `r${round}@example.com`)
    const longestMs = 8 * (performance.now() - startMs)
    const killed = sleep(longestMs * (0.2 + 0.8 * Math.random())).then(async () => {
      const endMs = performance.now() + 1_000
      // Every second kill waits for a right code.
      while (round % 2 === 1 && underWay === 0 && performance.now() < endMs) await sleep(1)
      if (underWay > 0) killsOfUses += 1
      child.kill('SIGKILL')
    })
    const asks = Array.from({ length: ASKS }, async (_, index) => {
      await sleep(index * 8)
      await ask(port, `r${round}-${index}@example.com`)
    })
    const uses = Array.from({ length: ASKS }, async (_, index) => {
      await sleep(index * 10)
      await useAll(port)
    })
    await Promise.allSettled([...asks, ...uses])
    await killed
    await ended
  }
  const { port } = await startLoginProgram(settings)
  const missing = () => onTheirWay.filter(({ address }) => !sink.codes.has(address)).map(({ address }) => address)
  await expect.poll(missing, { timeout: LEASE_MS + 30_000, interval: 500 }).toEqual([])
  await useAll(port)
  // Once more: a code that a kill left in doubt may count now, and no other.
  await Promise.all(onTheirWay.map((one) => use(port, one)))

  for (const { address, statuses } of onTheirWay) {
    const successes = statuses.filter((status) => status === 303).length
    const isCut = statuses.includes(null)
    cut += isCut ? 1 : 0
    expect([address, statuses, successes <= 1]).toEqual([address, statuses, true])
    if (!isCut) expect([address, statuses, successes]).toEqual([address, statuses, 1])
  }
  expect([...sink.codes.values()].filter(({ size }) => size > 1)).toEqual([])
  const told = onTheirWay.length
  console.log(JSON.stringify({ sent, told, mails: sink.mails(), addresses: sink.codes.size, killsOfUses, cut }))
  expect(told).toBeGreaterThan(KILLS * 2)
  // Kills hit the middle of requests of both kinds.
  expect(told).toBeLessThan(sent)
  expect(killsOfUses).toBeGreaterThan(KILLS / 4)
})
