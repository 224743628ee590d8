import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ADMITTED_OPTIONS } from '../login/admitted.ts'
import { freePort } from '../servers/free-port.ts'
import { execForm, isIgnored, parseDockerfile, restsOf, type Stage } from './dockerfile.ts'

/**
 * Follows the instructions of the Dockerfile without a container engine: production install, files, compiled code, user,
 * health check, command and stop.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const IGNORE = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
const [dependencies, image] = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) as [Stage, Stage]
const COMMAND = execForm(restsOf(image, 'CMD').join())
const HEALTH_CHECK = execForm(
  restsOf(image, 'HEALTHCHECK')
    .join()
    .replace(/^.*?CMD /, ''),
)
const SECRET = randomBytes(32).toString('hex')
const PASSWORD = 'correct horse battery staple'
const isRoot = process.getuid?.() === 0
const [uid = 0, gid = 0] = restsOf(image, 'USER').join().split(':').map(Number)
/** The user of the image if the tests run as root, else the current user. */
const UNPRIVILEGED = isRoot ? { uid, gid } : {}

let scratch: string
let app: string

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'container-'))
  chmodSync(scratch, 0o755)
  app = join(scratch, 'app')
  mkdirSync(app)
  for (const rest of restsOf(dependencies, 'COPY')) copy(rest)
  runAll(dependencies, builderEnvironment())
  rmSync(join(app, 'package-lock.json'))
  for (const rest of restsOf(image, 'COPY')) if (!rest.startsWith('--from=')) copy(rest)
  mkdirSync(join(scratch, 'bin'))
  cpSync(process.execPath, join(scratch, 'bin/node'))
  if (!isRoot) replaceCommandsOfRoot()
  runAll(image, imageEnvironment())
  spawnSync('chmod', ['-R', 'a=rX', app])
  chmodSync(join(app, 'data'), 0o700)
})

afterAll(() => {
  spawnSync('chmod', ['-R', 'u+w', scratch])
  rmSync(scratch, { recursive: true })
})

/** Runs the RUN instructions of a stage. */
function runAll(stage: Stage, env: NodeJS.ProcessEnv): void {
  for (const command of restsOf(stage, 'RUN')) {
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: app, encoding: 'utf8', env })
    if (status !== 0) throw new Error(`${command} failed:\n${stderr}`)
  }
}

/** Only root can change the owner or the user. All files then belong to the current user. */
function replaceCommandsOfRoot(): void {
  const script = (name: string, text: string) =>
    writeFileSync(join(scratch, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  script('chown', 'exit 0')
  script('setpriv', 'until [ "$1" = node ]; do shift; done; exec "$@"')
}

/** Follows an instruction such as `COPY package.json package-lock.json ./`. */
function copy(rest: string): void {
  const paths = rest.split(/\s+/)
  const target = paths.pop() ?? ''
  for (const path of paths) {
    const to = paths.length > 1 || target === './' ? join(app, target, basename(path)) : join(app, target)
    cpSync(join(ROOT, path), to, { recursive: true, filter: (file) => !isIgnored(IGNORE, relative(ROOT, file)) })
  }
}

/** Leaves out variables of npm and the test runner, because they would change the install of the image. */
function builderEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_ENV')
  return { ...Object.fromEntries(own), NPM_CONFIG_PREFER_OFFLINE: 'true' }
}

const SETTINGS = {
  PUBLIC_URL: 'http://localhost:3000',
  PORT: '0',
  HOST: '127.0.0.1',
  HASH_SECRET: SECRET,
  SESSION_SECRET: randomBytes(32).toString('hex'),
  PLAYER_RETURN_URL: 'http://127.0.0.1:4000/embed/hashlock/pass',
  PLAYER_ORIGINS: 'http://127.0.0.1:4000',
  SHUTDOWN_DELAY_SECONDS: '0',
}

/** Returns the variables that the Dockerfile sets. */
function imageEnvironment(): Record<string, string> {
  const environment: Record<string, string> = { PATH: `${join(scratch, 'bin')}:/usr/bin:/bin` }
  for (const [, name = '', value = ''] of restsOf(image, 'ENV')
    .join(' ')
    .matchAll(/(\w+)=(\S+)/g)) {
    environment[name] = value
  }
  return environment
}

function start([program = '', ...args]: string[], settings: Record<string, string> = SETTINGS): ChildProcess {
  return spawn(program, args, {
    cwd: app,
    env: { ...settings, ...imageEnvironment() },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...UNPRIVILEGED,
  })
}

async function run(command: string[], input = '', settings: Record<string, string> = SETTINGS) {
  const child = start(command, settings)
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)))
  child.stdin?.end(input)
  const [code] = await once(child, 'close')
  return { code, output: output.join('') }
}

describe('the image', () => {
  test('both stages of the image have the full Node version of the tests', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect([dependencies.base, image.base]).toEqual(Array(2).fill(`node:${devDependencies.node}-bookworm-slim`))
    expect(process.versions.node).toBe(devDependencies.node)
  })

  test('the image runs as a numeric user that is not root', () => {
    expect(restsOf(image, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)])
  })

  test('the image contains no tests, emulator, settings or development dependencies', () => {
    for (const path of [
      'test',
      '.env',
      '.git',
      'src/tools/emulator',
      'node_modules/vitest',
      'node_modules/typescript',
    ]) {
      expect(globSync(path, { cwd: app }), path).toEqual([])
    }
  })

  test('the image adds a viewer, signs the viewer in on a read-only tree, and stops with status 0', async () => {
    const add = ['viewers', 'add', 'ada@example.com', ...ADMITTED_OPTIONS]
    const added = await run(['node', 'src/tools/cli/main.ts', ...add], PASSWORD)
    expect(added.code, added.output).toBe(0)
    const listed = await run(['node', 'src/tools/cli/main.ts', 'viewers', 'list'])
    expect(listed).toEqual({ code: 0, output: expect.stringContaining('ada@example.com') })

    const program = start(COMMAND)
    program.stderr?.pipe(process.stderr)
    const ended = once(program, 'exit')
    try {
      const port = await portOf(program)
      expect((await run(HEALTH_CHECK, '', { ...SETTINGS, PORT: String(port) })).code).toBe(0)
      const ready = await fetch(`http://127.0.0.1:${port}/health/ready`)
      expect(ready.status).toBe(200)
      await expectSignIn(port)
    } finally {
      program.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
    expect(globSync('*', { cwd: join(app, 'data') })).toContain('viewers.db')
  })

  test('the image and its health check read a file .env beside package.json', async () => {
    const port = await freePort()
    const settings = {
      ...SETTINGS,
      PORT: String(port),
      PLAYER_ORIGINS: 'http://127.0.0.1:4000,\nhttp://localhost:4000',
    }
    const file = join(app, '.env')
    chmodSync(app, 0o755)
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
    )
    const program = start(COMMAND, {})
    const faults: string[] = []
    program.stderr?.on('data', (chunk) => faults.push(String(chunk)))
    const ended = once(program, 'exit')
    try {
      expect(await portOf(program).catch(() => faults.join(''))).toBe(port)
      expect((await run(HEALTH_CHECK, '', {})).code).toBe(0)
    } finally {
      program.kill('SIGTERM')
      rmSync(file)
      chmodSync(app, 0o555)
    }
    expect(await ended).toEqual([0, null])
  })

  test('the image starts with compiled code of every file, and its user cannot change this code', async () => {
    const program = start(COMMAND, { ...SETTINGS, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
    const trace = text(program.stderr ?? expect.unreachable())
    try {
      await portOf(program)
    } finally {
      program.kill('SIGTERM')
    }
    const lines = (await trace).split('\n')
    expect(lines.filter((line) => line.includes(' was accepted')).length).toBeGreaterThan(300)
    expect(lines.filter((line) => / was rejected|no such file/.test(line))).toEqual([])
    const folder = 'node_modules/.cache/compiled'
    const written = await run(['node', '-e', `require('node:fs').writeFileSync('${folder}/x', '')`])
    expect(written).toEqual({ code: 1, output: expect.stringContaining('EACCES') })
  })

  test.each(['.', 'src', 'views', 'public'])('the image cannot write to %s', async (folder) => {
    const written = await run(['node', '-e', `require('node:fs').writeFileSync('${folder}/x', '')`])
    expect(written).toEqual({ code: 1, output: expect.stringContaining('EACCES') })
  })

  test('the image is unhealthy when the port is closed', async () => {
    expect((await run(HEALTH_CHECK, '', { PORT: '1' })).code).toBe(1)
  })
})

const Started = z.object({ event: z.literal('started'), port: z.number() })

async function portOf(program: ChildProcess): Promise<number> {
  if (!program.stdout) throw new Error('The program has no output')
  const lines = createInterface(program.stdout)
  for await (const line of lines) {
    const started = Started.safeParse(JSON.parse(line))
    if (!started.success) continue
    program.stdout.resume()
    return started.data.port
  }
  throw new Error('The program ended before it listened')
}

/** Signs in, and checks the hash as the specification says, without code of the app. */
async function expectSignIn(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'ada@example.com', password: PASSWORD }),
    redirect: 'manual',
  })
  expect(response.status).toBe(303)
  const hash = new URL(response.headers.get('location') ?? '').searchParams.get('hash') ?? ''
  const values = Object.fromEntries(JSON.parse(hash).map((pair: object) => Object.entries(pair)[0]))
  const signed = `${values.user}|${values.hashExpire}|${SECRET}`
  expect(values).toMatchObject({ user: 'ada@example.com', hash: createHash('md5').update(signed).digest('hex') })
}
