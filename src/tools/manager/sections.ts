import { codesSection } from '../features/access-codes/manager/codes-section.ts'
import { doorsSection } from '../features/doors/manager/doors-section.ts'
import { registrationsSection } from '../features/registration/manager/registrations-section.ts'
import { afterSection } from './after/after-section.ts'
import { eveningSection } from './evening/evening-section.ts'
import { journalSection } from './journal/journal-section.ts'
import { people } from './people/people.ts'
import type { Section } from './section.ts'

/** The sections of the page, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [
  eveningSection,
  people,
  registrationsSection,
  codesSection,
  doorsSection,
  afterSection,
  journalSection, //
]
