import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startManager } from './start-manager.ts'

const ADA = 'ada@example.com'
const ONE = `/people/one/${encodeURIComponent(ADA)}`

async function signedIn() {
  const manager = await startManager()
  await manager.users.add({ username: ADA, groups: [], attributes: {} }, null)
  const browser = await manager.signedIn()
  await browser.get('/account')
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return { manager, browser, cookie, port: Number(new URL(manager.origin).port) }
}

test('a request with the host of another site gets nothing, whatever its cookie and token', async () => {
  const { manager, browser, cookie, port } = await signedIn()
  const body = `token=${browser.token()}`
  const posted = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': body.length }
  for (const host of ['rebound.example', `rebound.example:${port}`, `localhost:${port}`, `127.0.0.1.:${port}`]) {
    for (const [method, path] of [
      ['GET', '/people'],
      ['GET', '/sign-in'],
      ['GET', '/assets/manager.js'],
      ['POST', `${ONE}/remove`],
    ]) {
      const isPost = method === 'POST'
      const headers = { Cookie: cookie, Host: host, ...(isPost && posted) }
      const [answer] = await once(
        request({ host: '127.0.0.1', port, path, method, headers }).end(isPost ? body : ''),
        'response',
      )
      const shown = await text(answer)
      expect([host, path, answer.statusCode, answer.headers['set-cookie'], shown.includes('Ada')]).toEqual([
        host,
        path,
        421,
        undefined,
        false,
      ])
    }
  }
  expect((await manager.users.show(ADA)).ok).toBe(true)
})

test('an upload without a length is refused before it is read: without a session at once, else by 411', async () => {
  const { manager, cookie, port } = await signedIn()
  const chunk = Buffer.alloc(65_536, 'a')
  async function send(headers: Readonly<Record<string, string>>) {
    const type = 'multipart/form-data; boundary=x'
    const sheet = request({
      host: '127.0.0.1',
      port,
      path: '/people/import',
      method: 'POST',
      headers: { 'Content-Type': type, ...headers },
    })
    sheet.on('error', () => {})
    const answered = once(sheet, 'response')
    let isAnswered = false
    sheet.once('response', () => {
      isAnswered = true
    })
    const before = process.memoryUsage().arrayBuffers
    let sentBytes = 0
    for (; sentBytes < 50_000_000 && !isAnswered; sentBytes += chunk.length) {
      sheet.write(chunk)
      await setImmediate()
    }
    const grownBytes = process.memoryUsage().arrayBuffers - before
    const [answer] = await answered
    sheet.destroy()
    return { status: answer.statusCode, location: answer.headers.location, sentBytes, grownBytes }
  }
  const unknown = await send({})
  const known = await send({ Cookie: cookie })
  expect(unknown).toMatchObject({ status: 303, location: '/sign-in' })
  expect(known).toMatchObject({ status: 411 })
  for (const { sentBytes, grownBytes } of [unknown, known]) {
    expect(sentBytes).toBeLessThan(8_000_000)
    expect(grownBytes).toBeLessThan(20_000_000)
  }
  expect(manager.faults).toEqual([])
})
