import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'

/** What `npm test` needs besides npm packages: a Debian package, and a file (or glob) that shows that it is there. */
const NEEDED: readonly { packageName: string; file: string }[] = [
  { packageName: 'caddy', file: '/usr/bin/caddy' },
  { packageName: 'chromium', file: '/usr/bin/chromium' },
  // The database of glewlwyd, which would otherwise need a server. This package has no other file.
  { packageName: 'dbconfig-sqlite3', file: '/var/lib/dpkg/info/dbconfig-sqlite3.list' },
  { packageName: 'faketime', file: '/usr/lib/*/faketime/libfaketime.so.1' },
  { packageName: 'firefox-esr', file: '/usr/bin/firefox-esr' },
  { packageName: 'glewlwyd', file: '/usr/bin/glewlwyd' },
  { packageName: 'libnss3-tools', file: '/usr/bin/certutil' },
  { packageName: 'nginx', file: '/usr/sbin/nginx' },
  { packageName: 'openssl', file: '/usr/bin/openssl' },
  { packageName: 'postgresql', file: '/usr/lib/postgresql/*/bin/postgres' },
  { packageName: 'pgbouncer', file: '/usr/sbin/pgbouncer' },
  { packageName: 'python3-aiosmtpd', file: '/usr/bin/aiosmtpd' },
  { packageName: 'python3-jwcrypto', file: '/usr/lib/python3/dist-packages/jwcrypto/__init__.py' },
  { packageName: 'prometheus', file: '/usr/bin/promtool' },
  { packageName: 'redis-server', file: '/usr/bin/redis-server' },
  { packageName: 'slapd', file: '/usr/sbin/slapd' },
  { packageName: 'webkit2gtk-driver', file: '/usr/bin/WebKitWebDriver' },
  { packageName: 'xvfb', file: '/usr/bin/Xvfb' },
  { packageName: 'curl', file: '/usr/bin/curl' },
  { packageName: 'systemd', file: '/usr/bin/systemd-analyze' },
  { packageName: 'fonts-ipafont-gothic', file: '/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf' },
  { packageName: 'fonts-noto-core', file: '/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf' },
]

const APT_GET = '/usr/bin/apt-get'

/** Installs what is missing. Returns an error sentence if that is impossible, or undefined. */
function provision(): string | undefined {
  const missing = findMissing()
  if (missing.length === 0) return undefined
  const names = missing.join(' ')
  if (!existsSync(APT_GET)) {
    return `npm test needs what Debian calls ${names}, in Debian's places: run it on Debian, or in a Debian container; npm run test:unit needs none of it.`
  }
  if (process.getuid?.() !== 0) {
    return `npm test needs ${names}: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}`
  }
  console.log(`Installing what the tests need: ${names}`)
  const installed = runAptGet('update') && runAptGet('install', '-y', '--no-install-recommends', ...missing)
  const stillMissing = findMissing()
  if (installed && stillMissing.length === 0) return undefined
  return `apt-get could not install ${(installed ? stillMissing : missing).join(' ')}: see its messages above, and install it by hand.`
}

function findMissing(): string[] {
  return NEEDED.filter(({ file }) => globSync(file).length === 0).map(({ packageName }) => packageName)
}

function runAptGet(...args: string[]): boolean {
  const { status } = spawnSync(APT_GET, ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return status === 0
}

const error = provision()
if (error !== undefined) {
  console.error(error)
  process.exitCode = 1
}
