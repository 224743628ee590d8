import { generateKeyPair } from 'node:crypto'
import { promisify, styleText } from 'node:util'
import type { MakeDemoFeature } from '../demo-feature.ts'

const KEY_BITS = 2048

/** An entry point with viewer tokens. */
export const tokenDemo: MakeDemoFeature = async (loginUrl) => {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const viewerAuth = { auth_url: `${loginUrl}/e/tokens`, public_key: publicKey }
  const channel = { id: '1200', title: 'Members evening', viewerAuth }
  return {
    channel,
    entryPoint: ({ url }, { playerOrigins, brand }) => ({
      name: 'tokens',
      playerOrigins,
      ...brand,
      viewerAuth: 'token',
      contentKey: privateKey,
      serviceViewerKeyUrl: `${url}/viewer-auth-public-key.json`,
      refAddresses: ['embed', 'chat', 'qna', 'combined'].map((component) => `${url}/${component}/`),
    }),
    introduction: ({ pageOrigin }) => [
      'For a viewer token in place of a hash, open this page. Its player goes to the login app by itself:',
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channel.id}`)}`,
    ],
  }
}
