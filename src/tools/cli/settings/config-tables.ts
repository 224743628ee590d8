import type { Logo } from '../../../brand/brand.ts'
import type { Config } from '../../../config.ts'
import type { EntryPoint, HashEntryPoint, TokenEntryPoint } from '../../../entry-points/entry-point.ts'
import type { AllowedAddress } from '../../../hash-lock/return-address.ts'
import { addressOf } from './chosen-entry-point.ts'

/** The value of each setting as text, in the order of `.env.example`. Contains no secret. */
export type SettingValues = Readonly<Record<string, string>>

type RedisAddress = Extract<Config['limitsStore'], { kind: 'redis' }>['redis']

const NONE = 'none'

/** Describes the settings of one entry point. Those of ENTRY_POINTS_FILE have the names of settings too. */
export function entryPointValues(config: Config, entryPoint: EntryPoint): SettingValues {
  const { brand } = entryPoint
  return {
    address: addressOf(config, entryPoint),
    VIEWER_AUTH: entryPoint.viewerAuth,
    ...(entryPoint.viewerAuth === 'token' ? tokenValues(entryPoint) : hashValues(entryPoint)),
    PLAYER_ORIGINS: entryPoint.playerOrigins.join(', '),
    ALLOWED_GROUPS: entryPoint.allowedGroups?.join(', ') ?? 'every viewer',
    SCREEN_SCRIPT: entryPoint.hasScript ? 'on' : 'off',
    RETURNING_VIEWERS: entryPoint.returningViewers,
    BRAND_NAME: brand.name ?? NONE,
    BRAND_TITLE: brand.title ?? NONE,
    BRAND_LOGO_FILE: describeLogo(brand.logo),
    BRAND_LOGO_DARK_FILE: describeLogo(brand.darkLogo),
    BRAND_COLOR: brand.colors?.light ?? NONE,
    BRAND_COLOR_DARK: brand.colors?.dark ?? NONE,
    COLOR_SCHEME: brand.colorScheme,
    HELP_URL: brand.helpUrl ?? NONE,
    FORGOT_PASSWORD_URL: brand.forgotPasswordUrl ?? NONE,
    TERMS_URL: brand.termsUrl ?? NONE,
    USERNAME_KIND: brand.usernameKind,
    DEFAULT_LANGUAGE: brand.defaultLanguage,
    PASSKEYS: entryPoint.hasPasskeys ? 'on' : 'off',
  }
}

function hashValues(entryPoint: HashEntryPoint): SettingValues {
  return {
    HASH_SECRET: secretOf(entryPoint),
    HASH_PARAMETERS: entryPoint.parameters.map(({ name, attribute }) => `${name}=${attribute}`).join(', '),
    HASH_LIFETIME_SECONDS: String(entryPoint.lifetimeSeconds),
    PLAYER_RETURN_URL: entryPoint.playerAddress.url,
    HASH_CONSUMERS: describeAddresses(entryPoint.consumers),
  }
}

function tokenValues({ contentKey, serviceKeyUrl, refAddresses, parameters }: TokenEntryPoint): SettingValues {
  return {
    CONTENT_KEY: `RSA, ${contentKey.asymmetricKeyDetails?.modulusLength} bits`,
    SERVICE_VIEWER_KEY_URL: serviceKeyUrl,
    REF_ADDRESSES: describeAddresses(refAddresses),
    TOKEN_SUBJECT: parameters.map(({ attribute }) => attribute).join(', '),
  }
}

/** Describes the settings that all entry points share. */
export function appValues(config: Config): SettingValues {
  const { sessionStore, limitsStore, sessions, addressLimit, mail } = config
  const networks = addressLimit.trustedNetworks.map(([first, bits]) => `${first.toString()}/${bits}`)
  return {
    USER_STORE_URL: config.userStore.kind,
    SESSION_STORE_URL:
      sessionStore.kind === 'sqlite' ? `sqlite:${sessionStore.file}` : describeRedis(sessionStore.redis),
    SESSION_LIFETIME_SECONDS: String(sessions.lifetimeSeconds),
    SESSION_IDLE_SECONDS: String(sessions.idleSeconds),
    LIMITS_STORE_URL: limitsStore.kind === 'memory' ? 'memory:' : describeRedis(limitsStore.redis),
    SIGN_IN_LIMIT_PER_ADDRESS: String(addressLimit.failures),
    LIMITS_TRUSTED_NETWORKS: networks.join(', ') || NONE,
    TRUST_PROXY_HOPS: String(config.trustProxyHops),
    SMTP_URL: mail.server === null ? NONE : `${mail.server.host}:${mail.server.port}, TLS: ${mail.server.tls}`,
    MAIL_FROM: mail.server?.from.address ?? NONE,
    RESET_MAILS_PER_HOUR: mail.server === null ? NONE : String(mail.resetsPerHour),
    METRICS_PORT: config.metricsPort === null ? NONE : String(config.metricsPort),
    SECURITY_LOG_FILE: config.securityLogFile ?? NONE,
    LOG_LEVEL: config.logLevel,
  }
}

function describeAddresses(addresses: readonly AllowedAddress[]): string {
  return addresses.map(({ origin, path }) => `${origin}${path}`).join(', ') || NONE
}

function secretOf({ previousSecret, secretFiles }: HashEntryPoint): string {
  const count = previousSecret === null ? 'set' : 'two, as during a change of the secret'
  return secretFiles === null ? count : `${count}; its files are read again when they change`
}

function describeLogo(logo: Logo | null): string {
  return logo === null ? NONE : `${logo.type}, ${logo.width} x ${logo.height}`
}

/** Omits user name and password. */
function describeRedis({ nodes, isCluster, tls }: RedisAddress): string {
  const scheme = `redis${tls === null ? '' : 's'}${isCluster ? '-cluster' : ''}`
  return `${scheme}://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`
}
