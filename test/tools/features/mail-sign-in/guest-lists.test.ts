import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../../cli/run-here.ts'

const mail = { SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'login@example.com', MAIL_SIGN_IN: 'list' }

async function check(content: string | null) {
  const cwd = temporaryFolder()
  const file = join(cwd, 'guests.csv')
  if (content !== null) writeFileSync(file, content)
  return await runHere(['config', 'check'], { cwd, env: { ...SETTINGS, ...mail, MAIL_GUESTS_FILE: file } })
}

test.each([
  ['nonsense', 'must have a column'],
  ['address\nada@example.com\nbob', 'line 3 has no address'],
  [null, 'ENOENT'],
])('config check names the fault in a file of guests', async (content, words) => {
  const { status, stderr } = await check(content)
  expect([status, stderr]).toEqual([1, expect.stringMatching(/MAIL_GUESTS_FILE: \S+guests\.csv /)])
  expect(stderr).toContain(words)
})

test('config check says how many guests there are', async () => {
  const { status, stdout } = await check('address\nada@example.com\n*@partner.example\n')
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^Guests of entry point default.*: 2\.$/m)])
})

test('config check shows listed addresses and domains as they were typed', async () => {
  const env = { ...SETTINGS, ...mail, MAIL_GUESTS: 'ada@example.com, *@example.org' }
  const { stdout } = await runHere(['config', 'check'], { cwd: temporaryFolder(), env })
  expect(stdout).toMatch(/^MAIL_GUESTS +ada@example\.com, \*@example\.org$/m)
})
