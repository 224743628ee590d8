import { isLoopbackHost } from '../../settings/fields.ts'

/**
 * Whether this app is for its developer alone, so that passwords may go to another loopback address without TLS.
 * @param publicUrl the value of PUBLIC_URL; what is missing or wrong in it is said elsewhere.
 */
export function isOnLaptop(publicUrl: string | undefined): boolean {
  return publicUrl === undefined || !URL.canParse(publicUrl) || isLoopbackHost(new URL(publicUrl).hostname)
}

/** Whether an address names a host and a port that a connection can go to; a name of other letters is written `xn--…`. */
export function namesHost({ hostname, port }: URL): boolean {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/i.test(hostname) && port !== '0'
}
