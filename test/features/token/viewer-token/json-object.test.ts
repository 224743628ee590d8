import { expect, test } from 'vitest'
import { parseJsonObject } from '../../../../src/features/token/viewer-token/json-object.ts'

test.each([
  '{"sub":"a","sub":"b"}',
  '{"more":{"x":1},"sub":"a","sub":"b"}',
  '{"more":[1,{"x":1}],"sub":"a","s\\u0075b":"b"}',
])('the object %s names a member twice, so it is refused', (json) => {
  expect(parseJsonObject(json)).toBeNull()
})

test('an object may name a member that a nested object names too', () => {
  const object = { sub: 'a', more: { sub: 'b' }, list: [{ sub: 'c' }] }
  expect(parseJsonObject(JSON.stringify(object))).toEqual(object)
})
