import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { programSettings } from '../../../login/login-program.ts'
import { startLoginProgram } from '../../../login/start-program.ts'
import { CONTENT_KEY } from '../viewer-token/jwcrypto-vectors.ts'

test('the program starts while its proxy cannot reach the keys of the service, and readiness, log and metrics say so', async () => {
  const proxied: (string | undefined)[] = []
  const proxy = createServer().on('connect', ({ url }, socket) => {
    proxied.push(url)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  const pem = CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { port, output, child, ended } = await startLoginProgram({
    ...programSettings(),
    METRICS_PORT: '0',
    VIEWER_AUTH: 'token',
    CONTENT_KEY: pem,
    SERVICE_VIEWER_KEY_URL: 'https://api.example/viewer-auth-public-key.json',
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    REF_ADDRESSES: 'https://player.example/embed/',
  })
  const ready = await fetch(`http://127.0.0.1:${port}/health/ready`)
  expect(z.looseObject({ status: z.string() }).parse(await ready.json()).status).toBe('degraded')
  expect(ready.status).toBe(200)
  expect(proxied).toEqual(['api.example:443'])
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
