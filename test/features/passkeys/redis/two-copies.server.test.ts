import { expect, onTestFinished, test } from 'vitest'
import { ADMITTED } from '../../../login/admitted.ts'
import { ADA, programSettings } from '../../../login/login-program.ts'
import { startLoginProgram } from '../../../login/start-program.ts'
import { startRedis } from '../../../redis/servers/redis.ts'
import { migratedStore } from '../../../users/postgres/fixture.ts'
import { startPostgres } from '../../../users/postgres/server.ts'
import { createAuthenticator } from '../authenticator.ts'
import { fieldOf, readWindow } from '../start-passkeys.ts'

test('two copies with PostgreSQL and Redis create a passkey and sign in, each step at the other copy', async () => {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
  onTestFinished(async () => {
    await Promise.all([redis.remove(), postgres.stop()])
  })
  const url = postgres.url({ database: await postgres.createDatabase() })
  const store = await migratedStore(url)
  await store.add({ username: ADA.username, ...ADMITTED }, ADA.password)
  const base = programSettings()
  const settings = { ...base, USER_STORE_URL: url, SESSION_STORE_URL: redis.url, PASSKEYS: 'on' }
  const copies = await Promise.all([startLoginProgram(settings), startLoginProgram(settings)])
  const origin = base.PUBLIC_URL ?? ''
  let count = 0
  /** Sends each request to the other copy. */
  const send = async (path: string, form?: Record<string, string>, cookie = '') => {
    count += 1
    const headers = { Origin: origin, 'Sec-Fetch-Dest': 'document', ...(cookie && { Cookie: cookie }) }
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(`http://127.0.0.1:${copies[count % 2]?.port}${path}`, {
      redirect: 'manual',
      headers,
      ...body,
    })
    const setCookies = answer.headers.getSetCookie()
    const { status, headers: got } = answer
    return {
      status,
      setCookies,
      headers: Object.fromEntries(got),
      location: got.get('location') ?? undefined,
      text: await answer.text(),
    }
  }
  const openFrame = async () => {
    const screen = await send('/?prompt=passkey')
    return { flow: fieldOf(screen, 'flow'), wait: fieldOf(screen, 'wait') }
  }

  const first = await openFrame()
  const creation = readWindow({ origin }, await send('/passkey/password', { flow: first.flow, ...ADA }))
  const authenticator = createAuthenticator()
  const answer = authenticator.create(creation, creation.publicKey.user?.id ?? '')
  const created = await send('/passkey/create', { ...first, challenge: creation.challenge, ...answer }, creation.cookie)
  const entered = await send('/sso/continue', { ...first, way: 'passkey' })
  expect([created.status, entered.status]).toEqual([200, 303])

  const second = await openFrame()
  const signIn = readWindow({ origin }, await send('/passkey/start', { flow: second.flow }))
  const signed = { flow: second.flow, challenge: signIn.challenge, ...authenticator.signIn(signIn) }
  const done = await send('/passkey/finish', signed, signIn.cookie)
  const again = await send('/passkey/finish', signed, signIn.cookie)
  const collected = await send('/sso/continue', { ...second, way: 'passkey' })
  expect([done.status, again.status, collected.status]).toEqual([200, 400, 303])
  expect(collected.location).toContain(encodeURIComponent(ADA.username))
})
