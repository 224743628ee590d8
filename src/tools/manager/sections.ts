import { people } from './people/people.ts'
import type { Section } from './section.ts'

/** The sections of the page, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [
  people, //
]
