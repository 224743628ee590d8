import type { Viewer } from '../../src/users/user-store.ts'

/**
 * The groups and attributes of a viewer whom the access policy lets in. The tests of whole programs use them, because
 * these programs have the policy of `src/login/access-policy.ts`. A fork with another policy edits only this file.
 */
export const ADMITTED: Pick<Viewer, 'groups' | 'attributes'> = { groups: [], attributes: {} }

/** The same as options of `viewers add` and `drill`. */
export const ADMITTED_OPTIONS: readonly string[] = [
  ...ADMITTED.groups.map((name) => `--group=${name}`),
  ...Object.entries(ADMITTED.attributes).map(([name, value]) => `--attribute=${name}=${value}`),
]
