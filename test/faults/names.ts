import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../users/temporary-folder.ts'

const ADDRESS = '127.0.53.53'
const PORT = 53
const IPV4 = 1
const PRELOAD = new URL('silent-names.ts', import.meta.url)

/**
 * Starts a name server for a program in a mount namespace with its own /etc/resolv.conf. Without the right to mount, the
 * function of Node that looks names up is replaced instead.
 */
export async function startNames() {
  return spawnSync('/usr/bin/unshare', ['--mount', 'true']).status === 0 ? await nameServer() : replacedLookUp()
}

async function nameServer() {
  const server = createSocket('udp4')
  let isSilent = false
  server.on('message', (query, { port, address }) => {
    if (!isSilent) server.send(answerTo(query), port, address)
  })
  await once(server.bind(PORT, ADDRESS), 'listening')
  onTestFinished(() => void server.close())
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'resolv.conf'), `nameserver ${ADDRESS}\n`)
  // No name is looked up in a file, localhost included.
  writeFileSync(join(folder, 'nsswitch.conf'), 'hosts: dns\n')
  const mounts = ['resolv.conf', 'nsswitch.conf'].map((name) => `mount --bind '${join(folder, name)}' /etc/${name}`)
  const script = `set -e; ${mounts.join('; ')}; exec "$@"`
  return {
    /** A command that runs a program with these names. The rest of the machine keeps its own. */
    wrapper: ['/usr/bin/unshare', '--mount', 'sh', '-c', script, 'sh'],
    /** While silent, no look-up gets an answer. */
    setSilent(silent: boolean) {
      isSilent = silent
    },
  }
}

function replacedLookUp() {
  const flag = join(temporaryFolder(), 'silent')
  return {
    wrapper: ['env', `SILENT_NAMES_FILE=${flag}`, `NODE_OPTIONS=--import ${PRELOAD}`],
    setSilent: (silent: boolean) => (silent ? writeFileSync(flag, '') : rmSync(flag)),
  }
}

/** Builds an answer (RFC 1035, 4.1): the header, the question, and for IPv4 one address. */
function answerTo(query: Buffer): Buffer {
  let end = 12
  while ((query[end] ?? 0) > 0) end += 1 + (query[end] ?? 0)
  end += 5
  const question = query.subarray(12, end)
  const hasAnswer = query.readUInt16BE(end - 4) === IPV4
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  // The name of the question, IPv4, internet, not to be kept, 4 bytes: 127.0.0.1.
  const address = Buffer.from([0xc0, 12, 0, IPV4, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1])
  return Buffer.concat([header, question, ...(hasAnswer ? [address] : [])])
}
