import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import type { UserStore, ViewerState } from '../user-store.ts'
import { toViewerState } from '../viewer-changes.ts'
import { usernameKey } from '../viewer-fields.ts'
import type { ViewersFile } from './database-file.ts'

const ViewerRow = z.object({
  username: z.string(),
  password_hash: z.string(),
  disabled: z.union([z.literal(0), z.literal(1)]),
  group_names: json(z.array(z.string())),
  attributes: json(z.record(z.string(), z.string())),
})

/** @throws UpstreamError for a row that this app did not write. */
export function readViewerRow(row: unknown, file: string): StoredViewer {
  const parsed = ViewerRow.safeParse(row)
  if (!parsed.success) throw damagedRow(file, parsed.error)
  const { username, password_hash, disabled, group_names, attributes } = parsed.data
  const viewer = { username, groups: group_names, attributes }
  return { viewer, passwordHash: password_hash, disabled: disabled === 1 }
}

export function damagedRow(file: string, { message }: Error): UpstreamError {
  return new UpstreamError('user-store', `A row of the viewer database ${file} is damaged: ${message}`)
}

export function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue('is not JSON')
        return z.NEVER
      }
    })
    .pipe(schema)
}

/** Selects the states of viewers. */
export const STATES = `
  SELECT viewers.*, link.expires_at, link.is_sent FROM viewers
  LEFT JOIN password_links AS link ON link.key = viewers.key AND link.purpose = 'invitation'`

const InvitationRow = z.object({ expires_at: z.number().nullable(), is_sent: z.number().nullable() })

/** Returns the function that looks up the state of a viewer. */
export function viewerInspector({ file, database, ask }: ViewersFile): NonNullable<UserStore['inspect']> {
  const byKey = database.prepare(`${STATES} WHERE viewers.key = ?`)
  return (username) =>
    ask(() => {
      const row = byKey.get(usernameKey(username))
      return row === undefined ? null : readViewerState(row, file)
    })
}

type Read<T> = (row: unknown, file: string) => T

/** Lists all viewers, sorted by name. */
export async function* listViewers<T>({ file, database, query, ask }: ViewersFile, read: Read<T>): AsyncGenerator<T> {
  const rows = query(() => database.prepare(`${STATES} ORDER BY viewers.key`).iterate())
  for (;;) {
    const next = await ask(() => rows.next())
    if (next.done) return
    yield read(next.value, file)
  }
}

export function readViewerState(row: unknown, file: string): ViewerState {
  const { expires_at, is_sent } = InvitationRow.parse(row)
  const invitation = expires_at === null ? null : { expiresAtSeconds: expires_at, isSent: is_sent === 1 }
  return toViewerState(readViewerRow(row, file), invitation)
}
