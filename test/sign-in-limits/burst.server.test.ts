import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { redisCounters } from '../../src/redis/counters.ts'
import { openRedisLink } from '../../src/redis/link.ts'
import { type Counter, type OpenCounter, openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { openHttpStore } from '../../src/users/http/store.ts'
import { openLdapStore } from '../../src/users/ldap/store.ts'
import { migratePostgres, openEditablePostgresStore } from '../../src/users/postgres/editable-store.ts'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import type { UserStore } from '../../src/users/user-store.ts'
import { type Answer, type LoginApp, startLoginApp } from '../login/start-login-app.ts'
import { type RedisServer, redisAddress, startRedis } from '../redis/servers/redis.ts'
import { rowsFor } from '../rows.ts'
import { makeCertificate } from '../servers/certificate.ts'
import { type LoginService, startLoginService } from '../users/http/login-service.ts'
import { ldapSettings } from '../users/ldap/settings-of.ts'
import { dnOf, type SlapdServer, startSlapd } from '../users/ldap/slapd.ts'
import { settingsOf } from '../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../users/postgres/server.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const VIEWER = { username: 'ada', groups: [], attributes: {} }
const ADA = { ...VIEWER, password: 'five loud otters', disabled: false }
const OTHER_NAME = 'ada.lovelace@example.com'
const FREE = 10
/** More than the free guesses and all processors can check, and less than the hashing queue holds. */
const BURST = 40

let redis: RedisServer
let postgres: PostgresServer
let service: LoginService
let slapd: SlapdServer
beforeAll(async () => {
  ;[redis, postgres, service, slapd] = await Promise.all([
    startRedis(),
    startPostgres(),
    startLoginService([ADA]),
    startSlapd([ADA], await makeCertificate()),
  ])
  await slapd.replace(dnOf(ADA), { mail: OTHER_NAME })
  await service.misbehave({ delayMs: 100 })
})
afterAll(async () => {
  await Promise.all([redis.remove(), postgres.stop(), service.halt(), slapd.stop()])
})

const openStore: Readonly<Record<string, () => Promise<UserStore> | UserStore>> = {
  SQLite: async () => {
    const store = openEditableSqliteStore(join(temporaryFolder(), 'viewers.db'))
    await store.add(VIEWER, ADA.password)
    return store
  },
  PostgreSQL: async () => {
    const settings = settingsOf(postgres.url({ database: await postgres.createDatabase() }))
    await migratePostgres(settings)
    const store = await openEditablePostgresStore(settings)
    await store.add(VIEWER, ADA.password)
    return store
  },
  'a slow HTTP service': () =>
    openHttpStore({
      kind: 'http',
      url: service.url(),
      findUrl: null,
      token: service.token,
      timeoutMs: 20_000,
      ca: null,
    }),
  'LDAP, with two names of the account': () =>
    openLdapStore(
      ldapSettings(slapd, { userFilter: '(|(uid={username})(mail={username}))', attributes: [], timeoutMs: 20_000 }),
    ),
}

const openCounters: Readonly<Record<string, () => Promise<OpenCounter>>> = {
  memory: () => Promise.resolve(openMemoryCounter),
  Redis: async () => {
    const address = { ...redisAddress(redis), keyPrefix: `${randomUUID()}:` }
    const log = { info: () => {}, warn: () => {} }
    const nowSeconds = () => Date.now() / 1000
    const link = await openRedisLink(address, { setting: 'LIMITS_STORE_URL', without: 'no count', log, nowSeconds })
    onTestFinished(() => link.close())
    return redisCounters(link)
  },
}

function guessFrom(app: LoginApp, index: number, form: Record<string, string>): Promise<Answer> {
  return app.post('/sign-in', form, { 'X-Forwarded-For': `10.0.${index >> 8}.${index & 255}` })
}

/** Checks each password at once, but answers the right one only after the guesses. */
function answeringRightLast(users: UserStore, guesses: Promise<void>): UserStore['authenticate'] {
  return async (username, password) => {
    const answer = await users.authenticate(username, password)
    if (answer.ok) await guesses
    return answer
  }
}

/**
 * Returns what a guesser can see, except the date and seconds that have passed meanwhile, which the script gets too, and the
 * random text of the form.
 */
function visible({ status, headers: { date: _date, 'retry-after': wait, ...headers }, text }: Answer) {
  const lasting = text.replace(`&#34;after&#34;:${wait},`, '').replace(/name="page" value="[\w-]+"/, '')
  return { status, headers, text: lasting, minutes: Math.round(Number(wait) / 60) }
}

const FIRST_STORES = ['SQLite', 'a slow HTTP service']
const OTHER_STORES = ['PostgreSQL', 'LDAP, with two names of the account']

describe.each([
  ['memory', rowsFor(FIRST_STORES, OTHER_STORES)],
  ['Redis', rowsFor(OTHER_STORES, FIRST_STORES)],
] as const)('counts in %s', (counts, stores) => {
  test.each(stores)(
    'a burst at the limit of an account learns no more than guesses one by one, and hides the right password (%s)',
    async (store) => {
      const users = (await openStore[store]?.()) ?? expect.unreachable()
      onTestFinished(() => users.close())
      const signInLimits = createSignInLimits((await openCounters[counts]?.()) ?? expect.unreachable())
      const guesses = Promise.withResolvers<void>()
      const app = await startLoginApp({
        users: { ...users, authenticate: answeringRightLast(users, guesses.promise) },
        signInLimits,
        trustProxyHops: 1,
      })
      for (let guess = FREE; guess < 100; guess += 1) {
        const admission = await signInLimits.admit(ADA.username, `192.0.2.${guess}`)
        if (admission.ok) await admission.attempt.failed()
      }
      const rightAnswer = guessFrom(app, BURST, { username: ADA.username, password: ADA.password })
      const hasTwoNames = store.startsWith('LDAP')
      const answers = await Promise.all(
        Array.from({ length: BURST }, (_, index) =>
          guessFrom(app, index, {
            username: hasTwoNames && index % 2 === 0 ? OTHER_NAME : ADA.username,
            password: `guess ${index}`,
          }),
        ),
      )
      guesses.resolve()
      const right = await rightAnswer
      expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(FREE)
      expect(right.status).toBe(429)
      // The screen repeats the typed name.
      const wrong = answers.filter(({ status, text }) => status === 429 && !text.includes(OTHER_NAME))
      expect(wrong.length).toBeGreaterThan(0)
      for (const answer of wrong) expect(visible(answer)).toEqual(visible(right))
    },
  )

  test('parallel successful sign-ins give back no guess at other names', async () => {
    let addressCounter: Counter | undefined
    const open = (await openCounters[counts]?.()) ?? expect.unreachable()
    const signInLimits = createSignInLimits((name, ...rest) => {
      const counter = open(name, ...rest)
      if (name === 'failed-address') addressCounter = counter
      return counter
    })
    const app = await startLoginApp({ signInLimits, trustProxyHops: 1 })
    app.users.add('eve', 'right')
    const answers: Answer[] = []
    let highest = 0
    for (let round = 0; round < 35; round += 1) {
      // All attempts of a round are under way at the same time.
      app.users.hold(sleep(20))
      const right = Array.from({ length: 4 }, () => guessFrom(app, 1, { username: 'eve', password: 'right' }))
      const wrong = Array.from({ length: 10 }, (_, index) =>
        guessFrom(app, 1, { username: `user${round}-${index}`, password: 'guess' }),
      )
      answers.push(...(await Promise.all(wrong)))
      await Promise.all(right)
      const count = (await addressCounter?.get('10.0.0.1'))?.consumedPoints ?? 0
      expect(count).toBeGreaterThanOrEqual(highest)
      highest = count
    }
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(300)
  })
})
