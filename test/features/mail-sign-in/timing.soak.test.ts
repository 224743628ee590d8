import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noPasswordHash } from '../../../src/users/passwords/argon2.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { programSettings, SECRETS } from '../../login/login-program.ts'
import { chanceOfLonger, shuffled } from '../../login/rank-times.ts'
import { formOf } from '../../login/start-login-app.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { startMailServer } from '../../services/mail/mail-server.ts'
import { importInto } from '../../users/import-batch/import-contract.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

/** Answers of each kind that are compared. */
const ANSWERS = 500
/** Each time is the fastest of this many answers, because a busy machine delays some at random. */
const FASTEST_OF = 3
const MODES = ['list', 'domains', 'store', 'anyone'] as const
/** `inside`: the address may get a code. With `anyone`, both kinds may. */
const KINDS = ['inside', 'strange'] as const
/** The chance that an answer to one kind takes longer than to the other: 0.5 without a difference. */
const LEAST = 0.45
const MOST = 0.55
/** A difference that this test must find. */
const FOUND_MS = 0.5

const entryPoint = (mailSignIn: string, more = {}) => ({
  name: mailSignIn,
  secret: SECRETS.HASH_SECRET,
  playerReturnUrl: 'https://player.example/embed/hashlock/pass',
  playerOrigins: ['https://player.example'],
  passwordForm: 'off',
  mailSignIn,
  ...more,
})

const addresses = (mode: string, kind: string) =>
  Array.from({ length: 2 * ANSWERS * FASTEST_OF }, (_, index) => `${mode}-${index}@${kind}.example`)

async function startProgram() {
  const mail = await startMailServer()
  const folder = temporaryFolder()
  const settings = programSettings(folder)
  const store = openEditableSqliteStore((settings.USER_STORE_URL ?? '').replace('sqlite:', ''))
  const viewer = { passwordHash: noPasswordHash(), groups: [], disabled: false, attributes: {} }
  const viewers = addresses('store', 'inside').map((username) => ({ username, ...viewer }))
  await importInto(store, viewers, 'keep')
  await store.close()
  const guests = join(folder, 'guests.csv')
  writeFileSync(guests, addresses('list', 'inside').join('\n'))
  const file = join(folder, 'entry-points.json')
  const entryPoints = [
    entryPoint('list', { mailGuestsFile: guests }),
    entryPoint('domains', { mailGuests: ['*@inside.example'] }),
    entryPoint('store'),
    entryPoint('anyone'),
  ]
  writeFileSync(file, JSON.stringify(entryPoints))
  const { HASH_SECRET: _1, PLAYER_RETURN_URL: _2, PLAYER_ORIGINS: _3, ...shared } = settings
  const { port } = await startLoginProgram({
    ...shared,
    ENTRY_POINTS_FILE: file,
    GUESTS_STORE_URL: `sqlite:${join(folder, 'data', 'guests.db')}`,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'login@example.com',
    MAIL_CODES_PER_HOUR: '1000000',
    TRUST_PROXY_HOPS: '1',
  })
  return { port }
}

/** Sends a request, and returns how long its answer took. */
async function timeOf(url: string, init: RequestInit = {}): Promise<number> {
  const startMs = performance.now()
  const answer = await fetch(url, init)
  await answer.text()
  expect(answer.status).toBe(200)
  return performance.now() - startMs
}

type Row = Awaited<ReturnType<typeof measure>>[number]

/** Asks for codes in random order. @param turn 0 or 1: the addresses of a turn are new. */
async function measure(port: number, turn: number) {
  const url = `http://127.0.0.1:${port}`
  const size = ANSWERS * FASTEST_OF
  const samples = MODES.flatMap((mode) =>
    KINDS.flatMap((kind) =>
      Array.from({ length: ANSWERS }, (_, index) => {
        const from = turn * size + index * FASTEST_OF
        return { mode, name: `${mode} ${kind}`, sent: addresses(mode, kind).slice(from, from + FASTEST_OF) }
      }),
    ),
  )
  const times = { answer: new Map<string, number[]>(), next: new Map<string, number[]>() }
  let requests = 0
  for (const { mode, name, sent } of shuffled(samples)) {
    const fastest = { answer: Number.POSITIVE_INFINITY, next: Number.POSITIVE_INFINITY }
    for (const mail of sent) {
      requests += 1
      const headers = {
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Forwarded-For': `10.${turn * 100 + (requests >> 8)}.${requests & 255}.1`,
      }
      const answer = await timeOf(`${url}/e/${mode}/mail-code`, { method: 'POST', headers, body: formOf({ mail }) })
      fastest.answer = Math.min(fastest.answer, answer)
      fastest.next = Math.min(fastest.next, await timeOf(`${url}/health/live`))
    }
    for (const what of ['answer', 'next'] as const)
      times[what].set(name, [...(times[what].get(name) ?? []), fastest[what]])
  }
  return (['answer', 'next'] as const).flatMap((what) =>
    MODES.map((mode) => {
      const [inside, strange] = KINDS.map((kind) => times[what].get(`${mode} ${kind}`) ?? [])
      if (inside === undefined || strange === undefined) return expect.unreachable()
      const slower = strange.map((ms) => ms + FOUND_MS)
      return {
        what,
        mode,
        chance: chanceOfLonger(inside, strange),
        ifSlower: chanceOfLonger(inside, slower),
        insideMs: median(inside),
        strangeMs: median(strange),
      }
    }),
  )
}

function median(times: readonly number[]): number {
  return Math.round((times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0) * 100) / 100
}

const isApart = ({ chance }: Row) => chance < LEAST || chance > MOST
/** True if this machine is too busy to find a difference. */
const isBlind = ({ ifSlower }: Row) => ifSlower <= MOST

test('neither the time of an answer nor of the next answer tells who may get a code', {
  timeout: 1_800_000,
}, async () => {
  const { port } = await startProgram()
  const first = await measure(port, 0)
  console.table(first)
  let left = first.filter((row) => isApart(row) || isBlind(row))
  if (left.length > 0) {
    // Of 100 comparisons without a difference, one is apart by chance, but hardly twice.
    const second = await measure(port, 1)
    console.table(second)
    const isLeft = ({ what, mode }: Row) => left.some((row) => row.what === what && row.mode === mode)
    left = second.filter((row) => isLeft(row) && (isApart(row) || isBlind(row)))
  }
  expect(left).toEqual([])
})
