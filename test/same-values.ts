import fc from 'fast-check'
import { hasAllRows } from './rows.ts'

/**
 * Tests with random values choose the same ones in each `npm test`, so that a test does not fail by chance. The soak run
 * chooses new ones, and a retry of a test the same ones again.
 */
fc.configureGlobal({ seed: hasAllRows ? Date.now() % 2 ** 31 : 20_261_124 })
