import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { programSettings } from '../login/login-program.ts'
import { startLoginProgram } from '../login/start-program.ts'

test('the app cuts off a client that sends one byte at a time: headers after 10 seconds, a form after 15', async () => {
  const { port } = await startLoginProgram(programSettings())
  const headers = 'Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n'
  const [slowHeaders, slowForm, longHeader, silent] = await Promise.all([
    secondsUntilClosed(port, 'GET / HTTP/1.1\r\n', 'A: b\r\n'),
    secondsUntilClosed(port, `POST /sign-in HTTP/1.1\r\n${headers}\r\n`, 'a'),
    secondsUntilClosed(port, 'GET / HTTP/1.1\r\nA: ', 'b'),
    secondsUntilClosed(port, '', ''),
  ])
  // The app checks every two seconds. The upper bounds allow for a busy machine, and are far below Node's own limits.
  for (const seconds of [slowHeaders, longHeader, silent]) {
    expect(seconds).toBeGreaterThan(9.5)
    expect(seconds).toBeLessThan(25)
  }
  expect(slowForm).toBeGreaterThan(14.5)
  expect(slowForm).toBeLessThan(30)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
}, 60_000)

async function secondsUntilClosed(port: number, first: string, again: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  const begun = performance.now()
  socket.write(first)
  const drip = setInterval(() => socket.write(again), 500)
  await once(socket, 'close')
  clearInterval(drip)
  return (performance.now() - begun) / 1000
}
