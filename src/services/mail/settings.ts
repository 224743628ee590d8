import { z } from 'zod'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { SharedSettings } from '../../entry-points/feature-settings.ts'
import { decodedPart, fail, isLoopbackHost } from '../../settings/fields.ts'
import { CertificatesFile } from '../../settings/named-file.ts'

export interface MailSettings {
  /** Null without SMTP_URL. */
  readonly server: MailServerSettings | null
}

/** The mail server, and the sender of all mails. */
export interface MailServerSettings {
  readonly host: string
  readonly port: number
  /** `none` only on this machine. */
  readonly tls: 'implicit' | 'starttls' | 'none'
  /** In PEM; null for the CAs that Node trusts. */
  readonly ca: string | null
  readonly auth: { readonly user: string; readonly password: string } | null
  readonly from: Mailbox
}

export interface Mailbox {
  /** Empty for none. */
  readonly name: string
  readonly address: string
}

type Server = Pick<MailServerSettings, 'host' | 'port' | 'auth'> & { readonly isImplicitTls: boolean }

const FORM =
  'must be smtps://USER:PASSWORD@HOST or smtp://USER:PASSWORD@HOST; inside the parts, write "@", "/", "#" and "%" as ' +
  '%40, %2F, %23 and %25'
const PORTS = { implicit: 465, starttls: 587, none: 25 } as const
/** One address, without comments, quotes or lists. `local@domain` in ASCII, as all mail servers accept. */
const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i
const LONGEST_ADDRESS = 254
/** A name, in quotes if it has a comma or other signs, and an address: `"Example, Inc." <login@example.com>`. */
const MAILBOX = /^(?:"((?:[^"\\\p{Cc}]|\\["\\])+)"\s*|([^<>"\p{Cc}]*))<([^<>]+)>$/u

/** True for the address of one mailbox. Refuses everything that could name a second recipient. */
export function isMailAddress(text: string): boolean {
  return text.length <= LONGEST_ADDRESS && ADDRESS.test(text)
}

const SmtpUrl = z.string().transform((text, context): Server => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^smtps?:$/.test(url.protocol) || !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i.test(url.hostname)) {
    return fail(context, FORM)
  }
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return fail(context, FORM)
  const user = decodedPart(url.username)
  const password = decodedPart(url.password)
  if (user === null || password === null || (user === '') !== (password === '')) return fail(context, FORM)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    isImplicitTls: url.protocol === 'smtps:',
    auth: user === '' ? null : { user, password },
  }
})

const MailFrom = z.string().transform((text, context): Mailbox => {
  const [, quoted, name = '', address = text] = MAILBOX.exec(text) ?? []
  if (isMailAddress(address)) return { name: (quoted?.replaceAll(/\\(.)/g, '$1') ?? name).trim(), address }
  return fail(context, 'must be an address, such as login@example.com or "Example, Inc." <login@example.com>')
})

const MailEnvironment = z
  .object({
    SMTP_URL: SmtpUrl.optional().meta({ isSecret: true, isAddress: true }),
    SMTP_CA_FILE: CertificatesFile.optional().meta({
      protects: 'without it, a connection to localhost is not encrypted',
    }),
    MAIL_FROM: MailFrom.optional(),
  })
  .transform((settings, context): MailSettings => {
    const { SMTP_URL: url, SMTP_CA_FILE: ca = null, MAIL_FROM: from } = settings
    if (url === undefined) return { server: null }
    if (from === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['MAIL_FROM'],
        message: 'is required with SMTP_URL: the sender of all mails',
      })
      return z.NEVER
    }
    const { host, auth, isImplicitTls } = url
    // As for the other servers: only this machine is reached without TLS, unless the settings name a CA.
    const tls = isImplicitTls ? 'implicit' : isLoopbackHost(host) && ca === null ? 'none' : 'starttls'
    return { server: { host, port: url.port || PORTS[tls], tls, ca, auth, from } }
  })

/** The settings of the mail server, which all entry points share. */
export const MAIL_SETTINGS: SharedSettings<MailSettings> = {
  settings: MailEnvironment.in.shape,
  schema: MailEnvironment,
}

/** Returns the settings of the mail server; null without SMTP_URL. */
export function mailServerSettingsOf({ features }: Pick<EntryPoint, 'features'>): MailServerSettings | null {
  return (features.mail as MailSettings | undefined)?.server ?? null
}
