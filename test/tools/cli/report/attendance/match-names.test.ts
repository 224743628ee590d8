import { describe, expect, test } from 'vitest'
import { matchNames } from '../../../../../src/tools/cli/report/attendance/names/match-names.ts'

/** Returns for each name of the service how it was matched, and the known names. */
function matched(served: readonly string[], known: readonly string[]): (string | null)[] {
  return matchNames(served, known).map((match) => {
    if (match === null) return null
    const persons = match.how === 'ambiguous' ? match.persons : [match.person]
    return [match.how, ...persons.map((person) => known[person])].join(' ')
  })
}

const LONG = 'maximiliana.mustermann-schmidt@longcompany.example.com'

describe('a name of the service', () => {
  test.each([
    ['as it is', 'ada@example.com', 'ada@example.com', 'exact'],
    ['in other letters', 'Ada@Example.com', 'ada@example.com', 'changed'],
    ['decomposed', 'Zoë Müller'.normalize('NFD'), 'Zoë Müller', 'changed'],
    ['without accents', 'Zoe Muller', 'Zoë Müller', 'changed'],
    ['without its special characters', 'Zo Mller', 'Zoë Müller', 'changed'],
    ['with question marks', 'Zo? M?ller', 'Zoë Müller', 'changed'],
    ['with a question mark for each byte', 'Zo?? M??ller', 'Zoë Müller', 'changed'],
    ['with underscores', 'o_neil_paul@example.com', "o'neil+paul@example.com", 'changed'],
    ['percent-encoded', 'ada%40example.com', 'ada@example.com', 'changed'],
    ['with plus signs for spaces', 'Zo%C3%AB+M%C3%BCller', 'Zoë Müller', 'changed'],
    ['with entities', 'o&#39;neil &amp; son', "o'neil & son", 'changed'],
    ['as Latin-1', 'ZoÃ« MÃ¼ller', 'Zoë Müller', 'changed'],
    ['of replaced letters of another script', '???? ??????@example.com', 'Анна Иванов@example.com', 'changed'],
    ['cut', LONG.slice(0, 32), LONG, 'cut'],
    ['cut, with an ellipsis', 'maxim…', LONG, 'cut'],
    ['cut, with three dots', 'maxim...', LONG, 'cut'],
    ['cut inside a character', 'Zoë Müllerin von W\ufffd', 'Zoë Müllerin von Würzburg', 'cut'],
    ['cut inside a surrogate pair', 'ada.lovelace\ud83d', 'ada.lovelace😀@example.com', 'cut'],
    ['changed and cut', 'Zoe Mullerin von W', 'Zoë Müllerin von Würzburg', 'cut'],
    ['percent-encoded and cut', 'ada.lovelace%40exam%', 'ada.lovelace@example.com', 'cut'],
  ])('%s is matched', (_what, served, known, how) => {
    expect(matched([served], ['other@example.com', known])).toEqual([`${how} ${known}`])
  })

  test.each([
    ['of another person with another accent', 'Zoé Möller', 'Zoë Müller'],
    ['of another person in another script', 'Борис Петро@example.com', 'Анна Иванов@example.com'],
    ['without a dot that no system removes', 'annlee@example.com', 'ann.lee@example.com'],
    ['of another person with another accent, cut', 'Zoè Müllerin von W', 'Zoë Müllerin von Würzburg'],
    ['that is whole before its ellipsis', 'ada@example.com…', 'ada@example.com'],
    ['that is a short beginning', 'ada', 'ada@example.com'],
    ['that is longer', 'ada@example.com.au', 'ada@example.com'],
    ['that is empty after its ellipsis', '…', 'ada@example.com'],
    ['that is only replaced characters', '??', '李明'.repeat(2)],
  ])('%s is not matched', (_what, served, known) => {
    expect(matched([served], [known])).toEqual([null])
  })

  test('a beginning is not a cut name if the service has longer names', () => {
    const served = ['maximiliana', 'somebody.with.a.longer.name@example.com']
    expect(matched(served, [LONG])).toEqual([null, null])
  })

  test('a name that fits several people is matched with none', () => {
    const known = ['maximiliana.mustermann-1@example.com', 'maximiliana.mustermann-2@example.com', 'Zoë', 'Zoè']
    expect(matched([known[0]?.slice(0, 23) ?? '', 'Zoe'], known)).toEqual([
      `ambiguous ${known[0]} ${known[1]}`,
      'ambiguous Zoë Zoè',
    ])
  })

  test('a known name that the service has in full does not fit another name', () => {
    expect(matched(['Zoë', 'Zoe'], ['Zoë'])).toEqual(['exact Zoë', null])
    expect(matched(['ada@example.com', 'ada%40example.com'], ['ada@example.com'])).toEqual([
      'exact ada@example.com',
      null,
    ])
    expect(matched(['ada@example.com', 'ADA@example.com'], ['ada@example.com'])).toEqual([
      'exact ada@example.com',
      'changed ada@example.com',
    ])
  })

  test('a whole name may be the beginning of a longer one, where other names are cut', () => {
    const known = ['ada@example.com', 'ada@example.com.au', 'alan.turing@example.com']
    expect(matched(['ada@example.com'], known)).toEqual(['exact ada@example.com'])
    expect(matched(['ada@example.com', 'alan.turing@exa'], known)).toEqual([
      'ambiguous ada@example.com ada@example.com.au',
      'cut alan.turing@example.com',
    ])
  })

  test('a name that two people have is ambiguous', () => {
    expect(matched(['7'], ['7', '7'])).toEqual(['ambiguous 7 7'])
  })
})
