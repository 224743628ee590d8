import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startApp } from '../../faults/app-program.ts'
import { programSettings } from '../../login/login-program.ts'
import { freePort } from '../../servers/free-port.ts'

test('the metrics count the lines that a full standard output loses', async () => {
  const metricsPort = await freePort()
  const settings = { ...programSettings(), METRICS_PORT: String(metricsPort) }
  const { port } = await startApp({ settings, stdout: openSync('/dev/full', 'a') })
  const body = new URLSearchParams({ username: 'a', password: 'wrong' })
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await fetch(`http://127.0.0.1:${port}/sign-in`, { method: 'POST', body })
  }
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const [, lost] = /^viewer_auth_log_lines_dropped_total\{log="main"\} (\d+)$/m.exec(text) ?? []
  expect(Number(lost)).toBeGreaterThanOrEqual(3)
})
