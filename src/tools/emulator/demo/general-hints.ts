import { join, relative } from 'node:path'
import type { SeedAccount } from '../seed/seed.ts'
import type { DemoHint } from './demo-feature.ts'

interface DemoAddresses {
  readonly pageUrl: string
  readonly safariUrl: string
  /** Without a slash at the end. */
  readonly loginUrl: string
  readonly folder: string
  readonly viewers: readonly SeedAccount[]
}

/** Returns the file with all settings of the login app and its command line, for a shell. */
export function settingsFileIn(folder: string): string {
  return join(folder, 'settings.env')
}

/** Returns what to try without a feature. */
export function generalHints({ pageUrl, safariUrl, loginUrl, folder, viewers }: DemoAddresses): DemoHint[] {
  const channel = new URL(pageUrl).pathname.split('/').at(-1)
  return [
    {
      title: 'Safari',
      text: 'Safari does not find page.localhost, and keeps no session over http. Type the password again when a response expires.',
      page: safariUrl,
    },
    {
      title: 'Without a brand',
      text: 'The same login app without the name, the logo and the colour of a customer.',
      page: `${loginUrl}/e/plain`,
    },
    {
      title: 'Command line',
      text: 'Open another terminal in the folder of the project. The first line loads the settings of the demo, which all commands need.',
      commands: [
        `set -a; . ${relative('.', settingsFileIn(folder))}; set +a`,
        `npm run -s viewer-auth -- lock set --channel ${channel}`,
        `npm run -s viewer-auth -- doctor --channel ${channel} --lock-unchanged --viewer ${viewers[0]?.username} --page ${pageUrl}`,
        `npm run -s viewer-auth -- report views --last 28d --html ${relative('.', join(folder, 'views.html'))}`,
      ],
    },
  ]
}
