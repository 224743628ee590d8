import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { Client, ResultCodeError } from 'ldapts'
import { UpstreamError } from '../../errors.ts'
import { isCertificateFault } from '../remote/certificate-fault.ts'
import { linkOver } from './link.ts'
import type { LdapStoreSettings } from './settings.ts'

/** What every connection to one directory has in common. */
export interface Directory extends Pick<LdapStoreSettings, 'url' | 'startTls' | 'bindDn' | 'bindPassword'> {
  /** Made once: reading certificates for each connection takes several times as long as connecting. */
  readonly trust: SecureContext
}

export function directoryOf({ url, startTls, bindDn, bindPassword, ca }: LdapStoreSettings): Directory {
  return { url, startTls, bindDn, bindPassword, trust: createSecureContext(ca === null ? {} : { ca }) }
}

/** Result codes of LDAP (RFC 4511, 4.1.9). */
export const LDAP_CODE = {
  constraintViolation: 19,
  noSuchObject: 32,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  insufficientAccess: 50,
  busy: 51,
  unavailable: 52,
  unwillingToPerform: 53,
} as const

/**
 * Runs the work on a connection of its own, encrypted where the settings say so, and bound as the account that searches.
 * The connection is never made a second time: ldapts would do so by itself when it was cut, without StartTLS and without
 * the bind, and send the next password in the clear to whoever cut it.
 *
 * @param signal cuts the connection when it is aborted.
 * @throws UpstreamError for everything that goes wrong on the way.
 */
export async function withDirectory<T>(
  directory: Directory,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const sockets: Socket[] = []
  const closed = Promise.withResolvers<never>()
  const client = new Client(clientOptions(directory, sockets, closed.reject))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const run = async () => {
    if (directory.startTls) await client.startTLS(tlsOptions(directory))
    await bindAsService(client, directory)
    return await work(client)
  }
  signal.addEventListener('abort', cut, { once: true })
  try {
    // ldapts itself goes on waiting where a connection ends during StartTLS, or between two questions.
    return await Promise.race([run(), closed.promise])
  } catch (error) {
    throw upstream(directory, error)
  } finally {
    signal.removeEventListener('abort', cut)
    leave(client, sockets)
  }
}

/** Binds as the account that searches: again, after a bind as a viewer. */
export async function bindAsService(
  client: Client,
  directory: Pick<Directory, 'url' | 'bindDn' | 'bindPassword'>,
): Promise<void> {
  try {
    await client.bind(directory.bindDn, directory.bindPassword)
  } catch (error) {
    if (!(error instanceof ResultCodeError) || error.code !== LDAP_CODE.invalidCredentials) throw error
    const what = 'refuses the account that searches: check LDAP_BIND_DN and LDAP_BIND_PASSWORD'
    throw new UpstreamError('user-store', `${hostOf(directory)} ${what} (${error.message})`, { cause: error })
  }
}

/** What failed, with the directory's own words, which hold no password. */
export function upstream(directory: Pick<Directory, 'url'>, cause: unknown): UpstreamError {
  if (cause instanceof UpstreamError) return cause
  const { message, code } = cause as Error & { code?: unknown }
  const what = typeof code === 'string' && !message.includes(code) ? `${code}: ${message}` : message
  return new UpstreamError('user-store', `${hostOf(directory)} failed: ${what.trim()}${hintOn(code)}`, { cause })
}

/** What to look at, where the directory's own word does not tell. */
function hintOn(code: unknown): string {
  if (code === LDAP_CODE.noSuchObject)
    return '; nothing is where a search begins: check LDAP_SEARCH_BASE and LDAP_GROUP_BASE'
  return isCertificateFault(code) ? '; check its certificate, LDAP_CA_FILE and the name in USER_STORE_URL' : ''
}

function clientOptions(
  directory: Directory,
  sockets: Socket[],
  onEnd: (error: Error) => void,
): ConstructorParameters<typeof Client>[0] {
  const { url, startTls } = directory
  const isTls = url.startsWith('ldaps:')
  const opened = (socket: Socket, ready: 'connect' | 'secureConnect') => {
    sockets.push(socket.setNoDelay(true))
    return linkOver(socket, ready, onEnd)
  }
  const refuse = (mayConnect: boolean) => {
    if (!mayConnect) throw new Error('The directory closed the connection')
  }
  // One plain connection that StartTLS then encrypts, or one that is encrypted from the start; never another.
  const createConnection = (port: number, host: string) => {
    refuse(!isTls && sockets.length === 0)
    return opened(connect(port, host), 'connect')
  }
  const createSecureConnection = (...[port, host, options]: [number, string, object] | [ConnectionOptions]) => {
    refuse(sockets.length === (isTls ? 0 : 1) && (isTls || startTls))
    const [plain] = sockets
    // What is encrypted is the socket itself, which nobody else reads any more.
    const over = plain === undefined ? { port: Number(port), host } : { socket: plain.removeAllListeners('data') }
    return opened(connectTls({ ...(typeof port === 'object' ? port : options), ...over }), 'secureConnect')
  }
  return {
    url,
    ...(isTls ? { tlsOptions: tlsOptions(directory) } : {}),
    createConnection: createConnection as unknown as typeof connect,
    createSecureConnection: createSecureConnection as unknown as typeof connectTls,
  }
}

/** A new object each time: ldapts puts the socket into it. Checked whatever `NODE_TLS_REJECT_UNAUTHORIZED` says. */
function tlsOptions({ url, trust }: Directory): ConnectionOptions {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  // On a socket that is upgraded, Node knows no name to compare with the certificate's unless it is told.
  const name = isIP(host) === 0 ? { servername: host } : { host }
  return { ...name, rejectUnauthorized: true, secureContext: trust }
}

function leave(client: Client, sockets: readonly Socket[]): void {
  // The answer is known, or there is none: the farewell is not waited for.
  client.unbind().catch(() => {})
  for (const socket of sockets) socket.destroy()
}

function hostOf({ url }: Pick<Directory, 'url'>): string {
  return `The directory ${new URL(url).host}`
}
