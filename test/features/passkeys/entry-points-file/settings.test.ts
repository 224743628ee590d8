import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { hasPasskeys } from '../../../../src/features/passkeys/fields.ts'
import { mistakesIn, SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

/** Returns settings with a file of one entry point. */
function withFile(fields: object) {
  const { HASH_SECRET: secret, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS: origin, ...others } = SETTINGS
  const file = join(temporaryFolder(), 'entry-points.json')
  const entry = { name: 'news', secret, playerReturnUrl, playerOrigins: [origin], ...fields }
  writeFileSync(file, JSON.stringify([entry]))
  return { ...others, ENTRY_POINTS_FILE: file }
}

test('an entry point of a file has passkeys if it says so, under the same rules', () => {
  const sso = { oidcIssuer: 'https://idp.example', oidcClientId: 'kit', oidcClientSecret: 'x', ssoOnly: 'on' }
  expect(readConfig(withFile({})).entryPoints.map(hasPasskeys)).toEqual([false])
  expect(readConfig(withFile({ passkeys: 'on' })).entryPoints.map(hasPasskeys)).toEqual([true])
  expect(mistakesIn(withFile({ passkeys: 'on', ...sso }))[0]).toMatch(/: passkeys needs .* ssoOnly$/)
  expect(mistakesIn({ ...withFile({ passkeys: 'on' }), PUBLIC_URL: 'https://192.0.2.1' })[0]).toContain('PUBLIC_URL')
})
