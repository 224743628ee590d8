import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import type { DrillEnded } from './plain-app.ts'

/** Drills a way in at an app of this process, within 0.3 s. `settings` are those of the app. */
export async function drillGuests(
  { wayIn, url, settings }: { wayIn: string; url: string; settings: Readonly<Record<string, string>> },
  args: readonly string[] = [],
) {
  const env = { ...SETTINGS, HASH_SECRET: ENTRY_POINT.secret, PUBLIC_URL: new URL(url).origin, ...settings }
  const command = ['drill', '--json', '--way-in', wayIn, '--url', url, '--over', '0.3s', '--count', '8', ...args]
  const ended = await runHere(command, { cwd: temporaryFolder(), env })
  const data = (ended.stdout === '' ? { checks: [], causes: [] } : JSON.parse(ended.stdout)) as DrillEnded['data']
  // A busy machine makes the crowd late.
  const failed = data.checks.filter(({ isMet, name }) => !isMet && name !== 'generator').map(({ name }) => name)
  return { ...ended, data, failed }
}
