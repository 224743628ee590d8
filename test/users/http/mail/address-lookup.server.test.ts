import { afterAll, beforeAll } from 'vitest'
import { openHttpStore } from '../../../../src/users/http/store.ts'
import { addressLookupContract, addressViewers } from '../../mail/address-lookup-contract.ts'
import { type LoginService, startLoginService } from '../login-service.ts'

let service: LoginService
beforeAll(async () => {
  service = await startLoginService(addressViewers)
})
afterAll(() => service.halt())

addressLookupContract('http', () => {
  const { token, url } = service
  const settings = { kind: 'http', url: url(), findUrl: url('/find'), token, timeoutMs: 5_000, ca: null } as const
  return Promise.resolve(openHttpStore(settings))
})
