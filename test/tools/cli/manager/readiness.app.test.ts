import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openEvening } from '../../../../src/tools/cli/manager/evening/evening.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

function openFor(PUBLIC_URL: string) {
  const folder = temporaryFolder()
  const SECURITY_LOG_FILE = join(folder, 'security.log')
  writeFileSync(SECURITY_LOG_FILE, '')
  const stores = { USER_STORE_URL: `sqlite:${folder}/viewers.db`, SESSION_STORE_URL: `sqlite:${folder}/sessions.db` }
  const clock = { ms: Date.now() }
  const evening = openEvening({ ...stores, SECURITY_LOG_FILE, PUBLIC_URL }, { nowMs: () => clock.ms, events: [] })
  onTestFinished(() => evening.close())
  async function read() {
    clock.ms += 3_000
    return await evening.read(null)
  }
  return { read }
}

/** A login app of its own process, which answers each request after its time. Null closes the connection. */
async function startSlowApp(...answersAfterMs: readonly (number | null)[]): Promise<string> {
  const script = `const waits = ${JSON.stringify(answersAfterMs)}
    const server = require('node:http').createServer((req, res) => {
      const wait = waits.length > 1 ? waits.shift() : waits[0]
      if (wait === null) req.socket.destroy()
      else setTimeout(() => res.end('{"status":"ready"}'), wait)
    }).listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const app = spawn(process.execPath, ['-e', script])
  onTestFinished(() => void app.kill())
  const [port] = await once(app.stdout, 'data')
  return `http://127.0.0.1:${String(port).trim()}`
}

test('the app is ready while the process that asks is busy, and would wait too short', async () => {
  const { read } = openFor(await startSlowApp(100))
  await read()
  const figures = read()
  const isDone = figures.then(() => true)
  while (!(await Promise.race([isDone, nextTurn(false)])))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_600)
  expect((await figures).readiness?.status).toBe('ready')
})

test.each([
  ['slow', [1_200]],
  ['slow', [null, 0]],
  ['ready', [0]],
  ['no-answer', [null]],
])('the state is %s of an app that answers after %j ms', async (status, answersAfterMs) => {
  const PUBLIC_URL = await startSlowApp(...answersAfterMs)
  const { read } = openFor(PUBLIC_URL)
  expect((await read()).readiness?.status).toBe(status)
})
