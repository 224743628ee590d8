import { expect, test } from 'vitest'
import { ACCOUNT_PATHS } from '../../../src/features/account/links/addresses.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { startAccountApp } from './start-account-app.ts'

const SCRIPT = /<script type="module" src="\/assets\/login\.js/

test('only the pages with passwords load the script, and may run it', async () => {
  const app = await startAccountApp()
  for (const [path, hasScript] of [
    [ACCOUNT_PATHS.change, true],
    [ACCOUNT_PATHS.forgot, false],
    [`${ACCOUNT_PATHS.newPassword}?token=x`, false],
  ] as const) {
    const { text, headers } = await app.get(path)
    expect([path, SCRIPT.test(text)]).toEqual([path, hasScript])
    const policy = headers['content-security-policy'] ?? ''
    expect([path, policy.includes("script-src 'self'")]).toEqual([path, hasScript])
    expect(policy).not.toContain('connect-src')
  }
})

test('no page of an entry point without the script loads it', async () => {
  const app = await startAccountApp({ entryPoints: [{ ...ENTRY_POINT, hasScript: false }] })
  const { text, headers } = await app.get(ACCOUNT_PATHS.change)
  expect(text).not.toMatch(/<script|data-/)
  expect(headers['content-security-policy']).not.toContain('script-src')
})
