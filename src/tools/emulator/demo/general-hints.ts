import { relative } from 'node:path'
import type { DemoHint } from './demo-feature.ts'

/** Returns what to try without a feature. @param loginUrl without a slash at the end. */
export function generalHints(safariUrl: string, loginUrl: string, settingsFile: string): DemoHint[] {
  return [
    {
      title: 'Safari',
      text: 'Safari does not find page.localhost, and keeps no session over http. Type the password again when a response expires.',
      page: safariUrl,
    },
    {
      title: 'Without a brand',
      text: 'The same login app without the name, the logo and the color of a customer.',
      page: `${loginUrl}/e/plain`,
    },
    {
      title: 'Command line',
      text: 'Open another terminal in the folder of the project. This line loads the settings of the demo, which all commands need.',
      commands: [`set -a; . ${relative('.', settingsFile)}; set +a`],
    },
  ]
}
