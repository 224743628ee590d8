import { writeFileSync } from 'node:fs'
import { pino } from 'pino'
import { stores } from '../../../../../src/stores.ts'
import { openEditableSqliteStore } from '../../../../../src/users/sqlite/editable-store.ts'
import { STORE_DOWN } from '../../../../login/memory-users.ts'
import { ADA, SESSION_LIMITS } from '../../../../login/start-login-app.ts'
import { closedAddress } from '../../../../tools/video-service/test-service.ts'
import { testFaults } from './fault-tests.ts'
import type { Installation } from './installation.ts'

const NOT_READY = 'a balancer sends no viewer to an app that is not ready, and this installation has none'

/** Puts Ada into the user store of the settings, so that the doctor can look her up. */
async function addAda({ env }: Installation, groups: string[]): Promise<void> {
  const store = openEditableSqliteStore((env.USER_STORE_URL ?? '').replace('sqlite:', ''))
  await store.add({ username: ADA.username, groups, attributes: {} }, ADA.password)
  await store.close()
}

testFaults('the test viewer, and the stores and servers behind the app', [
  {
    name: 'the password of the test viewer is wrong',
    afterwards: ({ env }) => Object.assign(env, { VIEWER_PASSWORD: 'wrong' }),
    findings: ['failure wrong-password'],
  },
  {
    name: 'the user store has no such viewer',
    afterwards: async (installation) => {
      await addAda(installation, [])
      installation.args[3] = 'adda@example.com'
    },
    findings: ['failure viewer-unknown'],
  },
  {
    name: 'the user store is away, and its table is damaged',
    afterwards: ({ env, users }) => {
      writeFileSync((env.USER_STORE_URL ?? '').replace('sqlite:', ''), 'not a database '.repeat(100))
      users.fail(STORE_DOWN)
    },
    findings: ['failure store-opens', 'failure store-away', 'failure store-away'],
  },
  {
    name: 'the test viewer is disabled',
    afterwards: ({ users }) => users.disable(ADA.username),
    findings: ['failure viewer-disabled'],
  },
  {
    name: 'the password of the test viewer has expired',
    afterwards: ({ users }) => users.expirePassword(ADA.username),
    findings: ['failure password-expired'],
  },
  {
    name: 'the test viewer has failed too often',
    afterwards: async ({ app }) => {
      // After 100 failures a day, a new address waits for hours. At one address, the first wait is over in a second.
      const wrong = { username: ADA.username, password: 'wrong' }
      for (let attempt = 0; attempt < 100; attempt += 1) {
        await app.post('/sign-in', wrong, { 'X-Forwarded-For': `198.51.100.${attempt}` })
      }
    },
    findings: ['failure too-many-tries'],
  },
  {
    name: 'the test viewer is in none of the groups',
    settings: () => ({ ALLOWED_GROUPS: 'gold' }),
    afterwards: (installation) => addAda(installation, ['silver']),
    findings: ['failure not-in-group'],
  },
  {
    name: 'the test viewer lacks an attribute',
    settings: () => ({ HASH_PARAMETERS: 'user=username,mail=email' }),
    afterwards: (installation) => addAda(installation, []),
    findings: ['failure attribute-missing'],
  },
  {
    name: 'the access policy refuses the test viewer',
    app: () => ({
      accessPolicy: { decideAccess: () => ({ ok: false, reason: 'not-entitled' }) as const, timeoutMs: 1_000 },
    }),
    findings: ['failure policy-refuses'],
  },
  {
    name: 'the user store is away',
    afterwards: ({ users }) => users.fail(STORE_DOWN),
    findings: ['failure store-away', 'failure store-away'],
  },
  {
    name: 'the session store is broken',
    notForBrowsers: NOT_READY,
    afterwards: ({ app }) => app.sessionStore.close(),
    findings: ['failure store-away', 'warning no-session-cookie'],
  },
  {
    name: 'two copies of the app have different session secrets',
    copy: { sessionSecrets: ['another-session-secret-7d21'] },
    findings: ['warning return-refused'],
    isHarmless: true,
  },
  {
    name: 'Redis is away',
    app: async () => {
      const url = `redis://${(await closedAddress()).host}`
      const { sessionStore } = stores.environment.parse({ SESSION_STORE_URL: url })
      const log = pino({ level: 'silent' })
      return await stores.openSessions(sessionStore, SESSION_LIMITS, { nowSeconds: () => Date.now() / 1000, log })
    },
    findings: ['warning store-degraded'],
    isHarmless: true,
  },
  {
    name: 'the mail server is away',
    settings: async () => ({ SMTP_URL: `smtp://${(await closedAddress()).host}`, MAIL_FROM: 'login@example.com' }),
    findings: ['warning mail-away'],
    isHarmless: true,
  },
  {
    name: 'the app is stopping',
    notForBrowsers: NOT_READY,
    app: () => ({ isAccepting: () => false }),
    findings: ['failure stopping'],
  },
  { name: 'no sign-in is tried', afterwards: ({ args }) => args.splice(2, 2), findings: ['unknown no-sign-in'] },
])
