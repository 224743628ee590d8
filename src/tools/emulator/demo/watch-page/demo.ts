import type { MakeDemoFeature } from '../demo-feature.ts'

/** An invitation that ends at the page with the video. */
export const demo: MakeDemoFeature = () => ({
  order: 6,
  ofDefault: (watchUrl) => ({ watchUrl }),
  hint: () => ({
    title: 'Invitation',
    text: 'Run this command, and open the link in the file. The link leads to the video.',
    commands: ['npm run -s viewer-auth -- viewers add guest@example.com --invite --links data/guest.csv'],
  }),
})
