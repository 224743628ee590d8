import { type IncomingHttpHeaders, request } from 'node:http'
import { readConfig } from '../../../src/config.ts'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { programSettings } from '../../login/login-program.ts'
import { ADA, type LoginAppOptions, startLoginApp } from '../../login/start-login-app.ts'
import { startService } from '../../tools/video-service/test-service.ts'
import { environmentFor } from '../video-service/client.ts'

/** Changes the headers of every answer, as a badly configured proxy does. */
export type AlterHeaders = (headers: IncomingHttpHeaders) => IncomingHttpHeaders

/**
 * Starts the login app in this process, behind a proxy at PUBLIC_URL. Ada can sign in.
 * @returns the environment of a command: settings of the app, settings of the emulator, and Ada's password.
 */
export async function startLoginAppBehindProxy(
  emulator: RunningEmulator,
  {
    alter = (headers) => headers,
    app: options = {},
    ...changed
  }: {
    alter?: AlterHeaders
    settings?: Record<string, string>
    without?: readonly string[]
    app?: LoginAppOptions
  },
): Promise<Record<string, string>> {
  let port = 0
  const proxy = await startService((req, res) => {
    const { method, url: path, headers } = req
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, alter(answer.headers))
      answer.pipe(res)
    })
    req.pipe(passed)
  })
  const settings: Record<string, string> = { ...programSettings(), PUBLIC_URL: proxy.origin, ...changed.settings }
  for (const name of changed.without ?? []) delete settings[name]
  const { entryPoints } = readConfig(settings)
  const nowSeconds = () => Date.now() / 1000
  const app = await startLoginApp({ publicUrl: proxy.origin, entryPoints, nowSeconds, ...options })
  port = app.port
  return { ...settings, ...environmentFor(emulator), VIEWER_PASSWORD: ADA.password }
}
