import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setLock } from '../../../../../src/tools/video-service/locks.ts'
import { closedAddress } from '../../../../tools/video-service/test-service.ts'
import { addFault, apiOf } from '../../../video-service/client.ts'
import { testFaults } from './fault-tests.ts'
import type { Installation } from './installation.ts'

const SERVICE = 'the fault keeps the doctor from the API of the service, and viewers do not use it'
const OTHER_CONTENT = 'the page shows another channel than --channel'

const OTHER_SECRET = 'b81f4c02d97e36a5f0c8127d6e9a4b53'

/** Sets the lock of the channel elsewhere, without `lock set` of this machine. */
async function setLockElsewhere({ emulator, env }: Installation, changed: { url?: string; secret?: string }) {
  const form = { url: `${env.PUBLIC_URL}/`, secret: env.HASH_SECRET ?? '', ...changed }
  await setLock(apiOf(emulator), { kind: 'channel', id: '1002' }, form)
}

/** Puts other arguments in place of the channel. */
function about({ args }: Installation, ...place: readonly [string, string]): void {
  args.splice(0, 2, ...place)
}

testFaults('locks, channels, the client of the service, and the service', [
  {
    name: 'the channel has no lock',
    afterwards: ({ run }) => run('lock', 'remove', '--channel', '1002', '--yes'),
    findings: ['failure channel-unlocked', 'unknown player-frame-src'],
  },
  {
    name: 'the lock leads to another app',
    afterwards: (installation) => setLockElsewhere(installation, { url: 'https://other.example/' }),
    findings: ['failure lock-leads-elsewhere', 'unknown player-frame-src'],
  },
  {
    name: 'the path of the lock is mistyped',
    afterwards: (installation) => setLockElsewhere(installation, { url: `${installation.env.PUBLIC_URL}/login` }),
    findings: ['failure lock-leads-elsewhere'],
  },
  {
    name: 'the lock was set with another secret from another machine',
    afterwards: async (installation) => {
      rmSync(join(installation.cwd, 'data', 'locks.json'))
      await setLockElsewhere(installation, { secret: OTHER_SECRET })
    },
    findings: ['unknown lock-secret-unseen'],
  },
  {
    name: 'the lock was set with another secret from this machine',
    afterwards: async ({ env, run }) => {
      const { HASH_SECRET = '' } = env
      env.HASH_SECRET = OTHER_SECRET
      await run('lock', 'set', '--channel', '1002', '--yes')
      env.HASH_SECRET = HASH_SECRET
    },
    findings: ['failure lock-secret-differs'],
  },
  {
    name: 'the video has no lock of its own',
    afterwards: (installation) => about(installation, '--video', '2002'),
    findings: ['unknown no-own-lock'],
  },
  {
    name: 'there is no such channel',
    notForBrowsers: OTHER_CONTENT,
    afterwards: (installation) => about(installation, '--channel', '999999'),
    findings: ['failure channel-unknown'],
  },
  {
    name: 'the channel belongs to another user',
    notForBrowsers: OTHER_CONTENT,
    afterwards: (installation) => about(installation, '--channel', '1003'),
    findings: ['failure not-owner'],
  },
  {
    name: 'the client secret is wrong',
    notForBrowsers: SERVICE,
    afterwards: ({ env }) => {
      env.SERVICE_CLIENT_SECRET = 'ab'.repeat(20)
    },
    findings: ['failure client-refused'],
  },
  {
    name: 'a setting of the service is missing',
    notForBrowsers: SERVICE,
    afterwards: ({ env }) => {
      env.SERVICE_BASE_URL = ''
    },
    findings: ['failure service-settings'],
  },
  {
    name: 'the service answers 503',
    notForBrowsers: SERVICE,
    changesService: true,
    afterwards: ({ emulator }) => addFault(emulator, { path: '/oauth2/token', status: 503, count: 100 }),
    findings: ['failure service-away'],
  },
  {
    name: 'nothing listens at the address of the service',
    notForBrowsers: SERVICE,
    afterwards: async ({ env }) => {
      env.SERVICE_OAUTH_URL = (await closedAddress()).origin
    },
    findings: ['failure service-unreachable'],
  },
  {
    name: 'the clock of the service is two hours ahead',
    changesService: true,
    afterwards: ({ emulator }) => setClock(emulator.url, 7_200),
    findings: ['failure clock-expires'],
  },
  {
    name: 'the clock of the service is two minutes ahead',
    changesService: true,
    afterwards: ({ emulator }) => setClock(emulator.url, 120),
    findings: ['warning clocks-differ'],
    isHarmless: true,
  },
  {
    name: 'the clock of the app is two hours behind',
    proxy: {
      answers: ({ date, ...headers }) => ({ ...headers, date: new Date(Date.now() - 7_200_000).toUTCString() }),
    },
    app: () => ({ nowSeconds: () => Date.now() / 1000 - 7_200 }),
    findings: ['warning copy-clock', 'failure clock-expires', 'failure wrong-response'],
  },
])

async function setClock(url: string, advanceSeconds: number): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ advance_seconds: advanceSeconds })
  const { status } = await fetch(`${url}/emulator/clock`, { method: 'POST', headers, body })
  if (status >= 300) throw new Error(String(status))
}
