import { request } from 'node:http'
import { startService } from '../../video-service/test-service.ts'

/**
 * Starts a proxy before several copies of the app. It passes a request to another copy if the first one does not answer,
 * and then answers 502 if the second one does not either.
 */
export function startBalancer(ports: readonly number[]): Promise<URL> {
  let turn = 0
  return startService((req, res) => {
    turn += 1
    const preferred = ports[turn % ports.length] ?? 0
    const other = ports[(turn + 1) % ports.length] ?? 0
    const bytes: Buffer[] = []
    const pass = (port: number, onError: () => void) => {
      const { method, url: path, headers } = req
      const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(res)
        answer.on('error', () => res.destroy())
      })
      passed.on('error', onError)
      passed.end(Buffer.concat(bytes))
    }
    const badGateway = () => (res.headersSent ? res.destroy() : res.writeHead(502).end())
    req.on('data', (chunk: Buffer) => bytes.push(chunk)).on('end', () => pass(preferred, () => pass(other, badGateway)))
  })
}
