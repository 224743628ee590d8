import type { ServerResponse } from 'node:http'
import type { Request } from 'express'
import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/features/metrics/metrics.ts'
import { createSignInLog, SIGN_IN_OUTCOMES } from '../../../src/login/log/sign-in-log.ts'
import { openLog, securityLogOf } from '../../../src/server/log/log.ts'
import { createRepeatFilter } from '../../../src/server/log/repeat-filter.ts'

/** Logs a refusal with each of the codes. @returns the lines of the metric by code. */
async function linesWith(codes: readonly string[]): Promise<string[]> {
  const metrics = createMetrics({
    version: '1.2.3',
    stores: {},
    linesDropped: () => ({}),
    signInOutcomes: Object.keys(SIGN_IN_OUTCOMES),
    entryPoints: ['staff'],
    ofFeatures: [],
  })
  const log = createSignInLog({
    securityLog: securityLogOf(openLog('info', { write() {} })),
    repeatFilter: createRepeatFilter(),
    entryPoint: 'staff',
    addressOf: () => '192.0.2.7',
    outcomes: SIGN_IN_OUTCOMES,
    count: metrics.countSignIn,
  })
  for (const code of codes) log({ headers: {} } as Request, { outcome: 'not-entitled', viewer: 'ada', code })
  const { promise, resolve } = Promise.withResolvers<string>()
  const res = { writeHead() {}, end: resolve } as unknown as ServerResponse
  metrics.listener({ url: '/metrics', method: 'GET' } as never, res as never)
  return (await promise).split('\n').filter((line) => line.includes('code="'))
}

const counted = (code: string, count: number) =>
  `viewer_auth_sign_ins_total{outcome="not-entitled",entry_point="staff",code="${code}"} ${count}`

test('the metrics count refusals of the access policy by its code', async () => {
  const lines = await linesWith(['no-ticket', 'wrong-country', 'no-ticket'])
  expect(lines).toEqual([counted('no-ticket', 2), counted('wrong-country', 1)])
})

test('the metrics count all codes after the first 50 as one', async () => {
  const codes = Array.from({ length: 60 }, (_, index) => `code-${index}`)
  const lines = await linesWith([...codes, 'code-3'])
  expect(lines).toHaveLength(51)
  expect(lines).toContain(counted('code-3', 2))
  expect(lines).toContain(counted('other', 10))
})
