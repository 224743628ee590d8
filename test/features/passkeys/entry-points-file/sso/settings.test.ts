import { expect, test } from 'vitest'
import { mistakesIn } from '../../../../settings.ts'
import { withFile } from '../with-file.ts'

test('an entry point of a file without passwords has no passkeys', () => {
  const sso = { oidcIssuer: 'https://idp.example', oidcClientId: 'kit', oidcClientSecret: 'x', ssoOnly: 'on' }
  expect(mistakesIn(withFile({ passkeys: 'on', ...sso }))[0]).toMatch(/: passkeys needs .* ssoOnly$/)
})
