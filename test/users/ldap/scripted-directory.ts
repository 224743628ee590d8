import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { BerReader, BerWriter } from 'ldapts'
import type { Certificate } from '../../servers/certificate.ts'

/** An LDAP result: a code and a message. */
export interface Result {
  readonly code: number
  readonly message?: string
}

export interface Script {
  /** Result of a bind; success by default. */
  readonly bind?: (dn: string, password: string) => Result
  /** Entries that every search finds. */
  readonly entries?: readonly { dn: string; attributes: Readonly<Record<string, readonly string[]>> }[]
  /** Referrals that every search returns besides the entries. */
  readonly references?: readonly string[]
  readonly search?: Result
  /** Result of StartTLS; success by default. */
  readonly startTls?: Result
  /** Closes the connection after this answer. */
  readonly cutAfter?: 'search' | 'startTls'
  /** Closes with a reset, as a firewall does. */
  readonly isReset?: boolean
  /** Accepts StartTLS, then sends nothing. */
  readonly isSilent?: boolean
  /** Raw answers to a bind as a viewer, and to every search. */
  readonly bytes?: (asked: Asked) => { readonly bind?: Uint8Array; readonly search?: Uint8Array }
  /** Sends each raw byte separately. */
  readonly isByteByByte?: boolean
  /** Repeats the raw bytes without end. */
  readonly isEndless?: boolean
}

/** The request that an answer belongs to. */
export interface Asked {
  readonly id: number
}

export type ScriptedDirectory = Awaited<ReturnType<typeof startScriptedDirectory>>

const BIND = 0x60
const SEARCH = 0x63
const EXTENDED = 0x77
const ANSWER = { [BIND]: 0x61, [SEARCH]: 0x65, [EXTENDED]: 0x78 } as const
const SEARCH_ENTRY = 0x64
const SEARCH_REFERENCE = 0x73
const PASSWORD_TAG = 0x80
const SET_TAG = 0x31

interface Request {
  readonly id: number
  readonly operation: number
  readonly reader: BerReader
}

/**
 * Starts an LDAP server that answers with scripted messages: those of Active Directory, which has no free server, and
 * those of broken, overloaded or hostile servers.
 */
export async function startScriptedDirectory(tls?: Certificate) {
  const reader = { dn: 'cn=reader,dc=example,dc=test', password: 'password-of-the-reader' }
  const binds: { dn: string; password: string; isEncrypted: boolean }[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let script: Script = {}

  function answer({ id, operation, reader: request }: Request, socket: Socket): void {
    const own = script.bytes?.({ id })
    if (operation === BIND) {
      request.readInt()
      const dn = request.readString() ?? ''
      const password = request.readString(PASSWORD_TAG) ?? ''
      binds.push({ dn, password, isEncrypted: socket instanceof TLSSocket })
      const isReader = dn === reader.dn && password === reader.password
      if (own?.bind && !isReader) return void send(own.bind, socket)
      socket.write(resultOf(id, BIND, isReader ? { code: 0 } : (script.bind?.(dn, password) ?? { code: 0 })))
    } else if (operation === SEARCH) {
      if (own?.search) return void send(own.search, socket)
      for (const entry of script.entries ?? []) socket.write(entryOf(id, entry))
      for (const url of script.references ?? []) socket.write(referenceOf(id, url))
      socket.write(resultOf(id, SEARCH, script.search ?? { code: 0 }), () => {
        if (script.cutAfter === 'search') cut(socket)
      })
    } else if (operation === EXTENDED) upgrade(id, socket)
  }
  async function send(bytes: Uint8Array, socket: Socket): Promise<void> {
    const { isEndless = false, isByteByByte = false } = script
    do {
      const parts = isByteByByte ? Array.from(bytes, (byte) => Buffer.of(byte)) : [bytes]
      // Wait for each write, so that the bytes are not sent together.
      for (const part of parts) await new Promise((sent) => socket.write(part, sent))
    } while (isEndless && !socket.destroyed)
  }
  function cut(socket: Socket): void {
    if (script.isReset) socket.resetAndDestroy()
    else socket.destroy()
  }
  function upgrade(id: number, socket: Socket): void {
    const { code, message } = script.startTls ?? { code: 0 }
    socket.removeAllListeners('data')
    socket.write(resultOf(id, EXTENDED, { code, ...(message ? { message } : {}) }))
    if (script.cutAfter === 'startTls') cut(socket)
    else if (script.isSilent) socket.resume()
    else if (code !== 0 || !tls) listenTo(socket)
    else listenTo(new TLSSocket(socket, { isServer: true, cert: tls.certificate, key: tls.key }))
  }
  function listenTo(socket: Socket): void {
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part])
      for (let request = firstOf(received); request !== null; request = firstOf(received)) {
        received = received.subarray(request.length)
        answer(request, socket)
      }
    })
  }

  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket.setNoDelay(true))
    listenTo(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ldapUrl: `ldap://127.0.0.1:${port}`,
    reader,
    follow: (next: Script) => {
      script = next
    },
    binds,
    connections: () => connections,
    /** The number of open connections. */
    open: () => [...sockets].filter((socket) => !socket.closed).length,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

/** Returns the first complete message and its length; null if it is incomplete. */
function firstOf(received: Buffer): (Request & { length: number }) | null {
  const reader = new BerReader(received)
  if (received.length === 0 || reader.readSequence() === null || reader.remain < reader.length) return null
  const length = reader.offset + reader.length
  const id = reader.readInt() ?? 0
  return { id, operation: reader.readSequence() ?? 0, reader, length }
}

function resultOf(id: number, operation: keyof typeof ANSWER, { code, message = '' }: Result): Buffer {
  return messageOf(id, ANSWER[operation], (writer) => {
    writer.writeEnumeration(code)
    writer.writeString('')
    writer.writeString(message)
  })
}

export function entryOf(id: number, { dn, attributes }: NonNullable<Script['entries']>[number]): Buffer {
  return messageOf(id, SEARCH_ENTRY, (writer) => {
    writer.writeString(dn)
    writer.startSequence()
    for (const [name, values] of Object.entries(attributes)) {
      writer.startSequence()
      writer.writeString(name)
      writer.startSequence(SET_TAG)
      for (const value of values) writer.writeString(value)
      writer.endSequence()
      writer.endSequence()
    }
    writer.endSequence()
  })
}

function referenceOf(id: number, url: string): Buffer {
  return messageOf(id, SEARCH_REFERENCE, (writer) => writer.writeString(url))
}

function messageOf(id: number, operation: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(id)
  writer.startSequence(operation)
  write(writer)
  writer.endSequence()
  writer.endSequence()
  return writer.buffer
}
