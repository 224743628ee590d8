import { expect, test } from 'vitest'
import { macAuthorization } from '../../../src/tools/video-service/mac-signature.ts'

const KEY = { id: 'h480djs93hd8', key: '489dks293j39' }
const AT = { timestampSeconds: 1_336_363_200, nonce: 'dj83hs9s' }

// Made with openssl dgst -sha1 -hmac; the first request is that of draft-ietf-oauth-v2-http-mac-02, 1.1.
test.each([
  ['GET', 'http://example.com/resource/1?b=1&a=2', '6T3zZzy2Emppni6bzL7kdRxUWL4='],
  ['PUT', 'https://SERVICE.example/channels/7/locks/hash/advanced.json', 'DeiKmEcWMcKzDgjRV+InKCOSVQ4='],
])('%s %s has the same signature as in another implementation', (method, url, mac) => {
  expect(macAuthorization(KEY, { method, url: new URL(url), ...AT })).toBe(
    `MAC id="h480djs93hd8", ts="1336363200", nonce="dj83hs9s", mac="${mac}"`,
  )
})
