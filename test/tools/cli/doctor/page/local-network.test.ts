import { expect, test } from 'vitest'
import { documentOf } from '../../../../../src/tools/cli/doctor/page/framed-document.ts'
import { checkLocalNetwork, checkUnseenPlayer } from '../../../../../src/tools/cli/doctor/page/local-network.ts'

/** Browsers take the addresses for documentation, such as 203.0.113.5, for public. */
const PAGE = 'http://203.0.113.5/live'
const PLAYER = 'http://203.0.113.6/embed'

/** @param allow of the frame of the player. Null if a script makes the frame. */
async function codesOf(app: string, allow: string | null = '', page = PAGE, player = PLAYER) {
  const framed = (address: string, allow: string | null) =>
    documentOf([new URL(address)], new Headers(), allow === null ? null : { sandbox: null, allow })
  const findings = await checkLocalNetwork([framed(page, null), framed(player, allow), framed(app, null)])
  return findings.map(({ state, code }) => `${state} ${code}`)
}

test.each([
  'http://10.1.2.3/',
  'http://172.16.0.9/',
  'http://192.168.1.2/',
  'http://100.64.3.2/',
  'http://169.254.7.7/',
  'http://[fd00::9]/',
  'http://[fe80::9]/',
  'http://[::ffff:10.1.2.3]/',
  'http://login.local/',
  'http://localhost:3000/',
  'http://127.0.0.9/',
  'http://[::1]/',
])('a public player does not show %s', async (app) => {
  expect(await codesOf(app)).toEqual(['failure local-network-blocked'])
})

test.each(['http://203.0.113.7/', 'http://[2001:db8::1]/', 'http://198.18.0.9/'])(
  'a public player shows %s',
  async (app) => {
    expect(await codesOf(app)).toEqual([])
  },
)

test('the player decides, not the page, and a local player shows a local address', async () => {
  expect(await codesOf('http://10.1.2.3/', '', 'http://10.9.9.9/')).toEqual(['failure local-network-blocked'])
  expect(await codesOf('http://10.1.2.3/', '', 'http://10.9.9.9/', 'http://10.8.8.8/')).toEqual([])
  expect(await codesOf('http://127.0.0.1/', '', 'http://10.9.9.9/', 'http://10.8.8.8/')).toEqual([
    'failure local-network-blocked',
  ])
})

test.each([
  ['autoplay; local-network', 'warning local-network-prompt'],
  ['local-network *', 'warning local-network-prompt'],
  ['local-network http://203.0.113.6', 'warning local-network-prompt'],
  // Firefox does not know the older name, and the other one is for 127.0.0.1.
  ['local-network-access', 'failure local-network-blocked'],
  ['loopback-network', 'failure local-network-blocked'],
])('with allow="%s" on the frame of the player, the result is %s', async (allow, expected) => {
  expect(await codesOf('http://10.1.2.3/', allow)).toEqual([expected])
})

test('without a seen frame of the player, it is unknown if browsers ask', async () => {
  expect(await codesOf('http://10.1.2.3/', null)).toEqual(['unknown local-network-unseen'])
  const [finding] = await checkUnseenPlayer(new URL(PLAYER), new URL('http://10.1.2.3/'))
  expect(finding).toMatchObject({ state: 'unknown', code: 'local-network-unseen' })
})
