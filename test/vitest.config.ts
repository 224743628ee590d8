import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
/**
 * Servers and browsers are programs of others, with moments of their own on a busy machine. What fails beside one is
 * tried once more where nobody watches, and `.ci/run` names it; a second failure counts.
 */
const retry = process.env.CI === undefined ? 0 : 1

export default defineConfig({
  root,
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          root,
          // One group after the other: what waits for a server or a browser must not compete for the cores.
          sequence: { groupOrder: 1 },
          maxWorkers: '100%',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.browser.test.ts', 'test/**/*.server.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'server',
          root,
          retry,
          sequence: { groupOrder: 2 },
          include: ['test/**/*.server.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'browser',
          root,
          retry,
          sequence: { groupOrder: 3 },
          include: ['test/**/*.browser.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
