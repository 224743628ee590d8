import { isLoopbackHost } from '../../settings/fields.ts'

/**
 * True if only this machine can reach the app. Passwords may then go to a loopback address without TLS.
 * @param publicUrl the value of PUBLIC_URL. True for a missing or wrong value, which readConfig() reports.
 */
export function isOnLaptop(publicUrl: string | undefined): boolean {
  return publicUrl === undefined || !URL.canParse(publicUrl) || isLoopbackHost(new URL(publicUrl).hostname)
}

/** True if the host and port of an address are usable. International names must be in their `xn--…` form. */
export function namesHost({ hostname, port }: URL): boolean {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/i.test(hostname) && port !== '0'
}
