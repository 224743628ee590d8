import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../users/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The pages with an example, and what the example takes from the file in which it stands. */
const PAGES: Readonly<Record<string, string>> = {
  'src/login/README.md': [
    "import { decideAccess } from './src/login/access-policy.ts'\n",
    "import type { AccessPolicy } from './src/login/answer/access-decision.ts'\n",
  ].join(''),
  'src/tools/video-service/token/README.md': '',
  'src/tools/emulator/sso/README.md': [
    "import { startProvider } from './src/tools/emulator/sso/start-provider.ts'\n",
    "const [clientId, secret, redirectUris] = ['login', 'a secret', ['http://localhost/sso/callback']] as const\n",
    'export { issuer, close }\n',
  ].join(''),
}
/** Other tests build these: `own-feature.app.test.ts` and `json-store.test.ts`. */
const BUILT = ['.github/FORKING.md', 'src/users/README.md']

const exampleOf = (page: string) => /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, page), 'utf8'))?.[1] ?? ''

test('the TypeScript examples of all pages compile', async () => {
  const folder = temporaryFolder()
  for (const path of ['src', 'views', 'node_modules', 'package.json']) symlinkSync(join(ROOT, path), join(folder, path))
  const pages = Object.keys(PAGES).filter((page) => existsSync(join(ROOT, page)))
  const files = pages.map((_page, index) => `example-${index}.ts`)
  for (const [index, page] of pages.entries())
    writeFileSync(join(folder, `example-${index}.ts`), `${PAGES[page]}\n${exampleOf(page)}`)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: [...files, 'src/**/*.d.ts'] }),
  )
  const output = await new Promise((resolve) => {
    execFile(join(ROOT, 'node_modules/.bin/tsc'), ['--project', folder], { cwd: ROOT }, (_error, stdout) =>
      resolve(stdout),
    )
  })
  expect(output).toBe('')
})

test('each page with an example is built by a test', async () => {
  const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
    execFile('git', ['grep', '-l', '^ *```ts$', '--', '*.md'], { cwd: ROOT }, (_error, out) => resolve({ stdout: out }))
  })
  const pages = stdout.split('\n').filter((page) => page !== '')
  expect(pages.filter((page) => !(page in PAGES || BUILT.includes(page)))).toEqual([])
})
