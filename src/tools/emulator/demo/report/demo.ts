import type { MakeDemoFeature } from '../demo-feature.ts'

export const demo: MakeDemoFeature = () => ({
  order: 13,
  hint: () => ({
    title: 'Report',
    text: 'The views of the last four weeks, as a page.',
    commands: ['npm run -s viewer-auth -- report views --last 28d --html data/views.html'],
  }),
})
