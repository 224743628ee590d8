import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closedAddress, startService } from '../../../../tools/video-service/test-service.ts'
import { testFaults } from './fault-tests.ts'
import type { Fault } from './installation.ts'

const OTHER_SECRET = 'b81f4c02d97e36a5f0c8127d6e9a4b53'

/** Returns `afterwards` of a fault that changes settings of the doctor only. */
const inDoctor = (changed: Record<string, string>): Pick<Fault, 'afterwards'> => ({
  afterwards: ({ env }) => Object.assign(env, changed),
})

testFaults('settings that are wrong, or differ between the app and the doctor', [
  {
    name: 'the app runs with another secret',
    appSettings: () => ({ HASH_SECRET: OTHER_SECRET }),
    findings: ['failure wrong-response'],
  },
  {
    name: 'the app sends viewers to another player',
    appSettings: () => ({ PLAYER_RETURN_URL: 'https://other.example/pass' }),
    findings: ['failure form-action', 'failure wrong-redirect'],
  },
  {
    name: 'the return address of the player is mistyped',
    settings: ({ PLAYER_RETURN_URL = '' }) => ({ PLAYER_RETURN_URL: PLAYER_RETURN_URL.replace('pass', 'psas') }),
    findings: ['failure address-missing'],
  },
  {
    name: 'PLAYER_RETURN_URL is the address of the player itself',
    settings: ({ PLAYER_RETURN_URL = '' }) => ({
      PLAYER_RETURN_URL: PLAYER_RETURN_URL.replace('hashlock/pass', '1002'),
    }),
    findings: ['unknown return-url-doubtful', 'unknown return-url-is-player'],
  },
  {
    name: 'PLAYER_RETURN_URL is the page that embeds the player',
    settings: ({ PLAYER_RETURN_URL = '' }) => ({
      PLAYER_RETURN_URL: PLAYER_RETURN_URL.replace('embed/hashlock/pass', 'channel/1002'),
    }),
    findings: ['unknown return-url-doubtful'],
  },
  {
    name: 'the app does not know the origin of the page yet',
    appSettings: ({ PLAYER_ORIGINS = '' }) => ({ PLAYER_ORIGINS: PLAYER_ORIGINS.split(',')[0] ?? '' }),
    findings: ['failure frame-ancestors', 'failure frame-ancestors'],
  },
  {
    name: 'PLAYER_ORIGINS lacks the player',
    settings: ({ PLAYER_ORIGINS = '' }) => ({ PLAYER_ORIGINS: PLAYER_ORIGINS.split(',')[1] ?? '' }),
    findings: ['unknown player-origin-missing', 'failure page-origin-missing'],
  },
  {
    name: 'the app does not know a consumer',
    notForBrowsers: 'the page has no chat',
    settings: ({ PLAYER_RETURN_URL = '' }) => ({ HASH_CONSUMERS: `${new URL(PLAYER_RETURN_URL).origin}/chat/` }),
    appSettings: () => ({ HASH_CONSUMERS: '' }),
    findings: ['failure consumer-refused'],
  },
  {
    name: 'no parameter names the viewer',
    settings: () => ({ HASH_PARAMETERS: 'id=username' }),
    findings: ['warning no-viewer-parameter'],
    isHarmless: true,
  },
  {
    name: 'a response expires too soon',
    settings: () => ({ HASH_LIFETIME_SECONDS: '5' }),
    findings: ['warning short-lifetime'],
    isHarmless: true,
  },
  {
    name: 'a response never expires',
    settings: () => ({ HASH_LIFETIME_SECONDS: '0' }),
    findings: ['warning setting-doubtful'],
    isHarmless: true,
  },
  {
    name: 'the name of a setting is mistyped',
    ...inDoctor({ HASH_LIFETIME_SECOND: '600' }),
    findings: ['warning setting-doubtful'],
    isHarmless: true,
  },
  {
    name: 'the change of the secret is not finished in the app',
    ...inDoctor({ HASH_SECRET: OTHER_SECRET, HASH_SECRET_PREVIOUS: 'HASHSECRETMARKER7c31f09e5d8a462b' }),
    findings: ['warning lock-secret-second', 'warning previous-secret'],
    isHarmless: true,
  },
  {
    name: 'a command that changes the secret was stopped',
    settings: ({ HASH_SECRET = '', USER_STORE_URL = '' }) => {
      const file = join(USER_STORE_URL.replace('sqlite:', ''), '../secret')
      for (const end of ['', '-previous', '.next']) writeFileSync(file + end, HASH_SECRET)
      return { HASH_SECRET: '', HASH_SECRET_FILE: file, HASH_SECRET_PREVIOUS_FILE: `${file}-previous` }
    },
    findings: ['warning setting-doubtful', 'warning secret-change-unfinished'],
    isHarmless: true,
  },
  {
    name: 'nothing listens at PUBLIC_URL',
    settings: async () => ({ PUBLIC_URL: (await closedAddress()).origin }),
    findings: ['failure nothing-listens'],
  },
  {
    name: 'PUBLIC_URL of the doctor leads to another program',
    afterwards: async ({ env }) => {
      env.PUBLIC_URL = (await startService((_req, res) => void res.end('<h1>Welcome</h1>'))).origin
    },
    findings: ['failure another-program', 'failure lock-leads-elsewhere'],
  },
  {
    name: 'PUBLIC_URL of the doctor has an unknown host name',
    ...inDoctor({
      PUBLIC_URL: 'https://login.invalid',
      PLAYER_RETURN_URL: 'https://player.invalid/pass',
      PLAYER_ORIGINS: 'https://player.invalid',
    }),
    findings: ['failure unknown-host', 'failure lock-leads-elsewhere'],
  },
])
