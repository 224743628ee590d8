import { RetentionEnvironment } from '../../../../server/log/limited-file.ts'
import { readToolSettings } from '../../../cli/settings/read-tool-settings.ts'
import type { PagePart } from '../../../manager/section.ts'
import { forgetEnded } from '../forget/forget-ended.ts'

const DAY_MS = 86_400_000

/** Forgets people whose accounts ended, at the start of the page for managers and each day. */
export const forgetsDaily: PagePart = {
  section: {
    open({ env, viewerFacts, viewers: { editable }, warn }) {
      const { RETENTION_DAYS: days } = readToolSettings(env, RetentionEnvironment, [])
      if (days === undefined || editable === null) return { routes: [] }
      const run = () =>
        forgetEnded(env, viewerFacts, editable, days).then(({ faults }) => Object.values(faults).forEach(warn), warn)
      void run()
      setInterval(run, DAY_MS).unref()
      return { routes: [] }
    },
  },
}
