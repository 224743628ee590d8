import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../src/server/http-server.ts'
import { checkHostAddresses } from '../../../../src/tools/cli/doctor/app/host-addresses.ts'

const IPV4 = (address: string): LookupAddress => ({ address, family: 4 })

/** Checks a host with these addresses. The login app answers at 127.0.0.1 alone, and another program at 127.0.0.3. */
async function codesFor(hostname: string, ...addresses: LookupAddress[]): Promise<string[]> {
  const app = createServer((_req, res) => void res.end('{}'))
  const port = await listen(app, 0, '127.0.0.1')
  const other = createServer((_req, res) => void res.writeHead(404).end())
  await listen(other, port, '127.0.0.3')
  onTestFinished(() => [app, other].forEach((server) => void server.close()))
  const codes: string[] = []
  const publicUrl = new URL(`http://${hostname}:${port}`)
  const resolve = async () => await Promise.resolve(addresses)
  for await (const { state, code } of checkHostAddresses({ publicUrl }, AbortSignal.timeout(9_000), resolve))
    codes.push(`${state} ${code}`)
  return codes
}

test.each([
  ['one address', 'login.example', [IPV4('127.0.0.9')], []],
  ['two addresses of the app', 'login.example', [IPV4('127.0.0.1'), IPV4('127.0.0.1')], ['ok host-addresses']],
  [
    'an address at which nothing listens',
    'login.example',
    [IPV4('127.0.0.1'), IPV4('127.0.0.2')],
    ['failure host-address-away'],
  ],
  [
    'an address of another program',
    'login.example',
    [IPV4('127.0.0.3'), IPV4('127.0.0.1')],
    ['failure host-address-away'],
  ],
  ['a name of this machine', 'localhost', [IPV4('127.0.0.1'), IPV4('127.0.0.2')], []],
])('a host with %s', async (_what, hostname, addresses, codes) => {
  expect(await codesFor(hostname, ...addresses)).toEqual(codes)
})
