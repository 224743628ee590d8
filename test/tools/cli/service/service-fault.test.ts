import { expect, test } from 'vitest'
import { serviceFault } from '../../../../src/tools/cli/service/service-fault.ts'
import { ServiceRefusal } from '../../../../src/tools/video-service/service-errors.ts'

const settings = { basicForm: 'standard', bearerForm: 'standard', accessToken: null, loginFile: null } as const

test.each(['constructor', '__proto__', 'toString'])(
  'the error value %s from the service is not looked up in Object.prototype',
  (error) => {
    expect(serviceFault(new ServiceRefusal(error, 400), settings)).toBe(`The service refused: ${error} (status 400).`)
  },
)

test('an unknown channel names the settings of the base addresses, which may be wrong', () => {
  const fault = serviceFault(new ServiceRefusal('not_found', 404), settings)
  expect(fault).toMatch(/If it exists, check SERVICE_BASE_URL; for a report, SERVICE_ANALYTICS_URL\./)
})
