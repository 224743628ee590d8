import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { runPreview, startUntouched } from '../../../cli/preview/run-preview.ts'

test('brand preview shows an entry point with tokens, and does not fetch the keys of the service', async () => {
  const service = await startUntouched()
  const { HASH_SECRET, PLAYER_RETURN_URL, ...common } = SETTINGS
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { names, screens, html, stderr } = await runPreview({
    ...common,
    PUBLIC_URL: 'http://localhost:1',
    VIEWER_AUTH: 'token',
    CONTENT_KEY: pem,
    SERVICE_VIEWER_KEY_URL: `http://${service.host}/viewer-auth-public-key.json`,
    REF_ADDRESSES: 'https://player.example/embed/1002',
  })
  expect(stderr).toBe('')
  expect(screens[names.indexOf('fresh')]?.html).toContain('name="password"')
  expect(screens[names.indexOf('loop')]?.html).toContain('content="loop"')
  expect(names).toEqual(expect.arrayContaining(['ref is missing', 'refused token']))
  expect(html).not.toContain(pem.split('\n')[1])
  expect(service.connections()).toBe(0)
})
