import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Servers and browsers can fail on a busy machine. CI tries such a test once more, and `.ci/run` names the test. */
const retry = process.env.CI === undefined ? 0 : 1

/** The end of a file's name chooses the project, as `README.md` says. Every other test is a unit test. */
const APP = 'test/**/*.app.test.ts'
const BROWSER = 'test/**/*.browser.test.ts'
const SERVER = 'test/**/*.server.test.ts'
const OUTAGE = 'test/**/*.outage.test.ts'
const SOAK = 'test/**/*.soak.test.ts'
/** Chromium judges these too, in the soak run. */
const FAULTS = 'test/with-emulator/**/*faults.app.test.ts'
/** The soak run tries more values or rows of these. */
const MORE_ROWS = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
  /from '(fast-check|.*\/rows\.ts)'/.test(readFileSync(join(root, file), 'utf8')),
)

/** A busy machine needs more than the second that vitest waits by default. A wait ends as soon as its value is there. */
const poll = { timeout: 20_000 }
/** Programs, hashes and browsers take many times as long on a busy machine. No test needs a limit of its own below this. */
const limits = { testTimeout: 120_000, hookTimeout: 120_000 }
/** Files share their worker, so that each worker loads the app once. A test must put back what it changes. */
const common = { root, isolate: false, setupFiles: ['test/same-values.ts'], expect: { poll }, ...limits }
const slow = { ...common, retry }

export default defineConfig({
  root,
  test: {
    globalSetup: 'test/compile-cache.ts',
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          sequence: { groupOrder: 0 },
          // Each worker loads the app, and these tests never wait.
          maxWorkers: availableParallelism(),
          include: ['test/**/*.test.ts'],
          exclude: [APP, BROWSER, SERVER, OUTAGE, SOAK],
          setupFiles: [...common.setupFiles, 'test/unit-guard.ts'],
        },
      },
      // Tests that start programs leave their core to the others.
      {
        test: {
          ...common,
          name: 'app',
          include: [APP],
          sequence: { groupOrder: 1 },
          maxWorkers: availableParallelism() + 1,
        },
      },
      // One more than the cores of a small machine: these tests wait for servers and browsers half of the time.
      { test: { ...slow, name: 'server', include: [SERVER], sequence: { groupOrder: 2 }, maxWorkers: 3 } },
      { test: { ...slow, name: 'browser', include: [BROWSER], sequence: { groupOrder: 2 }, maxWorkers: 3 } },
      // Measures how long a viewer waits for a server that is away, so no other kind of test may use the cores. All files
      // at once, because they wait nearly all the time.
      { test: { ...slow, name: 'outage', include: [OUTAGE], sequence: { groupOrder: 3 }, maxWorkers: 5 } },
      // Long repetitions, which `npm test` leaves out, all rows of the tests with browsers and servers, and new random
      // values.
      {
        test: {
          ...slow,
          name: 'soak',
          include: [SOAK, BROWSER, SERVER, FAULTS, ...MORE_ROWS],
          sequence: { groupOrder: 4 },
          maxWorkers: 1,
          env: { TEST_ALL_ROWS: 'true' },
          // All languages at all sizes take minutes.
          testTimeout: 600_000,
        },
      },
    ],
  },
})
