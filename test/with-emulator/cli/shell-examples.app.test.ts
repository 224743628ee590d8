import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compileCache } from '../../compile-cache.ts'
import { SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { emulatorOfTest, environmentFor } from '../video-service/client.ts'

/** Runs the shell examples of the pages, each in a folder of its own, against the emulator. */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CLI = `'${process.execPath}' src/tools/cli/main.ts`
const PASSWORD = 'correct horse battery staple'

interface Example {
  readonly page: string
  /** A text of the example. */
  readonly has: string
  /** Commands of a shell that make what the example needs. */
  readonly before?: string
  /** Null for none: the example makes them. */
  readonly settings?: Readonly<Record<string, string>> | null
  /** The lines to leave out: they need a container or a terminal, or never end. */
  readonly without?: RegExp
  /** True if each line is a choice of its own. */
  readonly isChoice?: true
  /** The files that it leaves. */
  readonly leaves?: readonly string[]
}

const ADA = `printf %s '${PASSWORD}' | ${CLI} viewers add ada@example.com`
const IN_GROUP = `printf %s '${PASSWORD}' | ${CLI} viewers add bob@example.com --group tonight`
const TOKEN = {
  VIEWER_AUTH: 'token',
  CONTENT_KEY_FILE: 'content-key.pem',
  SERVICE_VIEWER_KEY_URL: 'https://api.example/viewer-auth-public-key.json',
  REF_ADDRESSES: SETTINGS.PLAYER_RETURN_URL,
  HASH_SECRET: '',
  PLAYER_RETURN_URL: '',
}
const SIGN_IN = { time: '2026-11-20T12:00:00.000Z', level: 30, event: 'sign-in', outcome: 'signed-in' }

// biome-ignore format: one item a line
const EXAMPLES: readonly Example[] = [
  { page: '.github/UPDATE.md', has: '/srv/backup', before: `mkdir -p srv/backup; ${ADA}`, leaves: ['srv/backup/2026-11-20/viewers.db'] },
  { page: '.github/UPDATE.md', has: 'docker cp', before: ADA, leaves: ['backup/viewers.db'] },
  { page: '.github/deploy/README.md', has: 'mkdir -p secrets', leaves: ['secrets/hash-secret', 'secrets/hash-secret-previous'] },
  { page: '.github/deploy/compose.md', has: 'secrets/login/content-key.pem', before: 'mkdir -p secrets/login', without: /docker|sudo|lock set/, leaves: ['.env'] },
  { page: '.github/deploy/lock-a-channel.md', has: 'secret generate', without: /npm ci/ },
  { page: '.github/deploy/lock-a-channel.md', has: 'install -m 600', leaves: ['.env'] },
  { page: '.github/deploy/lock-a-channel.md', has: 'config check', before: ADA },
  { page: '.github/deploy/lock-a-channel.md', has: 'viewers add' },
  { page: '.github/deploy/lock-a-channel.md', has: 'lock set' },
  { page: 'src/brand/README.md', has: 'brand preview', leaves: ['screens.html'] },
  { page: 'src/features/access-codes/README.md', has: 'codes create', settings: { ACCESS_CODES: 'on', ACCESS_CODE_KEY: SETTINGS.SESSION_SECRET }, before: 'printf "name\\nAda\\n" > press.csv', leaves: ['gala.html', 'press-codes.csv'] },
  { page: 'src/features/account-end/README.md', has: 'viewers set-end', before: IN_GROUP },
  { page: 'src/features/token/viewer-token/README.md', has: 'openssl', isChoice: true, before: 'rm -f content-key.pem', leaves: ['content-key.pem'] },
  { page: 'src/sign-in-limits/README.md', has: 'viewers unlock' },
  { page: 'src/tools/cli/README.md', has: 'viewers list' },
  { page: 'src/tools/cli/README.md', has: '$PASSWORD' },
  { page: 'src/tools/cli/README.md', has: 'report views', leaves: ['views.csv'] },
  { page: 'src/tools/cli/audit/README.md', has: 'audit export', before: `echo '${JSON.stringify(SIGN_IN)}' > sign-in.log`, settings: { SECURITY_LOG_FILE: 'sign-in.log' }, leaves: ['sign-ins.csv'] },
  { page: 'src/tools/cli/import/README.md', has: '--check', before: 'echo username,password_hash > users.csv' },
  { page: 'src/tools/cli/import/README.md', has: '--ignore id', before: 'echo email,hash,id > users.csv' },
  { page: 'src/tools/cli/import/README.md', has: 'viewers export', before: ADA, leaves: ['viewers.jsonl'] },
  { page: 'src/tools/cli/report/attendance/README.md', has: 'report attendance', before: ADA },
  { page: 'src/tools/cli/service/README.md', has: 'secret.txt', before: `${CLI} secret generate > secret.txt` },
  { page: 'src/tools/cli/service/README.md', has: '--key-pair', settings: TOKEN, leaves: ['content-key.pem'] },
  { page: 'src/tools/cli/viewers/who-is-in/README.md', has: 'sessions list', leaves: ['sessions.json'] },
  { page: 'src/tools/emulator/README.md', has: 'answers.env', settings: null, without: /npm start/, leaves: ['.env'] },
  { page: 'src/tools/manager/README.md', has: 'managers add', without: /npm run manager/ },
  { page: 'src/users/sqlite/README.md', has: 'viewers add' },
]

const OTHER_TEST = 'other tests do the same'
const SERVERS = 'needs servers or the network'
const RUNNING = 'needs an app that runs'
const TERMINAL = 'needs a terminal or a browser'
const SETTING = 'is a setting'

/** The other examples of a shell, and why they do not run here. */
const NOT_RUN: readonly (readonly [page: string, has: string, why: string])[] = [
  ['.github/CONTRIBUTING.md', 'npm run demo', OTHER_TEST],
  ['.github/FORKING.md', 'npm run slim', OTHER_TEST],
  ['.github/FORKING.md', 'git merge', OTHER_TEST],
  ['.github/deploy/README.md', 'kubectl create secret generic viewer-auth ', SERVERS],
  ['.github/deploy/README.md', 'kubectl apply -f kubernetes-one-copy.yaml', SERVERS],
  ['.github/deploy/README.md', 'doctor', RUNNING],
  ['.github/deploy/README.md', 'migrate-job.yaml', SERVERS],
  ['.github/deploy/README.md', 'useradd', OTHER_TEST],
  ['.github/deploy/compose.md', 'umask 022', OTHER_TEST],
  ['.github/deploy/compose.md', 'LDAP_SEARCH_BASE', SERVERS],
  ['.github/deploy/compose.md', 'managers add', SERVERS],
  ['.github/deploy/lock-a-channel.md', 'docker build', SERVERS],
  ['.github/deploy/lock-a-channel.md', 'docker run', SERVERS],
  ['.github/deploy/lock-a-channel.md', 'doctor', RUNNING],
  ['.github/deploy/proxy.md', 'nginx', SERVERS],
  ['.github/deploy/proxy.md', 'caddy', SERVERS],
  ['README.md', 'npm run demo', OTHER_TEST],
  ['src/brand/README.md', 'BRAND_TITLE', SETTING],
  ['src/features/account/README.md', '--invite', SERVERS],
  ['src/features/doors/README.md', 'doors --entry-point', OTHER_TEST],
  ['src/features/entry-points-file/README.md', 'lock set', OTHER_TEST],
  ['src/features/secret-files/README.md', 'lock set --rotate', OTHER_TEST],
  ['src/redis/README.md', 'rediss-cluster', SETTING],
  ['src/tools/cli/doctor/README.md', 'doctor', RUNNING],
  ['src/tools/cli/drill/README.md', 'DRILL_URLS', RUNNING],
  ['src/tools/cli/drill/README.md', '--evening', RUNNING],
  ['src/tools/cli/import/README.md', 'viewers migrate', SERVERS],
  ['src/tools/cli/import/README.md', 'firebase', SERVERS],
  ['src/tools/cli/service/README.md', '--grant password', TERMINAL],
  ['src/tools/cli/service/README.md', 'SERVICE_ACCESS_TOKEN', TERMINAL],
  ['src/tools/cli/service/README.md', 'SERVICE_LOGIN_FILE', TERMINAL],
  ['src/tools/cli/setup/README.md', 'npm run setup', TERMINAL],
  ['src/tools/emulator/README.md', 'npm run emulator', OTHER_TEST],
  ['src/tools/emulator/README.md', 'HASH_SECRET', OTHER_TEST],
  ['src/tools/emulator/README.md', 'channel create', OTHER_TEST],
  ['src/tools/emulator/README.md', 'doctor', OTHER_TEST],
  ['src/tools/emulator/README.md', 'report views', OTHER_TEST],
  ['src/tools/emulator/seed/README.md', '--seed', OTHER_TEST],
  ['src/tools/emulator/sso/README.md', 'EMULATOR_PROVIDER_PORT', OTHER_TEST],
  ['src/tools/emulator/token/README.md', 'VIEWER_AUTH', SETTING],
  ['src/users/http/README.md', 'store check', SERVERS],
  ['src/users/http/README.md', 'curl', SERVERS],
  ['src/users/ldap/README.md', 'LDAP_ATTRIBUTES', SETTING],
  ['src/users/postgres/README.md', 'pg_dump', SERVERS],
  ['src/users/postgres/README.md', 'pg_restore', SERVERS],
]

const isSlim = 'slim' in JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const blocksOf = (page: string) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```/gm)].flatMap(
    ([, kind, block = '']) => (kind === 'sh' ? block : []),
  )

/** Makes a folder that looks like a checkout. */
function checkout(): string {
  const folder = temporaryFolder()
  for (const path of ['src', 'views', 'public', 'node_modules', 'package.json', '.env.example'])
    symlinkSync(join(ROOT, path), join(folder, path))
  mkdirSync(join(folder, 'data'))
  return folder
}

/** Turns the commands of a person at a terminal into those for the folder: nothing is in a container, and npm is slow. */
const here = (commands: string, folder: string, url: string) =>
  commands
    .replaceAll(/docker (?:exec (?:-it )?viewer-auth|compose exec login-1) /g, '')
    .replaceAll('docker cp viewer-auth:/app/', 'cp -r ')
    .replaceAll('docker logs viewer-auth', 'cat sign-in.log')
    .replaceAll('npm run -s viewer-auth --', CLI)
    .replaceAll(/lock set(?!.* --yes)/g, 'lock set --yes')
    .replaceAll('npm run setup --', `${CLI} setup`)
    .replaceAll(':4000', `:${new URL(url).port}`)
    .replaceAll('/srv/', `${folder}/srv/`)

/** A slim fork has fewer examples. */
const isThere = ({ page, has }: Example) =>
  !isSlim || (existsSync(join(ROOT, page)) && blocksOf(page).some((one) => one.includes(has)))

test('each example of a shell runs, or a table says why not', () => {
  if (isSlim) return
  const named = [...EXAMPLES.map(({ page, has }) => [page, has]), ...NOT_RUN]
  const pages = globSync('{*.md,.github/**/*.md,{src,test,views}/**/*.md}', { cwd: ROOT })
  const unnamed = pages.flatMap((page) =>
    blocksOf(page)
      .filter((block) => !named.some(([path, has = '']) => path === page && block.includes(has)))
      .map((block) => `${page}: ${block}`),
  )
  expect(unnamed).toEqual([])
  const isGone = ([page = '', has = '']: readonly string[]) => !blocksOf(page).some((block) => block.includes(has))
  expect(named.filter(isGone)).toEqual([])
})

test.each(EXAMPLES.filter(isThere))(
  'the example of $page with "$has" does its work',
  async ({ page, has, before = '', settings = {}, without = /^$/, isChoice = false, leaves = [] }) => {
    const block = blocksOf(page).find((one) => one.includes(has)) ?? expect.unreachable('there is no such example')
    const emulator = await emulatorOfTest(100)
    const folder = checkout()
    const lines = block.split('\n').filter((line) => !without.test(line))
    const scripts = isChoice ? lines.filter(Boolean) : [lines.join('\n')]
    for (const script of scripts) {
      const run = here(`${before}\n${script}`, folder, emulator.url)
      const { PATH = '', HOME = '' } = process.env
      const env = {
        ...compileCache,
        PATH,
        HOME,
        PASSWORD,
        ...(settings && { ...SETTINGS, ...environmentFor(emulator), ...settings }),
      }
      const [status, output] = await new Promise<[unknown, string]>((resolve) => {
        const child = execFile(
          'bash',
          ['--norc', '-euo', 'pipefail', '-c', run],
          { cwd: folder, env },
          (error, stdout, stderr) => resolve([error?.code ?? 0, stdout + stderr]),
        )
        child.stdin?.end(PASSWORD)
      })
      expect([status, output]).toEqual([0, output])
    }
    for (const path of leaves) expect([path, existsSync(join(folder, path))]).toEqual([path, true])
  },
)
