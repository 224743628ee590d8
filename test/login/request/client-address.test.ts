import type { Request } from 'express'
import { expect, test } from 'vitest'
import { createClientAddress, trustedProxiesOf } from '../../../src/login/request/client-address.ts'
import { NetworkList } from '../../../src/sign-in-limits/settings.ts'

test('a proxy that has closed its connection, and has no address any more, causes no warning', () => {
  const warnings: unknown[] = []
  const trusts = trustedProxiesOf(0, NetworkList.parse('127.0.0.1'))
  const addressOf = createClientAddress(trusts, { warn: (line: unknown) => void warnings.push(line) })
  const headers = { 'x-forwarded-for': '192.0.2.1' }
  addressOf({ ip: undefined, headers, socket: {} } as unknown as Request)
  expect(warnings).toEqual([])
  addressOf({ ip: '10.0.0.1', headers, socket: { remoteAddress: '10.0.0.1' } } as unknown as Request)
  expect(warnings).toHaveLength(1)
})
