import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../servers/free-port.ts'
import { isOpen } from '../../servers/is-open.ts'
import { type PostgresServer, unprivileged } from './server.ts'

/** Starts a real PgBouncer in front of a server, with transaction pooling and the setting that the README asks for. */
export async function startPgBouncer(postgres: PostgresServer, serverConnections: number) {
  const port = await freePort()
  const { username, password } = new URL(postgres.url())
  const config = join(postgres.folder, 'pgbouncer.ini')
  const text = `[databases]
* = host=${postgres.host} port=${postgres.port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
ignore_startup_parameters = statement_timeout`
  writeFileSync(config, text)
  const child = spawn('/usr/sbin/pgbouncer', ['-q', config], { stdio: 'ignore', ...unprivileged() })
  const exited = once(child, 'exit')
  while (!(await Promise.race([isOpen(port), exited.then(() => Promise.reject(new Error('PgBouncer ended')))])))
    await sleep(20)
  return {
    /** The address of a database through PgBouncer. */
    url: (database: string) => postgres.url({ database }).replace(`:${postgres.port}/`, `:${port}/`),
    async stop() {
      child.kill('SIGINT')
      await exited
    },
  }
}
