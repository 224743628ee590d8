import { styleText } from 'node:util'
import type { DemoFeature } from '../demo-feature.ts'

/** An entry point with viewer tokens. */
export const tokenDemo: DemoFeature = {
  entryPoint({ emulator: { url }, locks }, { playerOrigins, brand }) {
    return {
      name: 'tokens',
      playerOrigins,
      ...brand,
      viewerAuth: 'token',
      contentKey: locks.contentKey,
      serviceViewerKeyUrl: `${url}/viewer-auth-public-key.json`,
      refAddresses: ['embed', 'chat', 'qna', 'combined'].map((component) => `${url}/${component}/`),
    }
  },
  introduction({ emulator, locks, pageOrigin }) {
    const channel = emulator.seed.viewer_auth.find(({ auth_url }) => auth_url === locks.tokenLock.authUrl)
    return [
      'For a viewer token in place of a hash, open this page. Its player goes to the login app by itself:',
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channel?.content_id}`)}`,
    ]
  },
}
