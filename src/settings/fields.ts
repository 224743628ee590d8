import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'

/**
 * The parts that the settings of stores are made of, and that the app's other settings have in common with them. Each message is the end of a sentence that begins with the
 * setting's name, and none repeats a value: an address may hold a password, and the message ends up in a log.
 */

/** A wrong setting of a user store. */
export interface SettingMistake {
  readonly setting: string
  /** The end of a sentence that begins with the setting's name. */
  readonly message: string
}

export type ReadSettings<T> =
  | { readonly ok: true; readonly settings: T }
  | { readonly ok: false; readonly mistakes: readonly SettingMistake[] }

export function wholeNumber(least: number, most: number) {
  return z.string().transform((text, context): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    context.addIssue({ code: 'custom', message: `must be a whole number from ${least} to ${most}` })
    return z.NEVER
  })
}

const FROM_KUBERNETES =
  'holds an address, as Kubernetes injects it for a Service of that name. Set a port number, rename the Service, or ' +
  'set enableServiceLinks: false in the pod'

/** A port number; 0 lets the system choose one. A Service called `metrics` makes Kubernetes set METRICS_PORT. */
export const PortNumber = z
  .string()
  .refine((text) => !/^(tcp|udp|sctp):\/\//.test(text), FROM_KUBERNETES)
  .pipe(wholeNumber(0, 65_535))

/** The path of a file of certificates in PEM, read at once: a missing one is a mistake of the settings, not of a sign-in. */
export const CertificatesFile = z.string().transform((path, context): string => {
  const read = readCertificates(path)
  if (read.ok) return read.pem
  context.addIssue({ code: 'custom', message: read.fault })
  return z.NEVER
})

/** A part of an address as it is meant; null for one that is written wrongly, or holds what ends a text for a server. */
export function decodedPart(part: string): string | null {
  try {
    const text = decodeURIComponent(part)
    return /\p{Cc}/u.test(text) ? null : text
  } catch {
    return null
  }
}

/** What is taken for this machine without asking anyone; an IPv6 address may be in brackets. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || /^(\[::1\]|::1|127\.\d+\.\d+\.\d+)$/.test(host)
}

/** Also true for `*.localhost`: browsers resolve these names to this machine, without DNS. */
export function isLoopbackName(host: string): boolean {
  return isLoopbackHost(host) || host.endsWith('.localhost')
}

/** The mistakes that a schema of settings found, each under the name of its setting. */
export function mistakesOf(error: z.ZodError): SettingMistake[] {
  return error.issues.map(({ path, message }) => ({ setting: String(path[0]), message }))
}

type Certificates = { readonly ok: true; readonly pem: string } | { readonly ok: false; readonly fault: string }

function readCertificates(path: string): Certificates {
  let pem: string
  try {
    pem = readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const fault = code === 'ENOENT' ? 'names a file that does not exist' : `names a file that cannot be read (${code})`
    return { ok: false, fault }
  }
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const isReadable = blocks.length > 0 && blocks.every(isCertificate)
  return isReadable ? { ok: true, pem } : { ok: false, fault: 'names a file that holds no certificate in PEM form' }
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}
