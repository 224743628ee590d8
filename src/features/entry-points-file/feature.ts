import { z } from 'zod'
import { defineFeature } from '../../login/feature.ts'
import { readSources } from './entry-points-file.ts'

const settings = {
  ENTRY_POINTS_FILE: z.string().optional().meta({ protects: 'without it, its allowed groups are not read' }),
}

/** Several entry points in one app, from a JSON file in place of the environment. Read again while the app runs. */
export const entryPointsFile = defineFeature({
  name: 'entry-points-file',
  shared: { settings, schema: z.object(settings) },
  sources: ({ ENTRY_POINTS_FILE: file, ...given }, all, report) =>
    file === undefined ? null : readSources(file, given, all, report),
  async open({ served, log }, all, { ENTRY_POINTS_FILE: file }) {
    if (file === undefined) return null
    const { watchEntryPoints } = await import('./watch-entry-points.ts')
    return watchEntryPoints(
      file,
      all.map(({ entryPoint }) => entryPoint),
      { served, log },
    )
  },
})
