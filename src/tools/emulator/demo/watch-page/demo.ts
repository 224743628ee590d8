import type { MakeDemoFeature } from '../demo-feature.ts'

/** An invitation that ends at the page with the video. */
export const demo: MakeDemoFeature = () => ({
  order: 6,
  ofDefault: (watchUrl) => ({ watchUrl }),
  introduction: () => [
    'For a guest, run this with the command line as below, and open the link in the file. It leads to the video:',
    '  npm run -s viewer-auth -- viewers add guest@example.com --invite --links data/guest.csv',
  ],
})
