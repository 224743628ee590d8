import type { JWK } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { startProvider } from '../../../../src/tools/emulator/provider/start-provider.ts'
import { providerContract } from '../../../features/sso/provider/provider-contract.ts'
import { CLIENT } from '../../../features/sso/start-provider.ts'
import { openVisitor } from '../../../features/sso/visitor.ts'

const ADA = 'ada@lakeside.example'

providerContract('the provider of the emulator', async ({ redirectUri, publicKey }) => {
  const { clientId, secret } = CLIENT
  const authentication = publicKey ? { publicKey: publicKey.export({ format: 'jwk' }) as JWK } : { secret }
  const clients = [{ clientId, redirectUris: [redirectUri], ...authentication }]
  const { issuer, close } = await startProvider({ port: 0, clients })
  onTestFinished(close)
  return {
    issuer,
    username: ADA,
    group: 'staff',
    async visit(address) {
      const visitor = openVisitor()
      const page = await visitor.follow(address)
      const { pathname, search } = (await visitor.follow(page.url, { person: ADA })).url
      return `${pathname}${search}`
    },
  }
})
