import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withSessionFile } from '../../../../../../src/sessions/session-file.ts'
import { ADMITTED_OPTIONS } from '../../../../../login/admitted.ts'
import { programSettings } from '../../../../../login/login-program.ts'
import { startLoginProgram } from '../../../../../login/start-program.ts'
import { temporaryFolder } from '../../../../../users/temporary-folder.ts'
import { runHere } from '../../../../cli/run-here.ts'
import { oneScreen } from '../../../screen-limit/drill/one-screen.ts'

/** What the event has besides doors. */
// biome-ignore format: one item a line
const FURTHER_SETTINGS: readonly object[] = [
  { waitingRoom: 'on' },
  oneScreen,
]

/** Starts an app with an event in a year, and returns a command that rehearses the event in 10 s. */
async function startEvent() {
  const { HASH_SECRET, PLAYER_RETURN_URL, PLAYER_ORIGINS, ...settings } = programSettings()
  const folder = temporaryFolder()
  const file = join(folder, 'entry-points.json')
  const entryPoint = { secret: HASH_SECRET, playerReturnUrl: PLAYER_RETURN_URL, playerOrigins: [PLAYER_ORIGINS] }
  const year = new Date().getUTCFullYear() + 1
  const event = Object.assign(
    { name: 'gold', ...entryPoint, opensAt: `${year}-11-27T20:00+01:00` },
    ...FURTHER_SETTINGS,
  )
  const text = `[${JSON.stringify(event)}]`
  writeFileSync(file, text)
  const env = { ...settings, ENTRY_POINTS_FILE: file }
  const { port, output } = await startLoginProgram(env)
  const args = ['drill', '--evening', '--json', '--count', '8', '--over', '10s', ...ADMITTED_OPTIONS]
  const readDoors = () => readFileSync(file, 'utf8')
  const run = (more: readonly string[], interrupted?: Promise<unknown>) =>
    runHere([...args, ...more], {
      cwd: folder,
      env: { ...env, PUBLIC_URL: `http://localhost:${port}` },
      ...(interrupted && { interrupted }),
    })
  const sessions = settings.SESSION_STORE_URL?.replace('sqlite:', '') ?? ''
  return { text, readDoors, run, output, sessions, page: join(folder, 'evening.html') }
}

test('an evening of early viewers passes, and the doors are then as before, also after Ctrl-C', async () => {
  const { text, readDoors, run, output, sessions, page } = await startEvent()
  const refused = await run([])
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('Use --yes to proceed')
  const untilMoved = async () => {
    while (readDoors() === text) await sleep(20)
  }
  const moved = untilMoved()
  const stopped = await run(['--yes'], moved)
  expect(stopped).toMatchObject({ status: 1, stdout: '' })
  expect(stopped.stderr).toContain('The doors are as before.')
  await moved
  expect(readDoors()).toBe(text)

  const ended = await run(['--yes', '--html', page])
  const { checks, marks } = JSON.parse(ended.stdout)
  // A busy machine makes the crowd late: that check has its own test, without a clock.
  const failed = checks.filter(({ isMet, name }: { isMet: boolean; name: string }) => !isMet && name !== 'generator')
  expect(failed).toEqual([])
  expect(marks.map(({ words }: { words: string }) => words)).toEqual([
    'start moved',
    'first start',
    'doors open',
    'end',
  ])
  expect(readFileSync(page, 'utf8')).toContain('doors open')
  expect(readDoors()).toBe(text)
  const count = () => withSessionFile(sessions, -1, (file) => file.prepare('SELECT id FROM sessions').all().length)
  expect(count()).toBe(0)
  // Viewers who came early waited on a page: they did not sign in again.
  expect(output().split('"outcome":"waiting"').length - 1).toBe(6)
})
