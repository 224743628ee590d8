import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startWithOutput } from '../../server/log/program-with-output.ts'
import { freePort } from '../../servers/free-port.ts'

test('the metrics count the lines that a full standard output loses', async () => {
  const port = await freePort()
  const program = await startWithOutput(openSync('/dev/full', 'a'), { METRICS_PORT: String(port) })
  for (const name of ['a', 'b', 'c']) await program.signIn(name)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const [, lost] = /^viewer_auth_log_lines_dropped_total\{log="main"\} (\d+)$/m.exec(text) ?? []
  expect(Number(lost)).toBeGreaterThanOrEqual(3)
})
