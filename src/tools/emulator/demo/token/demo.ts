import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { channelPage, type MakeDemoFeature } from '../demo-feature.ts'

const KEY_BITS = 2048

/** An entry point with viewer tokens. */
export const demo: MakeDemoFeature = async (loginUrl) => {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const viewerAuth = { auth_url: `${loginUrl}/e/tokens`, public_key: publicKey }
  const channel = { id: '1200', title: 'Members evening', viewerAuth }
  return {
    order: 3,
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
    hint: (emulator) => ({
      title: 'Viewer token',
      text: 'The player gets a viewer token in place of a hash. It goes to the login app by itself.',
      page: channelPage(emulator, channel.id),
    }),
  }
}
