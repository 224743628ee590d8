import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { channelPage, channelWithLock, type MakeDemoFeature } from '../demo-feature.ts'
import { keptIn } from '../demo-secrets.ts'
import { runCommand } from '../login-app.ts'

const EVENT = { name: 'codes', id: '1500', title: 'Open evening' }
const CREATE = `codes create --entry-point ${EVENT.name} --label DEMO --shared --code DEMO --json`.split(' ')

/** The code is null until it was created. */
const Kept = z.object({ key: z.string(), code: z.string().nullable() })
const Created = z.object({ codes: z.tuple([z.object({ code: z.string() })]) })

/** An entry point with access codes, and no password. */
export const demo: MakeDemoFeature = (loginUrl) => {
  let file = ''
  let kept: z.infer<typeof Kept> = { key: '', code: null }
  return {
    order: 5,
    ...channelWithLock(loginUrl, EVENT, () => ({
      accessCodes: 'on',
      accessCodeName: 'optional',
      accessCodeKey: kept.key,
      passwordForm: 'off',
    })),
    programSettings(folder) {
      file = join(folder, 'access-codes.json')
      kept = keptIn(file, Kept, () => ({ key: randomBytes(32).toString('hex'), code: null }))
      if (!existsSync(join(folder, 'guests.db'))) kept.code = null
      return Promise.resolve({})
    },
    async start(environment) {
      kept.code ??= Created.parse(JSON.parse(await runCommand(CREATE, environment, ''))).codes[0].code
      writeFileSync(file, JSON.stringify(kept), { mode: 0o600 })
      return null
    },
    hint: (emulator) => ({
      title: 'Access code',
      text: 'A guest without an account types this access code.',
      page: channelPage(emulator, EVENT.id),
      typed: [kept.code ?? ''],
      commands: [
        '# Makes more codes, and a page to print',
        `npm run -s viewer-auth -- codes create --entry-point ${EVENT.name} --label GALA --count 10 --html data/gala.html`,
      ],
    }),
  }
}
