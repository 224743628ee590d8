import type { Command } from 'commander'
import { accountEndOf } from '../../../../features/account-end/account-end.ts'
import { RetentionEnvironment } from '../../../../server/log/limited-file.ts'
import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import type { Viewer } from '../../../../users/user-store.ts'
import { withEditableStore } from '../../../cli/settings/editable-store.ts'
import { readToolSettings } from '../../../cli/settings/read-tool-settings.ts'
import { addCommand, type CommandContext, messageOf, type Outcome, runCommand } from '../../../cli/terminal/command.ts'
import { confirmRemoval } from '../../../cli/terminal/confirm.ts'
import { counted } from '../../../cli/terminal/text.ts'
import { forgetPerson, rewriteFiles } from '../../../cli/viewers/forget/forget-person.ts'
import { type HasViewerFacts, type ViewerFacts, viewerFactsOf } from '../../../cli/viewers/viewer-facts.ts'

type Env = CommandContext['io']['env']

const DAY_MS = 86_400_000
const NO_DAYS =
  'Set RETENTION_DAYS: after so many days, people whose accounts ended are forgotten. Nothing was changed.'

/** Adds `viewers forget-ended`. */
export function addForgetEndedCommand(group: Command, context: CommandContext<HasViewerFacts>): void {
  const { io } = context
  const summary = 'forget people whose accounts ended RETENTION_DAYS ago, or earlier; for a daily timer'
  addCommand(group, 'forget-ended', summary, ['viewer-auth viewers forget-ended --yes'])
    .option('--yes', 'do not ask')
    .action(({ json, yes }: { readonly json?: boolean; readonly yes?: boolean }) =>
      runCommand(context, json, () =>
        withEditableStore(io, async (store): Promise<Outcome> => {
          const { RETENTION_DAYS: days } = readToolSettings(io.env, RetentionEnvironment, [])
          if (days === undefined) return { ok: false, fault: NO_DAYS }
          const ask = `Forget all people whose accounts ended ${counted(days, 'day')} ago? This cannot be undone.`
          const confirmation = await confirmRemoval(io, yes, ask)
          if (!confirmation.ok) return confirmation
          const done = await forgetEnded(io.env, await viewerFactsOf(context), store, days)
          const faults = Object.entries(done.faults).map(([part, fault]) => `${part}: ${fault}`)
          const text = [`Forgot ${done.forgotten} of ${done.ended} people whose accounts ended.`, ...faults].join('\n')
          return { ok: true, text, data: done, isPartial: faults.length > 0 }
        }),
      ),
    )
}

/**
 * Deletes all that the stores have of people whose accounts ended so many days ago. The account goes last: a run that
 * stopped, or a store that failed, leaves it for the next run. Several runs at once are harmless.
 */
export async function forgetEnded(env: Env, features: readonly ViewerFacts[], store: EditableUserStore, days: number) {
  const hasLongEnded = ({ attributes }: Viewer) => {
    const end = accountEndOf(attributes)
    return end !== null && end !== 'unreadable' && end.seconds * 1000 <= Date.now() - days * DAY_MS
  }
  const names: string[] = []
  for await (const { viewer } of store.list()) if (hasLongEnded(viewer)) names.push(viewer.username)
  let forgotten = 0
  const faults: Record<string, string> = {}
  for (const name of names) {
    const known = await store.show(name)
    // Another run may have removed the viewer, or a manager moved the end.
    if (!known.ok || !hasLongEnded(known.viewer)) continue
    const one = await forgetPerson(env, features, name, { store, isOneOfMany: true })
    Object.assign(faults, one.faults)
    forgotten += one.deleted.account ?? 0
  }
  try {
    if (forgotten > 0) rewriteFiles(env, features)
  } catch (error) {
    faults.files = messageOf(error)
  }
  return { ended: names.length, forgotten, faults }
}
