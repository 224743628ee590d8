import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'

const URLS = ['AUTH', 'OAUTH', 'BASE', 'ANALYTICS'].map((name) => [`SERVICE_${name}_URL`, 'https://service.example/v1'])
const SERVICE = {
  ...Object.fromEntries(URLS),
  SERVICE_CLIENT_ID: 'ab'.repeat(20),
  SERVICE_CLIENT_SECRET: 'cd'.repeat(20),
}

test.each([
  ['without settings', {}, false, 'not set'],
  ['with all settings', SERVICE, true, 'set'],
])('config check says if the video service is set: %s', async (_name, own, isSet, word) => {
  const check = (...options: string[]) =>
    runHere(['config', 'check', ...options], { cwd: temporaryFolder(), env: { ...SETTINGS, ...own } })
  expect(JSON.parse((await check('--json')).stdout)).toMatchObject({ service: isSet })
  expect((await check()).stdout).toMatch(new RegExp(`^Video service: ${word}(?:\\.|$)`, 'm'))
})
