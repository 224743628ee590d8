import { globSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { checkCopyClocks } from '../../../../src/tools/cli/doctor/app/copy-clocks.ts'
import { addAda, programSettings } from '../../../login/login-program.ts'
import { type LoginProgram, startLoginProgram } from '../../../login/start-program.ts'
import { startRedis } from '../../../redis/servers/redis.ts'

/** The settings of a program whose clock is 90 s ahead. Its timers go on. */
function aheadOfTime(): Record<string, string> {
  const [library = expect.unreachable('libfaketime is missing: sudo apt-get install faketime')] = globSync(
    '/usr/lib/*/faketime/libfaketime.so.1',
  )
  return { LD_PRELOAD: library, FAKETIME: '+90s', FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' }
}

test('of two copies, the one whose clock is ahead says so in log, readiness and metrics, and doctor names it', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.remove())
  const settings = { ...programSettings(), SESSION_STORE_URL: redis.url, METRICS_PORT: '0' }
  await addAda(settings)
  const [right, wrong] = await Promise.all([
    startLoginProgram(settings),
    startLoginProgram({ ...settings, ...aheadOfTime() }),
  ])
  const originOf = ({ port }: LoginProgram) => `http://127.0.0.1:${port}`
  const clocksOf = async (copy: LoginProgram) =>
    JSON.parse(await (await fetch(`${originOf(copy)}/health/ready`)).text()).clocks
  await wrong.says('"event":"clock"')
  const line =
    wrong
      .output()
      .split('\n')
      .find((one) => one.includes('"event":"clock"')) ?? ''
  expect(JSON.parse(line)).toMatchObject({ level: 40, setting: 'SESSION_STORE_URL' })
  expect(Math.abs(JSON.parse(line).aheadSeconds - 90)).toBeLessThan(3)
  expect(Object.keys(await clocksOf(wrong))).toContain('SESSION_STORE_URL')
  expect([await clocksOf(right), right.output().includes('"event":"clock"')]).toEqual([undefined, false])
  const [, metricsPort] = /"metricsPort":(\d+)/.exec(wrong.output()) ?? []
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(metrics).toMatch(/^viewer_auth_clock_ahead_seconds\{setting="SESSION_STORE_URL"\} (8|9)\d\./m)
  const copies = [right, wrong].map((copy) => new URL(originOf(copy)))
  const findings = checkCopyClocks({ publicUrl: new URL(originOf(right)) }, copies, new AbortController().signal)
  const found: string[] = []
  for await (const { text } of findings) found.push(text)
  expect(found).toEqual([expect.stringMatching(`at ${originOf(wrong)} is \\d+ s ahead of \\w+_STORE_URL`)])
})
