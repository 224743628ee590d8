import { appSettings } from '../../../config.ts'
import { isLoopbackHost, splitList } from '../../../settings/fields.ts'
import { metaOf } from '../../../settings/setting.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { Values } from './env-file.ts'
import { mistakesIn, settingOf, type Trial } from './trial.ts'

type Environment = CommandIo['env']

const DEFAULT_PORT = String(appSettings().PORT?.parse(undefined))

export interface Question {
  /** The name in a file of answers, and of the setting if it sets only one. */
  readonly name: string
  readonly message: string
  readonly isSecret?: boolean
  /** True if an empty answer changes nothing. */
  isOptional(env: Environment): boolean
  /** The present answer. Undefined for a secret, and if there is none. */
  present(env: Environment): string | undefined
  /** Returns the settings that the answer changes. */
  settingsOf(answer: string, env: Environment): Values
}

export const ADDRESS: Question = {
  ...settingQuestion('PUBLIC_URL', 'Address of this app, as browsers see it, such as https://login.example.com'),
  present: ({ PUBLIC_URL }) => PUBLIC_URL || 'http://localhost:3000',
  settingsOf: (answer, env) => ({ PUBLIC_URL: answer, ...portOf(answer, env) }),
}

/** The forms of USER_STORE_URL, as the refusal of a wrong one lists them. */
const [{ message: STORE_FORMS } = { message: '' }] =
  userStores.environment.safeParse({ USER_STORE_URL: '?' }).error?.issues ?? []
const DEFAULT_STORE = appSettings().USER_STORE_URL?.safeParse(undefined).data

export const STORE: Question = {
  ...settingQuestion('USER_STORE_URL', `Where the viewers are: ${STORE_FORMS.replace('must be ', '')}`),
  isSecret: false,
  present({ USER_STORE_URL: url }) {
    if (!url) return typeof DEFAULT_STORE === 'string' ? DEFAULT_STORE : undefined
    return URL.canParse(url) && new URL(url).password !== '' ? undefined : url
  },
}

export const RETURN_ADDRESS: Question = settingQuestion(
  'PLAYER_RETURN_URL',
  'Return address of the player, {player_return_url} of the service, such as https://player.example.com/embed/hashlock/pass',
)

export const PAGES: Question = {
  name: 'PAGES',
  message: 'Pages that embed the player, separated by commas, such as https://www.example.com/live',
  // The origin of the player alone is not enough, because browsers check the page too.
  isOptional: ({ PLAYER_ORIGINS = '' }) => splitList(PLAYER_ORIGINS).length > 1,
  present: () => undefined,
  settingsOf(answer, { PLAYER_ORIGINS = '', PLAYER_RETURN_URL = '' }) {
    const found = [PLAYER_RETURN_URL, ...splitList(answer)].flatMap((url) =>
      URL.canParse(url) ? new URL(url).origin : [],
    )
    return { PLAYER_ORIGINS: [...new Set([...splitList(PLAYER_ORIGINS), ...found])].join(',') }
  },
}

const SERVICE_URLS = ['SERVICE_AUTH_URL', 'SERVICE_OAUTH_URL', 'SERVICE_BASE_URL', 'SERVICE_ANALYTICS_URL'] as const

export const SERVICE: Question = {
  name: 'SERVICES',
  message:
    'Addresses of the video service: {auth_url}, {oauth_url}, {base_url}, {analytics_base_url}; or one, if the last is only /v1 below it. Empty: none',
  isOptional: () => true,
  present: (env) =>
    SERVICE_URLS.map((name) => env[name] ?? '')
      .join(', ')
      .replace(/^[, ]+$/, '') || undefined,
  settingsOf(answer) {
    const given = splitList(answer)
    const [only = ''] = given
    const base = only.replace(/\/+$/, '')
    const addresses = given.length === 1 ? [base, base, base, `${base}/v1`] : given
    return Object.fromEntries(SERVICE_URLS.map((name, index) => [name, addresses[index] ?? '']))
  },
}

export const CLIENT: Question = {
  name: 'CLIENT',
  message: 'Client id and client secret of the service, with a space between them',
  isSecret: true,
  isOptional: (env) => Boolean(env.SERVICE_CLIENT_ID && (env.SERVICE_CLIENT_SECRET || env.SERVICE_CLIENT_SECRET_FILE)),
  present: () => undefined,
  settingsOf(answer) {
    const [id = '', secret = ''] = splitList(answer)
    return { SERVICE_CLIENT_ID: id, SERVICE_CLIENT_SECRET: secret }
  },
}

export const CHANNEL: Question = answerQuestion('CHANNEL', 'Id of the channel to lock, such as 1002. Empty: no lock')

export const VIEWER: Question = answerQuestion(
  'VIEWER',
  'User name of a viewer, who is added if unknown, and tries a sign-in. Empty: none',
)

/**
 * Returns a question for each setting that the chosen store needs and that is missing. After a fault of a certificate,
 * also for the file of its authority.
 */
export function questionsOfStore({ env, fault }: Pick<Trial, 'env' | 'fault'>): Question[] {
  const isMissing = (name: string) => name !== STORE.name && name in userStores.settings && !env[name]
  const needed = new Map(mistakesIn(env).map((sentence) => [settingOf(sentence), sentence]))
  const files = (fault.match(/\w+_CA_FILE/g) ?? []).filter((name) => isMissing(name) && !needed.has(name))
  return [
    ...[...needed].flatMap(([name, sentence]) => (isMissing(name) ? [settingQuestion(name, messageOf(sentence))] : [])),
    ...[...new Set(files)].map((name) => ({
      ...settingQuestion(name, `PEM file of the authority that signed the certificate (${name}). Empty: none`),
      isOptional: () => true,
    })),
  ]
}

/** Turns "NAME is required: the token of the service" into a question. */
function messageOf(sentence: string): string {
  const [, name = '', what = 'this store needs it'] = /^(\w+)(?:.*? required: (.*))?/.exec(sentence) ?? []
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} (${name})`
}

function settingQuestion(name: string, message: string): Question {
  const isSecret = metaOf(appSettings()[name]).isSecret === true
  return {
    name,
    message,
    isSecret,
    isOptional: (env) => Boolean(env[name] || env[`${name}_FILE`]),
    present: (env) => (isSecret ? undefined : env[name]),
    settingsOf: (answer) => ({ [name]: answer }),
  }
}

/** A question whose answer is not a setting. */
function answerQuestion(name: string, message: string): Question {
  return { name, message, isOptional: () => true, present: () => undefined, settingsOf: () => ({}) }
}

/** Without a proxy, the app must listen where browsers look for it. */
function portOf(publicUrl: string, { PORT }: Environment): Values {
  const { hostname, port } = URL.canParse(publicUrl) ? new URL(publicUrl) : { hostname: '', port: '' }
  return isLoopbackHost(hostname) && port !== (PORT || DEFAULT_PORT) ? { PORT: port || '80' } : {}
}
