import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { Client, ResultCodeError } from 'ldapts'
import { UpstreamError } from '../../errors.ts'
import { isCertificateFault } from '../remote/certificate-fault.ts'
import { linkOver } from './link.ts'
import type { LdapStoreSettings } from './settings.ts'

/** Settings that all connections to a directory share. */
export interface Directory extends Pick<LdapStoreSettings, 'url' | 'startTls' | 'bindDn' | 'bindPassword'> {
  /** Created once: parsing certificates takes longer than connecting. */
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
 * Runs the work on a new connection, encrypted according to the settings and bound as the service account. It never
 * reconnects: ldapts alone would reconnect without StartTLS, and send the next password as plaintext.
 *
 * @param signal closes the connection when aborted.
 * @throws UpstreamError for every failure.
 */
export async function withDirectory<T>(
  directory: Directory,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const sockets: Socket[] = []
  const closed = Promise.withResolvers<never>()
  const client = new Client(clientOptions(directory, sockets, closed.reject))
  const disconnect = () => {
    for (const socket of sockets) socket.destroy()
  }
  const run = async () => {
    if (directory.startTls) await client.startTLS(tlsOptions(directory))
    await bindAsService(client, directory)
    return await work(client)
  }
  signal.addEventListener('abort', disconnect, { once: true })
  try {
    // ldapts keeps waiting when a connection closes during StartTLS, or between two requests.
    return await Promise.race([run(), closed.promise])
  } catch (error) {
    throw asUpstreamError(directory, error)
  } finally {
    signal.removeEventListener('abort', disconnect)
    // Nothing depends on the answer to the unbind.
    client.unbind().catch(() => {})
    disconnect()
  }
}

/** Binds as the service account. Needed again after a bind as a viewer. */
export async function bindAsService(
  client: Client,
  directory: Pick<Directory, 'url' | 'bindDn' | 'bindPassword'>,
): Promise<void> {
  try {
    await client.bind(directory.bindDn, directory.bindPassword)
  } catch (error) {
    if (!(error instanceof ResultCodeError) || error.code !== LDAP_CODE.invalidCredentials) throw error
    const fault = 'rejects the service account: check LDAP_BIND_DN and LDAP_BIND_PASSWORD'
    throw new UpstreamError('user-store', `${hostOf(directory)} ${fault} (${error.message})`, { cause: error })
  }
}

/** Describes a failure with the directory's message, which contains no password. */
export function asUpstreamError(directory: Pick<Directory, 'url'>, cause: unknown): UpstreamError {
  if (cause instanceof UpstreamError) return cause
  const { message, code } = cause as Error & { code?: unknown }
  const reason = typeof code === 'string' && !message.includes(code) ? `${code}: ${message}` : message
  return new UpstreamError('user-store', `${hostOf(directory)} failed: ${reason.trim()}${hintFor(code)}`, { cause })
}

/** Names the settings to check. */
function hintFor(code: unknown): string {
  if (code === LDAP_CODE.noSuchObject)
    return '; a search base does not exist: check LDAP_SEARCH_BASE and LDAP_GROUP_BASE'
  return isCertificateFault(code) ? '; check its certificate, LDAP_CA_FILE and the host name in USER_STORE_URL' : ''
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
  // Either one plain connection that StartTLS encrypts later, or one TLS connection. Never a second one.
  const createConnection = (port: number, host: string) => {
    refuse(!isTls && sockets.length === 0)
    return opened(connect(port, host), 'connect')
  }
  const createSecureConnection = (...[port, host, options]: [number, string, object] | [ConnectionOptions]) => {
    refuse(sockets.length === (isTls ? 0 : 1) && (isTls || startTls))
    const [plain] = sockets
    // TLS runs over the plain socket, so the old listeners must not read it.
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

/**
 * A new object each time: ldapts changes it. The certificate is checked whatever `NODE_TLS_REJECT_UNAUTHORIZED` says.
 */
function tlsOptions({ url, trust }: Directory): ConnectionOptions {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  // On an upgraded socket, Node needs the name to compare with the certificate.
  const name = isIP(host) === 0 ? { servername: host } : { host }
  return { ...name, rejectUnauthorized: true, secureContext: trust }
}

function hostOf({ url }: Pick<Directory, 'url'>): string {
  return `The directory ${new URL(url).host}`
}
