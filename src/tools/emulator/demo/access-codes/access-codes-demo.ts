import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { z } from 'zod'
import type { MakeDemoFeature } from '../demo-feature.ts'
import { runCommand } from '../login-app.ts'

const NAME = 'codes'
const CREATE = ['codes', 'create', '--entry-point', NAME, '--label', 'DEMO', '--shared', '--code', 'DEMO', '--json']

/** The code is null until it was created. */
const Kept = z.object({ key: z.string(), code: z.string().nullable() })
const Created = z.object({ codes: z.tuple([z.object({ code: z.string() })]) })

/** An entry point with access codes, and no password. */
export const accessCodesDemo: MakeDemoFeature = (loginUrl) => {
  const lock = { url: `${loginUrl}/e/${NAME}`, secret: randomBytes(20).toString('hex') }
  const channel = { id: '1500', title: 'Open evening', lock }
  let file = ''
  let kept: z.infer<typeof Kept> = { key: randomBytes(32).toString('hex'), code: null }
  return {
    channel,
    programSettings(folder) {
      file = join(folder, 'access-codes.json')
      if (existsSync(file)) kept = Kept.parse(JSON.parse(readFileSync(file, 'utf8')))
      if (!existsSync(join(folder, 'guests.db'))) kept.code = null
      return Promise.resolve({})
    },
    entryPoint: (_emulator, { hash, brand }) => ({
      ...{ name: NAME, secret: lock.secret, ...hash, ...brand },
      ...{ accessCodes: 'on', accessCodeName: 'optional', accessCodeKey: kept.key },
      passwordForm: 'off',
    }),
    async start(environment) {
      kept.code ??= Created.parse(JSON.parse(await runCommand(CREATE, environment, ''))).codes[0].code
      writeFileSync(file, JSON.stringify(kept), { mode: 0o600 })
      return { stop: () => Promise.resolve() }
    },
    accounts: () => [{ username: `Access code for ${channel.title}`, password: kept.code ?? '' }],
    introduction: ({ pageOrigin }) => [
      'A guest without an account opens this page, and types this access code:',
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channel.id}`)}   ${styleText('bold', kept.code ?? '')}`,
      'To make more codes, with the command line as below, and a page to print:',
      `  npm run -s viewer-auth -- codes create --entry-point ${NAME} --label GALA --count 10 --html data/gala.html`,
    ],
  }
}
