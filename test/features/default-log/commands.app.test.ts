import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../../tools/cli/run-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const line = (day: number, outcome: string) =>
  `${JSON.stringify({ level: 30, time: `2026-11-0${day}T18:00:00.000Z`, category: 'security', event: 'sign-in', outcome, viewer: 'ada', address: '192.0.2.1', entryPoint: 'default' })}\n`
const EXPORT = ['audit', 'export', '--json']
const outcomesIn = (json: string) => (JSON.parse(json) as { outcome: string }[]).map(({ outcome }) => outcome)

test('audit export and viewers show read the log of the app and its renamed files', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'data'))
  const files = [
    ['security.log.2026-11-01T180000.123-482913', line(1, 'signed-in')],
    ['security.log.2026-11-02T180000.123-123456', line(2, 'wrong-credentials')],
    ['security.log', line(3, 'held-back')],
  ] as const
  for (const [index, [name, text]] of files.entries()) {
    writeFileSync(join(cwd, 'data', name), text)
    utimesSync(join(cwd, 'data', name), index + 1, index + 1)
  }
  const { stdout } = await runProgram(EXPORT, { cwd })
  expect(outcomesIn(stdout)).toEqual(['signed-in', 'wrong-credentials', 'held-back'])
  const shown = await runProgram(['viewers', 'show', 'ada', '--json'], { cwd })
  expect(JSON.parse(shown.stdout)).toMatchObject({
    lastSignIn: { outcome: 'signed-in' },
    lastRefusal: { outcome: 'held-back' },
  })
})

test('commands say that the app has no log yet', async () => {
  const cwd = temporaryFolder()
  const missing = 'SECURITY_LOG_FILE is not set, and there is no data/security.log'
  expect(await runProgram(EXPORT, { cwd })).toMatchObject({ status: 1, stderr: expect.stringContaining(missing) })
})
