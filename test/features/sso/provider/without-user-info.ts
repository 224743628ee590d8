import type { IncomingMessage, ServerResponse } from 'node:http'
import { startSso } from '../start-sso.ts'

/** Starts a provider that keeps the claims for user info, which answers 503. Counts the questions. */
export async function startWithoutUserInfo(options: Parameters<typeof startSso>[0] = {}) {
  let asked = 0
  const instead = ({ url }: IncomingMessage, res: ServerResponse) => {
    if (url !== '/me') return false
    asked += 1
    res.writeHead(503).end()
    return true
  }
  const app = await startSso({ ...options, provider: { instead, ...options.provider } })
  return { app, asked: () => asked }
}
