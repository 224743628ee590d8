import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { programSettings } from '../login/login-program.ts'
import { startLoginApp } from '../login/start-login-app.ts'
import { startLoginProgram } from '../login/start-program.ts'

/** Node's client sends the path as it is, an absolute address too. */
async function answerTo(port: number, path: string): Promise<{ status: number | undefined; body: string }> {
  const [response] = (await once(get({ port, path, agent: false }), 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

test.each([
  ['http://login.example/health/live', 200],
  ['https://login.example:8443/health/live', 200],
  ['http://login.example/?hashConsumer=x', 400],
  ['http://login.example', 200],
  ['http://login.example/none', 404],
  ['http://login.example:99999a/health/live', 404],
  ['ftp://login.example/health/live', 404],
  ['javascript://login.example/', 404],
  ['*', 404],
])('the address %s in the request line is answered with %i', async (address, status) => {
  const { port } = await startLoginApp()
  expect((await answerTo(port, address)).status).toBe(status)
})

test('an address with a wrong port appears in no output of the program', async () => {
  const program = await startLoginProgram({ ...programSettings(), LOG_LEVEL: 'trace', METRICS_PORT: '0' })
  const metricsPort = Number(/"metricsPort":(\d+)/.exec(program.output())?.[1])
  for (const port of [program.port, metricsPort]) {
    expect((await answerTo(port, 'http://login.example:99999a/?hash=QUERYMARKER')).status).toBe(404)
  }
  program.child.kill('SIGTERM')
  const { stdout, stderr } = await program.ended
  expect(stderr).toBe('')
  expect(stdout).not.toContain('QUERYMARKER')
})
