import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../../../src/config.ts'
import { programSettings } from '../../../../login/login-program.ts'
import { ADA, startLoginApp } from '../../../../login/start-login-app.ts'
import { freePort } from '../../../../servers/free-port.ts'
import { isOpen } from '../../../../servers/is-open.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runDoctor } from '../findings.ts'

const NGINX = '/usr/sbin/nginx'
const CACHE = 'proxy_cache pages; proxy_cache_valid 200 1m;'
const DEAF_CACHE = `${CACHE} proxy_ignore_headers Cache-Control Expires Set-Cookie;`

/** Starts nginx of Debian in front of an app, until the test ends. @param lines of its locations. */
async function startNginx(port: number, appPort: number, { all, wait }: { all: string; wait: string }): Promise<void> {
  if (!existsSync(NGINX)) throw new Error(`${NGINX} is missing. npm test installs it on Debian, as root.`)
  const folder = temporaryFolder()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const pass = `proxy_pass http://127.0.0.1:${appPort}; proxy_set_header X-Forwarded-For $remote_addr;`
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 64; }
    http { access_log off; ${temporary.join(' ')} proxy_cache_path ${folder}/cache keys_zone=pages:1m;
      server { listen 127.0.0.1:${port}; large_client_header_buffers 4 16k;
        location / { ${pass} ${all} } location = /wait { ${pass} ${wait} } } }`,
  )
  const child = spawn(NGINX, ['-e', join(folder, 'error.log'), '-c', file], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => isOpen(port)).toBe(true)
}

test.each([
  ['no cache', { all: '', wait: '' }, [], 'viewer-waits'],
  ['a cache that keeps to Cache-Control', { all: CACHE, wait: CACHE }, [], 'viewer-waits'],
  ['a cache of the waiting page', { all: '', wait: DEAF_CACHE }, ['waiting-page-cached'], undefined],
  ['a cache of each page', { all: DEAF_CACHE, wait: DEAF_CACHE }, ['screen-cached', 'waiting-page-cached'], undefined],
  ['a removed Refresh', { all: '', wait: 'proxy_hide_header Refresh;' }, ['waiting-refresh-removed'], undefined],
])('behind nginx with %s, the doctor sees what viewers get', async (_what, lines, failures, seen) => {
  const cwd = temporaryFolder()
  const port = await freePort()
  const OPENS_AT = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 16)}Z`
  const PUBLIC_URL = `http://localhost:${port}`
  const own = { PUBLIC_URL, OPENS_AT, WAITING_ROOM: 'on', TRUST_PROXY_HOPS: '1', VIEWER_PASSWORD: ADA.password }
  const env = { ...programSettings(cwd), ...own }
  const { entryPoints, features: featureSettings, trustProxyHops } = readConfig(env)
  const nowSeconds = () => Date.now() / 1000
  const app = await startLoginApp({ publicUrl: PUBLIC_URL, entryPoints, featureSettings, trustProxyHops, nowSeconds })
  await startNginx(port, app.port, lines)
  const { failure, ok } = await runDoctor(['--viewer', ADA.username], { cwd, env })
  expect(failure).toEqual(failures)
  expect(ok.find((code) => code === 'viewer-waits')).toBe(seen)
})
