import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { makeCertificate } from '../servers/certificate.ts'
import { freePort } from '../servers/free-port.ts'
import { isOpen } from '../servers/is-open.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { HOST, type VisitOptions, visitWithTls } from './visits.ts'

const FOLDER = fileURLToPath(new URL('../../.github/deploy', import.meta.url))
const START_MS = 60_000

/** A proxy whose configuration is in .github/deploy. */
export interface ProxyProgram {
  readonly path: string
  readonly file: string
  /** Makes a configuration with ports and paths of this test, in its folder. Returns the arguments that name it. */
  readonly configure: (text: string, places: Places) => readonly string[]
  readonly checkArguments: readonly string[]
  readonly runArguments: readonly string[]
}

interface Places {
  readonly folder: string
  readonly appPort: number
  readonly port: number
  readonly plainPort: number
}

/** The main file of nginx, for one process that this test ends. */
function mainFileOf({ folder }: Places, file: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/logs/main.log;
    events { worker_connections 256; }
    http { access_log ${folder}/logs/main-access.log; ${temporary.join(' ')} include ${file}; }`
}

export const NGINX: ProxyProgram = {
  path: '/usr/sbin/nginx',
  file: 'nginx.conf',
  configure: (text, places) => {
    const { folder, appPort, port, plainPort } = places
    const site = join(folder, 'site.conf')
    const changed = text
      .replace('127.0.0.1:3000', `127.0.0.1:${appPort}`)
      .replaceAll(/listen \[::\].*/g, '')
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('listen 80', `listen 127.0.0.1:${plainPort}`)
      .replaceAll('/etc/letsencrypt/live/login.example.com', folder)
      .replaceAll('/var/log/nginx', join(folder, 'logs'))
    writeFileSync(site, changed)
    writeFileSync(join(folder, 'nginx.conf'), mainFileOf(places, site))
    return ['-e', join(folder, 'logs/main.log'), '-c', join(folder, 'nginx.conf')]
  },
  checkArguments: ['-t'],
  runArguments: [],
}

export const CADDY: ProxyProgram = {
  path: '/usr/bin/caddy',
  file: 'Caddyfile',
  configure: (text, { folder, appPort, port, plainPort }) => {
    const own = ['admin off', 'default_bind 127.0.0.1', `http_port ${plainPort}`, `https_port ${port}`].join('\n\t')
    const changed = text
      .replace('127.0.0.1:3000', `127.0.0.1:${appPort}`)
      .replace('{', `{\n\t${own}`)
      .replace(`${HOST} {`, `${HOST} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`)
    writeFileSync(join(folder, 'Caddyfile'), changed)
    return ['--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
  },
  checkArguments: ['validate'],
  runArguments: ['run'],
}

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>

/** The example as it is, or changed. Default: as it is. */
type Change = (text: string) => string

async function prepare(program: ProxyProgram, appPort: number, change: Change) {
  if (!existsSync(program.path)) throw new Error(`${program.path} is missing. npm test installs it on Debian, as root.`)
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'logs'))
  const { certificate, key } = await makeCertificate([`DNS:${HOST}`])
  writeFileSync(join(folder, 'fullchain.pem'), certificate)
  writeFileSync(join(folder, 'privkey.pem'), key)
  const [port, plainPort] = [await freePort(), await freePort()]
  const text = change(readFileSync(join(FOLDER, program.file), 'utf8'))
  const named = program.configure(text, { folder, appPort, port, plainPort })
  return { folder, port, plainPort, certificate, named, env: { PATH: '/usr/bin:/bin', HOME: folder } }
}

/** Runs the program's own check of its configuration. */
export async function checkConfiguration(program: ProxyProgram, change: Change = (text) => text) {
  const { named, env } = await prepare(program, 3000, change)
  const { status, stdout, stderr } = spawnSync(program.path, [...program.checkArguments, ...named], {
    env,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

/** Starts a proxy with its example, in front of a port of 127.0.0.1. It ends with the test. */
export async function startProxy(program: ProxyProgram, appPort: number) {
  const { folder, port, plainPort, certificate, named, env } = await prepare(program, appPort, (text) => text)
  const child = spawn(program.path, [...program.runArguments, ...named], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  /** Everything that the program wrote. */
  const logs = () =>
    readdirSync(join(folder, 'logs')).reduce((all, name) => all + readFileSync(join(folder, 'logs', name)), output)
  const deadlineMs = performance.now() + START_MS
  while (!((await isOpen(port)) && (await isOpen(plainPort)))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) throw new Error(`It did not start: ${logs()}`)
    await sleep(50)
  }
  const visit = (path: string, options: VisitOptions = {}) => visitWithTls(port, certificate, path, options)
  return { plainPort, logs, visit }
}
