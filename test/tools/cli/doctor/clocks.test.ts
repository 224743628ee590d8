import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { compareClocks } from '../../../../src/tools/cli/doctor/service/clocks.ts'
import { SETTINGS } from '../../../settings.ts'
import { closedAddress, startService } from '../../video-service/test-service.ts'

/** Starts a server whose clock is ahead of this machine by some seconds. */
async function serverAhead(seconds: number): Promise<string> {
  const service = await startService((_req, res) => {
    res.setHeader('date', new Date(Date.now() + seconds * 1000).toUTCString())
    res.end()
  })
  return service.origin
}

async function compare(app: string, service: string, lifetime = '3600') {
  const config = { ...readConfig({ ...SETTINGS, HASH_LIFETIME_SECONDS: lifetime }), publicUrl: new URL(app) }
  return await compareClocks(config, service, new AbortController().signal)
}

test.each([
  ['agree', 0, 0, 'clocks-agree', 'ok'],
  ['agree within a second or two', 1, -1, 'clocks-agree', 'ok'],
  ['differ, because the app is behind', -60, 0, 'clocks-differ', 'login app'],
  ['differ, because the service is ahead', 0, 60, 'clocks-differ', 'service'],
  ['agree, but not with this machine', 600, 600, 'clock-of-this-machine', 's behind the login app'],
] as const)('clocks that %s are found', async (_case, app, service, code, named) => {
  const finding = await compare(await serverAhead(app), await serverAhead(service))
  expect([finding?.code, `${finding?.state} ${finding?.text}`]).toEqual([code, expect.stringContaining(named)])
})

test('a service that is ahead by the life of a response is a failure', async () => {
  expect(await compare(await serverAhead(0), await serverAhead(90), '60')).toMatchObject({
    state: 'failure',
    code: 'clock-expires',
  })
})

test('clocks are not compared if a server does not answer, and unknown if it sends no Date', async () => {
  const silent = await startService((_req, res) => {
    res.sendDate = false
    res.end()
  })
  expect(await compare(await serverAhead(0), (await closedAddress()).origin)).toBeNull()
  expect(await compare(silent.origin, await serverAhead(0))).toMatchObject({ state: 'unknown', code: 'clocks-unknown' })
})
