/** `test/vitest.config.ts` sets the variable for `npm run test:soak`. */
export const hasAllRows = process.env.TEST_ALL_ROWS !== undefined

/**
 * Returns the rows of a test. `npm test` runs the telling rows. `npm run test:soak` also runs the repetitions, which
 * prove the same in other browsers, sizes, languages or combinations.
 */
export function rowsFor<Row>(telling: readonly Row[], repetitions: readonly Row[]): readonly Row[] {
  return hasAllRows ? [...telling, ...repetitions] : telling
}
