import { runDoctor } from '../../doctor/doctor-command.ts'
import type { HasChecks } from '../../doctor/feature-check.ts'
import { pageAddress } from '../../doctor/page/load-page.ts'
import { contentId } from '../../service/lock-target.ts'
import { type BundleSection, dataOf } from '../section.ts'

interface Options {
  readonly channel?: string
  readonly page?: readonly URL[]
}

/** The findings of `doctor`, without a sign-in. */
export const findings: BundleSection = {
  field: 'doctor',
  addOptions: (command) =>
    command
      .option('--channel <ID>', 'doctor checks the lock of this channel', contentId)
      .option('--page <URL>', 'doctor checks this page; repeatable', pageAddress),
  collect({ io, features, options }) {
    // The program hands the same list to all commands.
    const context = { io, features: features as readonly HasChecks[] }
    return dataOf(() => runDoctor(context, { ...(options as Options), json: true }))
  },
}
