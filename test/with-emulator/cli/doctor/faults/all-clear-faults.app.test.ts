import { readConfig } from '../../../../../src/config.ts'
import { setLock } from '../../../../../src/tools/video-service/locks.ts'
import { memoryUsers } from '../../../../login/memory-users.ts'
import { apiOf } from '../../../video-service/client.ts'
import { testFaults } from './fault-tests.ts'
import type { Fault } from './installation.ts'

const OLD_SECRET = 'b81f4c02d97e36a5f0c8127d6e9a4b53'
const onPage = (html: (player: string) => string): Pick<Fault, 'page'> => ({ page: { html } })
const frameOf = (address: string) => `<iframe src="${address}"></iframe>`

testFaults('faults that only a second look finds', [
  {
    name: 'one of two copies of the app has the old secret',
    notForBrowsers: 'the player asks again, and the next copy is right',
    copy: (settings) => ({ entryPoints: readConfig({ ...settings, HASH_SECRET: OLD_SECRET }).entryPoints }),
    findings: ['failure copies-differ'],
  },
  {
    name: 'one of two copies of the app has another user store',
    copy: { users: memoryUsers() },
    findings: ['failure copies-differ'],
  },
  {
    name: 'one of two copies of the app has another brand',
    copy: (settings) => ({ entryPoints: readConfig({ ...settings, BRAND_NAME: 'Other' }).entryPoints }),
    findings: ['warning copies-differ'],
    isHarmless: true,
  },
  {
    name: 'a proxy sends the screen as Latin-1, so that umlauts do not arrive',
    notForBrowsers: 'the test viewer has no umlaut',
    proxy: {
      answers: (headers, { url }) =>
        /^\/(\?|$)/.test(url ?? '') ? { ...headers, 'content-type': 'text/html; charset=iso-8859-1' } : headers,
    },
    findings: ['failure screen-charset'],
  },
  {
    name: 'a proxy renames a field of the sign-in form',
    proxy: { text: (html) => html.replaceAll('name="username"', 'name="login"') },
    findings: ['failure form-fields-changed'],
  },
  {
    name: 'a proxy makes browsers forget the session',
    proxy: { answers: (headers) => ({ ...headers, 'clear-site-data': '"cookies"' }) },
    findings: ['warning clear-site-data'],
    isHarmless: true,
  },
  {
    name: 'one of two copies of the app has another return address',
    copy: (settings) => ({
      entryPoints: readConfig({ ...settings, PLAYER_RETURN_URL: 'https://other.example/pass' }).entryPoints,
    }),
    findings: ['failure copies-differ'],
  },
  {
    name: 'the page has a player with a chat, and no consumer is allowed',
    ...onPage((player) => frameOf(player.replace('/embed/', '/combined/'))),
    findings: ['failure page-consumer-missing'],
  },
  {
    name: 'the page has a chat beside the player, and no consumer is allowed',
    ...onPage((player) => frameOf(player) + frameOf(player.replace('/embed/', '/chat/'))),
    findings: ['failure page-consumer-missing'],
  },
  {
    name: 'the page has Q&A beside the player, and another consumer is allowed',
    settings: ({ PLAYER_RETURN_URL = '' }) => ({ HASH_CONSUMERS: `${new URL(PLAYER_RETURN_URL).origin}/other/` }),
    ...onPage((player) => frameOf(player) + frameOf(player.replace('/embed/', '/qna/'))),
    findings: ['failure page-consumer-missing'],
  },
  {
    name: 'a colleague changed the secret of the lock elsewhere',
    afterwards: async ({ emulator, env }) => {
      const form = { url: `${env.PUBLIC_URL}/`, secret: OLD_SECRET }
      await setLock(apiOf(emulator), { kind: 'channel', id: '1002' }, form)
    },
    isHarmless: true,
    blindSpot: 'the condition of the verdict says it',
    findings: [],
  },
  {
    name: 'the page has another channel',
    ...onPage((player) => frameOf(player.replace('1002', '1001'))),
    findings: ['unknown page-other-content'],
  },
  {
    name: 'the page has a recorded video in place of the channel',
    ...onPage((player) => frameOf(player.replace('1002', 'recorded/2003'))),
    findings: ['unknown page-other-content'],
  },
  {
    name: 'a proxy sends the screen as text',
    proxy: {
      answers: (headers, { url }) =>
        /^\/(\?|$)/.test(url ?? '') ? { ...headers, 'content-type': 'text/plain; charset=utf-8' } : headers,
    },
    findings: ['failure screen-not-html'],
  },
  {
    name: 'a proxy sends the screen as an attachment',
    proxy: { answers: (headers) => ({ ...headers, 'content-disposition': 'attachment; filename="login.html"' }) },
    findings: ['failure screen-download'],
  },
  {
    name: 'a proxy changes the address of the form',
    proxy: { text: (html) => html.replace('action="/sign-in"', 'action="/login/sign-in"') },
    findings: ['failure form-action-changed'],
  },
  {
    name: 'a proxy sends the form to the machine behind it',
    proxy: { text: (html) => html.replace('action="/sign-in"', 'action="http://backend:3000/sign-in"') },
    findings: ['failure form-action-changed'],
  },
  {
    name: 'each answer takes seconds',
    proxy: { delayMs: 1_700 },
    findings: ['warning slow-answers'],
    isHarmless: true,
  },
])
