import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Express } from 'express'
import { readEntryPointSettings } from '../../../../src/config.ts'
import type { ManagerStore } from '../../../../src/tools/cli/manager/accounts/manager-store.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { ATTENDANCE_ROW } from '../report-answers.ts'
import { type Browser, type Fields, START_SECONDS, startManager } from '../start-manager.ts'

/** One request to a route of the page, by a manager of the entry point `gold` alone. */
export interface Row {
  /** The method and the path, such as `get /people/one/:name`. */
  readonly route: string
  /** The query or the form. A row of a route with a path of `gold` is sent for `zebra-point` too. */
  readonly fields?: Fields
  /** The sheet of an upload. */
  readonly sheet?: string
  readonly status: number
  /** A text of the answer, or of the page to which it leads. */
  readonly shows: string
}

/** A form for `gold`. Its fields have other texts than the page, which come back if the form is not done. */
export interface TypedForm {
  readonly page: string
  readonly post: string
  readonly typed: Readonly<Record<string, string>>
  /** Fields that let the app refuse the form. Absent if no text of the form can be refused. */
  readonly wrong?: Readonly<Record<string, string>>
  readonly isUpload?: boolean
}

interface Prepared {
  readonly guestsFile: string
  readonly store: Pick<ManagerStore, 'mails'>
}

/** The rows of one part of the page, and what the part needs for them. */
export interface RestrictedPart {
  readonly rows: readonly Row[]
  /** Its routes of all people, with or without a session. */
  readonly open?: readonly string[]
  /** The forms with typed text. */
  readonly forms?: readonly TypedForm[]
  /** Its settings at both entry points. */
  readonly settings?: object
  readonly env?: Readonly<Record<string, string>>
  /** Creates data of `zebra-point`, as a manager of all entry points. */
  readonly prepare?: (world: Prepared, all: Browser) => Promise<void>
}

export const GOLD = 'ada@gold.example'
export const ZEBRA = 'zebra@zebra.example'
export const ZEBRA_POINT = 'zebra-point'
const NETWORK = '203.0.113.77'
const ENTRY = {
  secret: '3f9a1c7be2d846509817abcdef43210fe',
  playerReturnUrl: 'http://127.0.0.1:4000/pass',
  playerOrigins: ['http://127.0.0.1:4000'],
}
const report = (viewer: string) => () => Promise.resolve({ ok: true, data: [{ ...ATTENDANCE_ROW, viewer }] } as const)

/** Starts the page with two entry points. All that belongs to the other one has "zebra" in it, or its network. */
export async function startWorld(parts: readonly RestrictedPart[]) {
  const folder = temporaryFolder()
  const file = join(folder, 'entry-points.json')
  const settings = Object.assign({}, ...parts.map((part) => part.settings))
  const pointOf = (name: string, group: string) => ({ ...ENTRY, ...settings, name, allowedGroups: [group] })
  writeFileSync(file, JSON.stringify([pointOf(ZEBRA_POINT, 'zebra'), pointOf('gold', 'gold')]))
  const env = {
    PUBLIC_URL: 'http://localhost:3000',
    SESSION_SECRET: 'c04d8e1f5b7a926330e9d17f48c2ab65',
    GUESTS_STORE_URL: `sqlite:${join(folder, 'guests.db')}`,
    ENTRY_POINTS_FILE: file,
    SECURITY_LOG_FILE: join(folder, 'security.log'),
    ...Object.assign({}, ...parts.map((part) => part.env)),
  }
  logSignIns(env.SECURITY_LOG_FILE)
  const entryPoints = () => readEntryPointSettings(env).entryPoints
  const reports = {
    channels: () => Promise.resolve({ ok: true, data: [{ id: 1, title: 'zebra channel' }] } as never),
    attendance: report(ZEBRA),
    views: () => Promise.resolve({ ok: true, data: [{ viewer_identifier: ZEBRA }] } as never),
  }
  const manager = await startManager({ env, entryPoints, reports })
  await manager.users.add({ username: GOLD, groups: ['gold'], attributes: {} }, null)
  await manager.users.add({ username: ZEBRA, groups: ['zebra'], attributes: { department: 'zebra' } }, null)
  const all = await manager.signedIn('event-manager', null, 'zebra-boss')
  await all.get('/account')
  await all.post(`/people/one/${encodeURIComponent(ZEBRA)}/enable`)
  const world = Object.assign(manager, { entryPoints, guestsFile: join(folder, 'guests.db') })
  for (const { prepare } of parts) await prepare?.(world, all)
  const restricted = await manager.signedIn('event-manager', ['gold'])
  await restricted.get('/account')
  return Object.assign(world, { restricted })
}

/** Writes sign-ins of both people, and failures of a network, at the other entry point; one sign-in at `gold`. */
function logSignIns(file: string): void {
  const time = new Date((START_SECONDS - 5) * 1000).toISOString()
  const line = { category: 'security', time, event: 'sign-in' }
  const gold = { viewer: GOLD, entryPoint: 'gold', address: '192.0.2.9' }
  const zebra = { viewer: ZEBRA, entryPoint: ZEBRA_POINT, address: NETWORK }
  const lines = [
    { ...line, outcome: 'signed-in', ...zebra },
    ...Array.from({ length: 20 }, () => ({ ...line, outcome: 'wrong-credentials', ...zebra })),
    { ...line, outcome: 'held-back', ...zebra },
    { ...line, outcome: 'signed-in', ...gold },
    { ...line, outcome: 'wrong-credentials', ...zebra, viewer: GOLD },
  ]
  appendFileSync(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

/** Returns what an answer tells of the other entry point. What the request itself said is not told. */
export function toldOfOthers(text: string, asked: string): string[] {
  const own = decodeURIComponent(asked.replaceAll('+', ' ')).match(/[\w@.-]*zebra[\w@.-]*/gi) ?? []
  const told = own.reduce((left, one) => left.replaceAll(one, '').replaceAll(encodeURIComponent(one), ''), text)
  return told.match(/[^<>"\n]*(?:zebra|203\.0\.113\.77)[^<>"\n]*/gi) ?? []
}

/** Lists the routes of an app as `method path`. */
export function routesOf({ router }: Pick<Express, 'router'>): string[] {
  return router.stack.flatMap(({ route, handle }) => {
    if (route) return [...new Set(route.stack.map(({ method }) => `${method} ${route.path}`))]
    return 'stack' in handle ? routesOf({ router: handle as Express['router'] }) : []
  })
}
