import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { programSettings, startLoginProgram } from '../login/login-program.ts'
import { freePort } from '../servers/free-port.ts'
import { CONTENT_KEY } from '../viewer-token/jwcrypto-vectors.ts'

vi.setConfig({ testTimeout: 60_000 })

test('the program starts while the keys of the service are away, says so, also in the metrics, and stops', async () => {
  const pem = CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { port, output, child, ended } = await startLoginProgram({
    ...programSettings(),
    METRICS_PORT: '0',
    VIEWER_AUTH: 'token',
    CONTENT_KEY: pem,
    SERVICE_VIEWER_KEY_URL: `http://127.0.0.1:${await freePort()}/keys.json`,
    REF_ADDRESSES: 'https://player.example/embed/',
  })
  const ready = await fetch(`http://127.0.0.1:${port}/health/ready`)
  expect(z.looseObject({ status: z.string() }).parse(await ready.json()).status).toBe('degraded')
  expect(ready.status).toBe(200)
  const [, metricsPort] = output().match(/"metricsPort":(\d+)/) ?? []
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(metrics).toMatch(/^viewer_auth_store_up\{store="service-keys"\} 0$/m)
  expect(metrics).toMatch(/^viewer_auth_tokens\{state="waiting"\} 0$/m)
  child.kill('SIGTERM')
  const { status, stdout } = await ended
  expect(status).toBe(0)
  expect(stdout).toMatch(/"event":"service-keys"/)
  expect(stdout).not.toContain(pem.split('\n')[2])
})
